// Bars with intervals: every scenario and stack on each side, and the phases of one scenario.

const titles = { handshake: "Full handshake", transfer: "Application data" };
const sides = ["client", "server"];

/** What the bars of a scenario show. */
function metricOf(scenario, quantity) {
  if (quantity === "time") return "time";
  return scenario.family === "handshake" ? "rate" : "throughput";
}

const reach = (cell) => (cell.interval ? Math.max(cell.interval.upper, cell.estimate) : (cell.estimate ?? 0));

/** One stack on one side; `longest` is the value that fills the track. */
function bar(cell, longest) {
  const percent = (value) => `${((100 * value) / longest).toFixed(3)}%`;
  const label = `${cell.stack}, ${cell.side}, ${cell.scenario}\n${told(cell)}`;
  const name = make("span", { class: "bar-name" }, cell.stack);
  const attributes = { class: `bar mark ${colourOf(cell.stack)}`, role: "img", "aria-label": label };
  if (cell.estimate === undefined) {
    const reason = cell.unsupported === undefined ? "failed" : "unsupported";
    return make("div", attributes, name, make("span", { class: "reason" }, reason));
  }
  const track = make("span", { class: "track" }, make("i", { class: "fill", style: `width:${percent(cell.estimate)}` }));
  if (cell.interval) {
    const { lower, upper } = cell.interval;
    track.append(make("i", { class: "whisker", style: `left:${percent(lower)};width:${percent(upper - lower)}` }));
  }
  return make("div", attributes, name, track, make("span", { class: "bar-figure" }, written(cell)));
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
    const longestOfAll = Math.max(...all.map(reach), Number.MIN_VALUE);
    const groups = scenarios.map((scenario) => {
      const own = sides.flatMap((side) => cells(scenario, side)).map(reach);
      const longest = scale === "shared" ? longestOfAll : Math.max(...own, Number.MIN_VALUE);
      const columns = sides.map((side) => {
        const does = scenario.work.sender === undefined ? "" : scenario.work.sender === side ? ", sends" : ", receives";
        const bars = cells(scenario, side).map((cell) => bar(cell, longest));
        return make("div", {}, make("p", { class: "side-name" }, side + does), ...bars);
      });
      return make("div", { class: "bar-group" }, make("h4", {}, scenario.name), make("div", { class: "sides" }, ...columns));
    });
    if (groups.length === 0) return "";
    const unit = all[0]?.unit ?? "";
    return make("div", { class: "bar-family" }, make("h3", {}, `${titles[family]}, ${unit}`), ...groups);
  });
  return families.filter(Boolean);
}

const phases = ["create", "handshake", "post_handshake", "free", "send", "receive"];

/** Where a scenario's time goes, per side and stack. */
function phasesOf({ visible, scenario }) {
  const rows = sides.flatMap((side) =>
    results.stacks
      .filter((stack) => visible.has(stack.name))
      .map((stack) => ({
        side,
        stack: stack.name,
        total: cellOf(scenario, stack.name, side, "time"),
        parts: phases
          .map((phase, at) => ({ phase, at, cell: cellOf(scenario, stack.name, side, `time.${phase}`) }))
          .filter(({ cell }) => cell?.estimate !== undefined),
      })),
  );
  const longest = Math.max(...rows.map(({ total }) => total?.estimate ?? 0), Number.MIN_VALUE);
  const met = phases.map((phase, at) => ({ phase, at })).filter(({ at }) => rows.some(({ parts }) => parts.some((part) => part.at === at)));
  const legend = met.map(({ phase, at }) => make("li", {}, make("span", { class: `dot p${at}` }), phase.replace("_", "-")));
  const drawn = sides.map((side) => {
    const bars = rows.filter((row) => row.side === side).map(({ stack, total, parts }) => {
      const name = make("span", { class: "bar-name" }, stack);
      if (total?.estimate === undefined) {
        const label = `${stack}, ${side}\n${total ? told(total) : "no cell"}`;
        const kind = total?.unsupported === undefined ? "failed" : "unsupported";
        return make("div", { class: "bar mark", role: "img", "aria-label": label }, name, make("span", { class: "reason" }, kind));
      }
      const segments = parts.map(({ phase, at, cell }) => {
        const share = significant((100 * cell.estimate) / total.estimate, 3);
        const label = `${stack}, ${side}: ${phase.replace("_", "-")}, ${share} % of the time\n${told(cell)}`;
        const style = `width:${((100 * cell.estimate) / longest).toFixed(3)}%`;
        return make("i", { class: `mark p${at}`, style, role: "img", "aria-label": label });
      });
      const figure = make("span", { class: "bar-figure" }, `${written(total)} µs`);
      return make("div", { class: "bar" }, name, make("span", { class: "track stack" }, ...segments), figure);
    });
    return make("div", {}, make("p", { class: "side-name" }, side), ...bars);
  });
  return [make("ul", { class: "legend" }, ...legend), make("div", { class: "sides" }, ...drawn)];
}
