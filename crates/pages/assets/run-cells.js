// The table of all cells: sorted by any column, filtered by words and by what a cell belongs to; the address keeps both. Rows that are
// not on the page as text are made when they are looked at, some hundreds at a time.
"use strict";

{
  const atOnce = 500;
  const table = document.getElementById("cell-table");
  const body = table.tBodies[0];
  const filters = [...document.querySelectorAll("[data-filter]")];
  const find = document.getElementById("find");
  const shown = document.getElementById("shown");
  const more = document.getElementById("more");
  const state = State.read();

  /* What a row is found and sorted by. A hole spans three columns, and has no value in them. */
  function ofRow(row) {
    const columns = [];
    for (const cell of row.cells) {
      columns.push({ text: cell.textContent, value: cell.dataset.value });
      for (let spanned = 1; spanned < cell.colSpan; spanned += 1) columns.push({ text: "" });
    }
    const { family, stack, side, metric } = row.dataset;
    return { belongs: { family, stack, side, metric }, columns, words: row.textContent.toLowerCase(), row: () => row };
  }

  const labels = [...table.tHead.rows[0].cells].map((header) => header.textContent);

  const families = new Map(results.scenarios.map((scenario) => [scenario.name, scenario.family]));
  function ofCell(cell) {
    const { scenario, stack, side, metric, unit, ratio } = cell;
    const kind = cell.failed !== undefined ? "failed" : cell.unsupported !== undefined ? "unsupported" : undefined;
    const front = [scenario, stack, side, metric].map((text) => ({ text }));
    const behind = kind
      ? [{ text: "–" }, { text: unit }, { text: `${kind} ${cell[kind]}` }, { text: "" }, { text: "" }, { text: "–" }]
      : [
          { text: figureOf(cell).value, value: cell.estimate },
          { text: unit },
          { text: cell.no_interval ?? figureOf(cell).range },
          ratio ? { text: relativeOf(ratio).amount, value: ratio.estimate } : { text: "–" },
          { text: ratio ? relativeOf(ratio).range || (ratio.no_interval ?? "") : (cell.no_ratio ?? "reference") },
          { text: String(cell.n), value: cell.n },
        ];
    const columns = [...front, ...behind];
    const numbers = [4, 7, 9];
    const one = ({ text }, at) => {
      if (at === 0) return make("th", { scope: "row" }, text);
      if (kind && at === 6) return make("td", { colspan: 3, class: "hole full" }, make("span", { class: `v ${kind}` }, kind), ` ${cell[kind]}`);
      return make("td", { class: numbers.includes(at) ? "n" : undefined, "data-label": labels[at] }, text);
    };
    const gone = kind ? [7, 8] : [];
    return {
      belongs: { family: families.get(scenario) ?? "", stack, side, metric },
      columns,
      words: columns.map(({ text }) => text).join(" ").toLowerCase(),
      row: () => make("tr", {}, ...columns.map(one).filter((_, at) => !gone.includes(at))),
    };
  }

  const standing = [...body.rows];
  let records = standing.length > 0 ? standing.map(ofRow) : results.cells.map(ofCell);
  let limit = standing.length > 0 ? Infinity : atOnce;

  for (const filter of filters) {
    const values = new Set(records.map((record) => record.belongs[filter.dataset.filter]));
    for (const value of values) filter.append(make("option", { value }, value));
    filter.value = state.get(filter.dataset.filter) ?? "";
    filter.addEventListener("change", () => {
      State.write({ [filter.dataset.filter]: filter.value });
      begin();
    });
  }
  find.value = state.get("find") ?? "";
  find.addEventListener("input", () => {
    State.write({ find: find.value });
    begin();
  });
  document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", () => {
    limit += atOnce;
    show();
  });

  function begin() {
    if (limit !== Infinity) limit = atOnce;
    show();
  }
  function show() {
    const wanted = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const passing = records.filter(
      ({ belongs, words }) =>
        filters.every((filter) => !filter.value || belongs[filter.dataset.filter] === filter.value) &&
        wanted.every((word) => words.includes(word)),
    );
    body.replaceChildren(...passing.slice(0, limit).map((record) => record.row()));
    const all = `${records.length} cells`;
    const left = passing.length === records.length ? all : `${passing.length} of ${all}`;
    shown.textContent = passing.length > limit ? `${left}, the first ${limit} shown` : left;
    more.hidden = passing.length <= limit;
  }

  const headers = [...table.tHead.rows[0].cells];
  headers.forEach((header, column) => {
    const kind = header.dataset.sort;
    if (!kind) return;
    const label = header.textContent;
    /* Rows without a value in the column come last, whichever way it is sorted. */
    const has = (record) => kind === "text" || record.columns[column].value !== undefined;
    const order = (a, b) => {
      const [x, y] = [a.columns[column], b.columns[column]];
      return kind === "text" ? compare(x.text, y.text) : Number(x.value) - Number(y.value);
    };
    const { compare } = new Intl.Collator("en", { numeric: true });
    const sort = (direction) => {
      for (const other of headers) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", direction);
      const sign = direction === "ascending" ? 1 : -1;
      const full = records.filter(has).sort((a, b) => sign * order(a, b));
      records = [...full, ...records.filter((record) => !has(record))];
    };
    const turn = () => {
      const direction = header.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
      sort(direction);
      State.write({ sort: direction === "ascending" ? label : `-${label}` });
      begin();
    };
    header.replaceChildren(make("button", { type: "button", onclick: turn }, label));
    const wanted = state.get("sort");
    if (wanted === label) sort("ascending");
    else if (wanted === `-${label}`) sort("descending");
  });

  if (standing.length === 0 || state.size > 0) show();
}
