// The results of the run, and the few ways in which the page is changed. No text from the data is ever read as markup.
"use strict";

const results = pageData("results-data");
const distributions = pageData("distributions-data");

/** An element with attributes, listeners (`onclick`) and children; strings become text. */
function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same within an SVG. */
function draw(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
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
const colourOf = (stack) => "stack-" + (results.stacks.findIndex((other) => other.name === stack) % 8);

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

/** Intervals are written as ± unless the longer side is more than this many times the shorter one. */
const LOPSIDED = 1.6;

/** An estimate and its interval as the tables write them: the interval decides how many digits stand. */
function figureOf({ estimate, interval }) {
  if (!interval) return { value: significant(estimate, 3), range: "" };
  const [below, above] = [estimate - interval.lower, interval.upper - estimate];
  const distance = Math.max(below, above);
  if (!(distance > 0)) return { value: significant(estimate, 4), range: "± 0" };
  const places = decimals(distance, 2);
  const value = rounded(estimate, places).replace("-", "−");
  if (distance <= LOPSIDED * Math.max(Math.min(below, above), 1e-12)) return { value, range: `± ${rounded(distance, places)}` };
  const around = decimals((interval.upper - interval.lower) / 2, 2);
  const [low, high] = [interval.lower, interval.upper].map((bound) => rounded(bound, around).replace("-", "−"));
  return { value, range: `[${low}, ${high}]` };
}

/** A ratio of times in words, with its interval in the same unit. */
function relativeOf(ratio) {
  if (ratio.estimate >= 2) {
    const { value, range } = figureOf(ratio);
    return { amount: `${value}×`, range: range && `${range}×` };
  }
  const isLess = ratio.estimate < 1;
  const percent = (value) => 100 * (isLess ? 1 - value : value - 1);
  const bounds = ratio.interval && [percent(ratio.interval.lower), percent(ratio.interval.upper)];
  const interval = bounds && { lower: Math.min(...bounds), upper: Math.max(...bounds) };
  const { value, range } = figureOf({ estimate: percent(ratio.estimate), interval });
  return { amount: `${value} % ${isLess ? "less" : "more"}`, range: range && `${range} %` };
}

const written = (estimated) => Object.values(figureOf(estimated)).filter(Boolean).join(" ");

/** What a mark stands for. */
function described(cell) {
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
  if (cell.ratio) {
    const { amount, range } = relativeOf(cell.ratio);
    lines.push(`${amount}, relative to ${cell.ratio.baseline}${range && ` (${range})`}`);
  } else if (cell.no_ratio) {
    lines.push(cell.no_ratio);
  }
  lines.push(cell.n === 1 ? "1 visit" : `${cell.n} visits`);
  return lines.join("\n");
}
