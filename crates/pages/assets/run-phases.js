// The phases of one scenario, per side and stack.
"use strict";

const phases = ["create", "handshake", "post_handshake", "send", "receive", "close", "free"];

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
  const legend = met.map(({ phase, at }) => make("li", {}, make("span", { class: `dot phase-${at}` }), phase.replace("_", "-")));
  const drawn = sides.map((side) => {
    const bars = rows.filter((row) => row.side === side).map(({ stack, total, parts }) => {
      const name = make("span", { class: "bar-name" }, stack);
      if (total?.estimate === undefined) {
        const label = `${stack}, ${side}\n${total ? described(total) : "no cell"}`;
        const kind = total?.unsupported === undefined ? "failed" : "unsupported";
        return make("div", { class: "bar point", role: "img", "aria-label": label }, name, make("span", { class: "reason" }, kind));
      }
      let from = 0;
      const segments = parts.map(({ phase, at, cell }) => {
        const share = significant((100 * cell.estimate) / total.estimate, 3);
        const label = `${stack}, ${side}: ${phase.replace("_", "-")}, ${share} % of the time\n${described(cell)}`;
        const [x, width] = [from, (100 * cell.estimate) / longest];
        from += width;
        return draw("rect", { class: `segment point phase-${at}`, role: "img", "aria-label": label, x: `${x.toFixed(3)}%`, width: `${width.toFixed(3)}%`, height: 16 });
      });
      const figure = make("span", { class: "bar-figure" }, `${written(total)} µs`);
      return make("div", { class: "bar" }, name, draw("svg", { role: "group", "aria-label": `Phases of ${stack}, ${side}` }, ...segments), figure);
    });
    return make("div", {}, make("p", { class: "side-name" }, side), ...bars);
  });
  return [make("ul", { class: "legend" }, ...legend), make("div", { class: "both-sides" }, ...drawn)];
}
