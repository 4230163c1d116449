// How the samples of one scenario and side spread: slices as areas, visits as dots, the estimate above them.
"use strict";

const ROW = 86;
const AXIS = 38;

/** About `count` round numbers between two others. */
function ticks(from, to, count) {
  const raw = (to - from) / count;
  const magnitude = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((candidate) => candidate >= raw);
  const found = [];
  for (let tick = Math.ceil(from / step) * step; tick <= to + step * 1e-6; tick += step) found.push(tick);
  return { found, places: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

/** The range in which a distribution lies, a little air around it. */
function rangeOf(shown) {
  const lower = Math.min(...shown.map(({ slices, visits }) => Math.min(slices.histogram.lower, ...visits.map((v) => v.value))));
  const upper = Math.max(...shown.map(({ slices, visits }) => Math.max(slices.histogram.upper, ...visits.map((v) => v.value))));
  const air = 0.04 * (upper - lower) || 0.01 * upper || 1;
  return [lower - air, upper + air];
}

/** Draws into the SVG and says how many stacks it shows. */
function drawDistribution(svg, { visible, scenario, side, axis }) {
  const shown = distributions.filter((d) => d.scenario === scenario && d.side === side && visible.has(d.stack));
  const width = Math.max(svg.parentElement.clientWidth, 280);
  const wide = width > 700;
  const left = wide ? 190 : 8;
  const right = width - 16;
  const row = wide ? ROW : ROW + 18;
  const own = axis === "own";
  const height = shown.length * (row + (own ? AXIS : 0)) + (own ? 8 : AXIS + 8);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  svg.setAttribute("aria-label", `Samples of ${scenario}, ${side}: ${shown.map((d) => d.stack).join(", ")}`);
  svg.replaceChildren();
  const all = shown.length > 0 ? rangeOf(shown) : [0, 1];
  shown.forEach((distribution, at) => {
    const range = own ? rangeOf([distribution]) : all;
    const x = (value) => left + ((right - left) * (value - range[0])) / (range[1] - range[0]);
    const top = at * (row + (own ? AXIS : 0));
    if (own || at === 0) drawAxis(svg, range, x, top, own ? top + row : shown.length * row);
    svg.append(drawRow(distribution, x, { top: top + (wide ? 0 : 18), left, wide }));
  });
  return shown.length;
}

function drawAxis(svg, range, x, from, to) {
  const { found, places } = ticks(range[0], range[1], (x(range[1]) - x(range[0])) / 90);
  for (const tick of found) {
    svg.append(
      draw("line", { class: "grid-line", x1: x(tick), x2: x(tick), y1: from, y2: to }),
      draw("text", { x: x(tick), y: to + 16, "text-anchor": "middle" }, rounded(tick, places)),
    );
  }
  svg.append(draw("text", { x: x(range[1]), y: to + 32, "text-anchor": "end" }, "µs per iteration"));
}

function drawRow({ stack, side, scenario, visits, slices }, x, { top, wide }) {
  const base = top + 50;
  const group = draw("g", { class: colourOf(stack) });
  const count = `${slices.n.toLocaleString("en-GB")} slices, ${visits.length} visits`;
  const beyond = slices.below + slices.above;
  group.append(draw("text", { class: "name", x: 0, y: wide ? base - 16 : top - 2 }, wide ? shortName(stack) : stack));
  if (wide) group.append(draw("text", { x: 0, y: base }, beyond > 0 ? `${count}, ${beyond} beyond` : count));

  const { lower, upper, counts } = slices.histogram;
  const bin = (upper - lower) / counts.length;
  const most = Math.max(...counts);
  const height = (n) => (36 * n) / most;
  let path = `M${x(lower)} ${base}`;
  counts.forEach((n, at) => { path += `V${base - height(n)}H${x(lower + (at + 1) * bin)}`; });
  group.append(draw("path", { class: "area", d: `${path}V${base}Z` }));
  const places = decimals(Math.max(bin, 1e-6), 2);
  counts.forEach((n, at) => {
    if (n === 0) return;
    const [from, to] = [lower + at * bin, lower + (at + 1) * bin];
    const label = `${stack}, ${side}: ${n} of ${slices.n} slices\n${rounded(from, places)} to ${rounded(to, places)} µs`;
    const box = { x: x(from), y: base - 38, width: Math.max(x(to) - x(from), 1), height: 38, fill: "transparent" };
    group.append(draw("rect", { class: "point", role: "img", "aria-label": label, ...box }));
  });

  for (const { round, value } of visits) {
    const label = `${stack}, ${side}, round ${round}: ${significant(value, 5)} µs`;
    const dot = { cx: x(value), cy: base + 11, r: 4 };
    group.append(draw("circle", { class: "visit point", role: "img", "aria-label": label, ...dot }));
  }
  const cell = cellOf(scenario, stack, side, "time");
  if (cell?.estimate !== undefined) {
    const y = base + 24;
    const label = `${stack}, ${side}: estimate\n${described(cell)}`;
    const estimate = draw("g", { class: "point estimate", role: "img", "aria-label": label });
    if (cell.interval) estimate.append(draw("line", { x1: x(cell.interval.lower), x2: x(cell.interval.upper), y1: y, y2: y }));
    estimate.append(draw("line", { x1: x(cell.estimate), x2: x(cell.estimate), y1: y - 5, y2: y + 5 }));
    const box = { x: x(cell.interval?.lower ?? cell.estimate) - 6, y: y - 7, height: 14, fill: "transparent", stroke: "none" };
    box.width = x(cell.interval?.upper ?? cell.estimate) + 6 - box.x;
    estimate.append(draw("rect", box));
    group.append(estimate);
  }
  return group;
}

const shortName = (name) => (name.length > 26 ? `${name.slice(0, 25)}…` : name);
