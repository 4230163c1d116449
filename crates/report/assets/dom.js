"use strict";
// Data of the page and the few ways in which it is changed. No text from the data is ever read as markup.

const results = JSON.parse(document.getElementById("results-data").textContent);
const distributions = JSON.parse(document.getElementById("distributions-data").textContent);

/** An element with attributes, listeners (`onclick`) and children; strings become text. */
function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same within an SVG. */
function draw(name, attributes = {}, ...children) {
  const svg = document.getElementById("distribution-svg").namespaceURI;
  return fill(document.createElementNS(svg, name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const cellKey = (scenario, stack, side, metric) => [scenario, stack, side, metric].join("\n");
const cellsByKey = new Map(
  results.cells.map((cell) => [cellKey(cell.scenario, cell.stack, cell.side, cell.metric), cell]),
);
const cellOf = (scenario, stack, side, metric) => cellsByKey.get(cellKey(scenario, stack, side, metric));
const colourOf = (stack) => "s" + (results.stacks.findIndex((other) => other.name === stack) % 8);

/** Decimals with which a positive number shows so many significant digits. */
function decimals(number, digits) {
  const magnitude = Math.floor(Math.log10(number));
  const carried = Math.round(number / 10 ** (magnitude + 1 - digits)) >= 10 ** digits;
  return digits - 1 - magnitude - (carried ? 1 : 0);
}

function rounded(value, places) {
  const scale = 10 ** -places;
  const shown = places < 0 ? Math.round(value / scale) * scale : value;
  const fixed = Math.min(Math.max(places, 0), 9);
  return shown.toLocaleString("en-GB", { minimumFractionDigits: fixed, maximumFractionDigits: fixed });
}

const significant = (value, digits) => (value === 0 ? "0" : rounded(value, decimals(Math.abs(value), digits)));

/** An estimate as the tables write it: the interval decides how many digits stand. */
function written({ estimate, interval }) {
  if (!interval) return significant(estimate, 3);
  const distance = Math.max(interval.upper - estimate, estimate - interval.lower);
  if (!(distance > 0)) return significant(estimate, 4) + " ± 0";
  const places = decimals(distance, 2);
  return `${rounded(estimate, places)} ± ${rounded(distance, places)}`;
}

/** What a reader learns who points at a cell. */
function told(cell) {
  if (cell.unsupported !== undefined) return `unsupported: ${cell.unsupported}`;
  if (cell.failed !== undefined) return `failed: ${cell.failed}`;
  const lines = [`${written(cell)} ${cell.unit}`];
  if (cell.interval) {
    const { lower, upper, confidence } = cell.interval;
    const places = decimals(Math.max((upper - lower) / 2, 1e-9), 2);
    lines.push(`${rounded(lower, places)} to ${rounded(upper, places)} at ${significant(100 * confidence, 4)} %`);
  } else if (cell.no_interval) {
    lines.push(cell.no_interval);
  }
  if (cell.ratio) lines.push(`${written(cell.ratio)} × ${cell.ratio.baseline}`);
  else if (cell.no_ratio) lines.push(cell.no_ratio);
  lines.push(cell.n === 1 ? "1 visit" : `${cell.n} visits`);
  return lines.join("\n");
}
