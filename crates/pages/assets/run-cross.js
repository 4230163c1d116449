// The map of clients by servers: which time it shows, and in which order.
"use strict";

const mapSteps = 9;

for (const [place, table] of (results.cross ?? []).entries()) {
  const section = document.querySelectorAll(".cross-map")[place];
  const map = section.querySelector("table.heat");
  const head = map.querySelector("thead tr");
  const names = results.stacks.map((stack) => stack.name);
  const count = names.length;
  const pairOf = (client, server) => table.pairs[client * count + server];
  // The page's own fields, by client and server; they are moved, never made again.
  const lines = [...map.tBodies[0].rows];
  const titles = [...head.cells].slice(1);
  const fields = lines.map((line) => [...line.cells].slice(1));
  const timeOf = (pair, shown) => pair[`${shown}_us`]?.estimate;

  const middle = (values) => {
    const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
    return sorted.length ? sorted[sorted.length >> 1] : Infinity;
  };

  function show() {
    const shown = section.querySelector("input[name^=shown]:checked").value;
    const order = section.querySelector("input[name^=order]:checked").value;
    const times = table.pairs.map((pair) => timeOf(pair, shown)).filter((time) => time !== undefined).sort((a, b) => a - b);
    // As on the page without a script: the outermost 2 % share the end's colours.
    const at = (share) => times[Math.round(share * (times.length - 1))];
    const least = at(0.02), span = Math.log(at(0.98) / least);
    const within = (step) => Math.min(Math.max(step, 0), mapSteps - 1);
    const step = (time) => (span > 0 ? within(Math.floor((Math.log(time / least) / span) * mapSteps)) : 0);
    fields.forEach((line, client) => line.forEach((field, server) => {
      const time = timeOf(pairOf(client, server), shown);
      if (time === undefined) return;
      field.textContent = significant(time, 3);
      field.className = `point heat-${step(time)}`;
    }));
    const all = names.map((_, stack) => stack);
    const by = (value) => (order === "name"
      ? [...all].sort((a, b) => (names[a] < names[b] ? -1 : 1))
      : all.map((stack) => [value(stack), stack]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, stack]) => stack));
    const clients = by((client) => middle(all.map((server) => timeOf(pairOf(client, server), shown))));
    const servers = by((server) => middle(all.map((client) => timeOf(pairOf(client, server), shown))));
    head.append(...servers.map((server) => titles[server]));
    for (const client of clients) lines[client].append(...servers.map((server) => fields[client][server]));
    map.tBodies[0].append(...clients.map((client) => lines[client]));
    const legend = section.querySelectorAll(".heat-legend .from");
    if (times.length) legend.forEach((from, step) => { from.textContent = significant(least * Math.exp((span * step) / mapSteps), 3); });
    walkable(map);
  }
  for (const input of section.querySelectorAll("input[type=radio]")) input.addEventListener("change", show);
  show();
}
