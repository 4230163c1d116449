"use strict";
// Draws what stands in the page as JSON: for each side its parts, its functions and its stacks.

const sheet = JSON.parse(document.getElementById("sheet").textContent);
const compares = sheet.base !== undefined;

function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

const count = (number) =>
  number.toLocaleString("en", { maximumFractionDigits: Math.abs(number) < 100 ? 1 : 0 });
const more = (number) => (number > 0 ? "+" : "") + count(number);
const share = (part, whole) => (whole === 0 ? "0" : ((100 * part) / whole).toFixed(2)) + " %";
function change(before, after) {
  if (!before) return "new";
  if (!after) return "gone";
  const percent = (100 * (after - before)) / before;
  if (percent === 0) return "0 %";
  const digits = Math.min(6, Math.max(1, 1 - Math.floor(Math.log10(Math.abs(percent)))));
  return (percent > 0 ? "+" : "") + percent.toFixed(digits) + " %";
}

function table(heads, rows) {
  const cell = (tag, content, at) => make(tag, { className: heads[at][1] ?? "" }, content);
  const head = make("tr", {}, ...heads.map(([text], at) => cell("th", text, at)));
  const body = rows.map((row) => make("tr", {}, ...row.map((content, at) => cell("td", content, at))));
  const all = make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
  return make("div", { className: "scroll" }, all);
}

function functions(side) {
  const place = (row) => {
    const cell = make("span", {}, make("code", { textContent: row.function }));
    if (row.source) cell.append(make("span", { className: "soft", textContent: " " + row.source }));
    if (row.called) {
      cell.append(make("br"), make("span", { className: "soft", textContent: `${more(row.called)} of that in what it calls` }));
    }
    for (const [caller, own] of (row.callers ?? []).slice(0, 3)) {
      cell.append(make("br"), make("span", { className: "soft", textContent: `${count(own)} from ${caller}` }));
    }
    return cell;
  };
  const others = side.others;
  if (!compares) {
    const rows = side.functions.map((row) => [share(row.after, side.after), count(row.after), place(row), row.part]);
    if (others.functions) {
      rows.push([share(others.after, side.after), count(others.after), `${others.functions} others`, ""]);
    }
    return table([["share", "number"], ["instructions", "number"], ["function"], ["part"]], rows);
  }
  const row = (before, after, ...rest) => [more(after - before), ...rest.slice(0, 1), count(before), count(after), ...rest.slice(1)];
  const rows = side.functions.map((one) => {
    const [before, after] = [one.before ?? 0, one.after ?? 0];
    return row(before, after, change(before, after), place(one), one.part);
  });
  if (others.functions) rows.push(row(others.before, others.after, "", `${others.functions} others`, ""));
  const heads = [["change", "number"], ["", "number"], ["before", "number"], ["after", "number"], ["function"], ["part"]];
  return table(heads, rows);
}

function parts(side) {
  const rows = side.parts.map((one) =>
    compares
      ? [one.part, count(one.before), count(one.after), more(one.after - one.before)]
      : [one.part, count(one.after), share(one.after, side.after)],
  );
  const heads = compares
    ? [["part"], ["before", "number"], ["after", "number"], ["change", "number"]]
    : [["part"], ["instructions", "number"], ["share", "number"]];
  return table(heads, rows);
}

// A box's colour: where two profiles are compared, how much more or less it takes, against the whole's largest change.
function colour(box, largest) {
  if (!compares) {
    let hash = 0;
    for (const letter of box.name) hash = (hash * 31 + letter.charCodeAt(0)) | 0;
    return `hsl(${28 + (Math.abs(hash) % 24)} 75% 68%)`;
  }
  const delta = box.after - box.before;
  if (delta === 0 || largest === 0) return "var(--same)";
  const strength = Math.max(0.12, Math.sqrt(Math.min(1, Math.abs(delta) / largest)));
  return `color-mix(in srgb, rgb(var(${delta > 0 ? "--more" : "--less"})) ${Math.round(100 * strength)}%, var(--same))`;
}

function deepest(box) {
  return 1 + Math.max(0, ...(box.callees ?? []).map(deepest));
}

function largestChange(box) {
  const own = Math.abs(box.after - (box.before ?? 0));
  return Math.max(own, ...(box.callees ?? []).map(largestChange));
}

function flame(side) {
  const ROW = 18;
  const root = side.flame;
  const depth = deepest(root);
  const largest = compares ? largestChange(root) : 0;
  const area = make("div", { className: "flame" });
  const told = make("p", { className: "told soft", ariaLive: "polite" });
  const search = make("input", { type: "search", placeholder: "find a function", ariaLabel: `find a function of the ${side.name}` });
  const whole = make("button", { type: "button", textContent: "whole graph" });
  const width = make("select", { ariaLabel: "what the widths are" });
  for (const [value, text] of [["after", "widths: after"], ["before", "widths: before"]]) {
    width.append(make("option", { value, textContent: text }));
  }
  let path = [root];
  const tell = (box) => {
    const numbers = compares
      ? `${count(box.before)} → ${count(box.after)} (${more(box.after - box.before)}, ${change(box.before, box.after)})`
      : `${count(box.after)} (${share(box.after, root.after)})`;
    return `${box.name}: ${numbers} instructions with what it calls`;
  };
  const size = (box) => (compares && width.value === "before" ? box.before : box.after);
  function draw() {
    area.replaceChildren();
    area.style.height = `${depth * ROW}px`;
    const wanted = search.value.trim().toLowerCase();
    const place = (box, left, wide, row, above, trail) => {
      if (wide * area.clientWidth < 1.5) return;
      const label = tell(box);
      const element = make("button", { type: "button", textContent: box.name, title: label, ariaLabel: label });
      element.style.cssText = `left:${100 * left}%;width:${100 * wide}%;top:${row * ROW}px;background:${colour(box, largest)}`;
      if (above) element.classList.add("above");
      if (wanted && box.name.toLowerCase().includes(wanted)) element.classList.add("found");
      const show = () => { told.textContent = label; };
      element.addEventListener("mouseenter", show);
      element.addEventListener("focus", show);
      element.addEventListener("click", () => { path = trail; draw(); });
      area.append(element);
    };
    const grow = (box, left, wide, row, trail) => {
      place(box, left, wide, row, false, trail);
      let at = left;
      for (const callee of box.callees ?? []) {
        const part = size(box) > 0 ? (wide * size(callee)) / size(box) : 0;
        grow(callee, at, part, row + 1, [...trail, callee]);
        at += part;
      }
    };
    path.slice(0, -1).forEach((box, row) => place(box, 0, 1, row, true, path.slice(0, row + 1)));
    grow(path[path.length - 1], 0, 1, path.length - 1, path);
  }
  search.addEventListener("input", draw);
  width.addEventListener("change", draw);
  whole.addEventListener("click", () => { path = [root]; draw(); });
  new ResizeObserver(draw).observe(area);
  const tools = make("div", { className: "tools" }, search, whole, ...(compares ? [width] : []));
  const words = compares
    ? "Stacks of functions, the outermost above. Red takes more than before, blue less, grey the same."
    : "Stacks of functions, the outermost above; a box is as wide as what it took with all that it called.";
  const note = `${words} Inlined code is its function's. A click makes a box as wide as the page.`;
  return make("section", {}, make("p", { className: "soft", textContent: note }), tools, area, told);
}

const page = document.querySelector("main");
page.append(make("h1", { textContent: sheet.title }));
if (compares) page.append(make("p", { textContent: `against ${sheet.base}` }));
for (const note of sheet.notes) page.append(make("p", { className: "soft", textContent: note }));
for (const side of sheet.sides) {
  page.append(make("h2", { textContent: side.name, id: side.name }));
  const numbers = compares
    ? `${count(side.before ?? 0)} → ${count(side.after)} instructions per iteration (${more(side.after - (side.before ?? 0))}, ${change(side.before, side.after)})`
    : `${count(side.after)} instructions per iteration`;
  page.append(make("p", { textContent: numbers }), parts(side));
  if (side.flame) page.append(flame(side));
  page.append(functions(side));
}
