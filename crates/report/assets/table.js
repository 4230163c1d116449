// The table of all cells: sorted by any column, filtered by words and by what a cell belongs to.

{
  const table = document.getElementById("cell-table");
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const filters = [...document.querySelectorAll("[data-filter]")];
  const find = document.getElementById("find");
  const shown = document.getElementById("shown");
  const words = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));

  for (const filter of filters) {
    const values = new Set(rows.map((row) => row.dataset[filter.dataset.filter]));
    for (const value of values) filter.append(make("option", { value }, value));
    filter.addEventListener("change", apply);
  }
  find.addEventListener("input", apply);
  document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());

  function apply() {
    const wanted = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const passes =
        filters.every((filter) => !filter.value || row.dataset[filter.dataset.filter] === filter.value) &&
        wanted.every((word) => words.get(row).includes(word));
      row.hidden = !passes;
      if (passes) count += 1;
    }
    shown.textContent = count === rows.length ? `${count} cells` : `${count} of ${rows.length} cells`;
  }

  /* Rows without a value in the column come last, whichever way it is sorted. A hole spans three columns. */
  function valueAt(row, column) {
    let at = 0;
    for (const cell of row.cells) {
      if (at === column) return cell;
      at += cell.colSpan;
      if (at > column) return null;
    }
    return null;
  }
  function compare(a, b, column, kind) {
    const [x, y] = [valueAt(a, column), valueAt(b, column)];
    if (kind === "text") return x.textContent.localeCompare(y.textContent, "en", { numeric: true });
    return Number(x.dataset.value) - Number(y.dataset.value);
  }
  const hasValue = (row, column, kind) => kind === "text" || valueAt(row, column)?.dataset.value !== undefined;

  const headers = [...table.tHead.rows[0].cells];
  headers.forEach((header, column) => {
    const kind = header.dataset.sort;
    if (!kind) return;
    const label = header.textContent;
    const sort = () => {
      const direction = header.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
      for (const other of headers) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", direction);
      const sign = direction === "ascending" ? 1 : -1;
      const full = rows.filter((row) => hasValue(row, column, kind));
      const empty = rows.filter((row) => !hasValue(row, column, kind));
      full.sort((a, b) => sign * compare(a, b, column, kind));
      body.append(...full, ...empty);
    };
    header.replaceChildren(make("button", { type: "button", onclick: sort }, label));
  });
}
