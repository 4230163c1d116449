// Bars with intervals: every scenario and stack on each side. Where one would flatten the rest, they start at 1× of the least.
"use strict";

const titles = {
  handshake: "Full handshake", resumption: "Resumed handshake", contexts: "Handshake with fresh contexts", cold: "First handshake of a process",
  transfer: "Application data", exchange: "Application data both ways", sockets: "Handshake over loopback TCP",
  "socket-transfer": "Application data over loopback TCP", primitive: "Primitives",
};
const sides = ["client", "server"];

/** What the bars of a scenario show. */
function metricOf(scenario, quantity) {
  if (quantity === "time") return "time";
  return ["transfer", "exchange", "socket-transfer"].includes(scenario.family) ? "throughput" : "rate";
}

const reach = (cell) => (cell.interval ? Math.max(cell.interval.upper, cell.estimate) : (cell.estimate ?? 0));

/** Two values farther apart are drawn on a logarithmic axis. */
const FAR = 10;

/** Places of values in percent of the track. */
function trackOf(cells) {
  const values = cells.map((cell) => cell.estimate).filter((value) => value > 0);
  const [least, longest] = [Math.min(...values), Math.max(...cells.map(reach), Number.MIN_VALUE)];
  const isLogarithmic = longest / least > FAR;
  const at = (value) => (isLogarithmic ? (100 * Math.log(Math.max(value, least) / least)) / Math.log(longest / least) : (100 * value) / longest);
  return { isLogarithmic, least, longest, at };
}

/** One stack on one side. */
function bar(cell, track) {
  const percent = (value) => `${track.at(value).toFixed(3)}%`;
  const label = `${cell.stack}, ${cell.side}, ${cell.scenario}\n${described(cell)}`;
  const name = make("span", { class: "bar-name" }, cell.stack);
  const attributes = { class: `bar point ${colourOf(cell.stack)}`, role: "img", "aria-label": label };
  if (cell.estimate === undefined) {
    const reason = cell.unsupported === undefined ? "failed" : "unsupported";
    return make("div", attributes, name, make("span", { class: "reason" }, reason));
  }
  const drawn = draw("svg", { "aria-hidden": "true" });
  drawn.append(draw("rect", { class: "fill", x: 0, width: `${Math.max(track.at(cell.estimate), 0.5).toFixed(3)}%`, y: 3, height: 10, rx: 1 }));
  if (cell.interval) {
    const [lower, upper] = [percent(cell.interval.lower), percent(cell.interval.upper)];
    for (const [x1, x2, y1, y2] of [[lower, upper, 8, 8], [lower, lower, 4, 12], [upper, upper, 4, 12]]) {
      drawn.append(draw("line", { class: "whisker", x1, x2, y1, y2 }));
    }
  }
  return make("div", attributes, name, drawn, make("span", { class: "bar-figure" }, written(cell)));
}

/** Every scenario, grouped by family. */
function barsOf({ visible, quantity, scale }) {
  const families = Object.keys(titles).map((family) => {
    const scenarios = results.scenarios.filter((scenario) => scenario.family === family);
    const cells = (scenario, side) =>
      results.stacks
        .filter((stack) => visible.has(stack.name))
        .map((stack) => cellOf(scenario.name, stack.name, side, metricOf(scenario, quantity)))
        .filter(Boolean);
    const all = scenarios.flatMap((scenario) => sides.flatMap((side) => cells(scenario, side)));
    const unit = all[0]?.unit ?? "";
    const trackOfAll = trackOf(all);
    const groups = scenarios.map((scenario) => {
      const track = scale === "shared" ? trackOfAll : trackOf(sides.flatMap((side) => cells(scenario, side)));
      const columns = sides.map((side) => {
        const does = scenario.work.sender === undefined ? "" : scenario.work.sender === side ? ", sends" : ", receives";
        const bars = cells(scenario, side).map((cell) => bar(cell, track));
        return make("div", {}, make("p", { class: "side-name" }, side + does), ...bars);
      });
      const axis = track.isLogarithmic ? `, logarithmic from ${significant(track.least, 3)} to ${significant(track.longest, 3)} ${unit}` : "";
      return make("div", { class: "bar-group" }, make("h4", {}, scenario.name + axis), make("div", { class: "both-sides" }, ...columns));
    });
    if (groups.length === 0) return "";
    return make("div", { class: "bar-family" }, make("h3", {}, `${titles[family]}, ${unit}`), ...groups);
  });
  return families.filter(Boolean);
}

