// How long single iterations of one scenario and side take: a histogram over a logarithmic axis per stack, with percentiles.
"use strict";

const PERCENTILES = ["latency.p50", "latency.p90", "latency.p99", "latency.p99.9"];
const LATENCY_ROW = 74;

/** Draws into the SVG and says how many stacks it shows. */
function drawLatencies(svg, { visible, scenario, side }) {
  const shown = distributions.filter(
    (d) => d.scenario === scenario && d.side === side && visible.has(d.stack) && d.iterations.bars.length > 0,
  );
  svg.replaceChildren();
  svg.setAttribute("height", 0);
  if (shown.length === 0) return 0;
  const width = Math.max(svg.parentElement.clientWidth, 280);
  const wide = width > 700;
  const [left, right] = [wide ? 190 : 8, width - 24];
  const row = wide ? LATENCY_ROW : LATENCY_ROW + 18;
  const height = shown.length * row + 46;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("height", height);
  svg.setAttribute("aria-label", `Single iterations of ${scenario}, ${side}: ${shown.map((d) => d.stack).join(", ")}`);
  const bars = shown.flatMap((d) => d.iterations.bars);
  const [from, to] = [Math.min(...bars.map((bar) => bar[0])), Math.max(...bars.map((bar) => bar[1]))];
  const x = (us) => left + ((right - left) * Math.log(us / from)) / Math.log(to / from);
  for (const tick of logTicks(from, to)) {
    svg.append(
      draw("line", { class: "grid-line", x1: x(tick), x2: x(tick), y1: 0, y2: shown.length * row }),
      draw("text", { x: x(tick), y: shown.length * row + 16, "text-anchor": "middle" }, significant(tick, 2)),
    );
  }
  svg.append(draw("text", { x: right, y: shown.length * row + 34, "text-anchor": "end" }, "µs, one iteration"));
  shown.forEach((distribution, at) => svg.append(latencyRow(distribution, x, at * row + (wide ? 0 : 18), wide)));
  return shown.length;
}

/** 1, 2 and 5 times the powers of ten between two numbers; fewer where they would be crowded. */
function logTicks(from, to) {
  const found = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.log10(to); power += 1) {
    found.push(...[1, 2, 5].map((factor) => factor * 10 ** power));
  }
  const within = found.filter((tick) => tick >= from && tick <= to);
  return within.length > 12 ? within.filter((tick) => Math.abs(Math.log10(tick) % 1) < 1e-9) : within;
}

function latencyRow({ stack, side, scenario, iterations }, x, top, wide) {
  const base = top + 50;
  const group = draw("g", { class: colourOf(stack) });
  const count = `${iterations.n.toLocaleString("en-GB")} iterations`;
  group.append(draw("text", { class: "name", x: 0, y: wide ? base - 16 : top - 2 }, wide ? shortName(stack) : stack));
  if (wide) group.append(draw("text", { x: 0, y: base }, count));
  // A bar's height is its count over its width on the axis, so that areas are shares; a square root keeps a tail visible.
  const density = ([from, to, n]) => Math.sqrt(n / Math.log(to / from));
  const most = Math.max(...iterations.bars.map(density));
  for (const bar of iterations.bars) {
    const tall = Math.max((40 * density(bar)) / most, 1);
    const box = { x: x(bar[0]), y: base - tall, width: Math.max(x(bar[1]) - x(bar[0]), 1), height: tall };
    const label = `${stack}, ${side}: ${bar[2].toLocaleString("en-GB")} of ${count}\n${significant(bar[0], 3)} to ${significant(bar[1], 3)} µs`;
    group.append(draw("rect", { class: "area point", role: "img", "aria-label": label, ...box }));
  }
  for (const metric of PERCENTILES) {
    const cell = cellOf(scenario, stack, side, metric);
    if (cell?.estimate === undefined) continue;
    const label = `${stack}, ${side}: ${metric.replace("latency.p", "")} % take no longer\n${described(cell)}`;
    const mark = draw("g", { class: "point estimate", role: "img", "aria-label": label });
    const at = x(cell.estimate);
    mark.append(draw("line", { x1: at, x2: at, y1: base + 3, y2: base + 13 }));
    mark.append(draw("rect", { x: at - 4, y: base + 1, width: 8, height: 14, fill: "transparent", stroke: "none" }));
    group.append(mark);
  }
  return group;
}
