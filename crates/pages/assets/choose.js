// The ranking for the reader's own mix: the same sum as the page has for its first mix.
'use strict';
(() => {
  const choice = pageData('choice');
  const form = document.getElementById('mix');
  if (!form) return;
  const names = ['mix', 'side', 'key', 'resumed', 'kib', 'sends'];
  const links = new Map([...document.querySelectorAll('#ranking a, #missing a')].map((a) => [a.textContent, a.href]));
  const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
  // Four significant digits, and no fewer than the whole number has.
  const significant = (value, digits) => new Intl.NumberFormat('en', { minimumSignificantDigits: digits, maximumSignificantDigits: digits }).format(value);
  const digits = (value) => (Math.abs(value) >= 1e3 ? whole.format(value) : significant(value, 4));

  function figure(value, unit) {
    const scales = { ns: [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs']], µs: [[1e6, 's'], [1e3, 'ms']] };
    const [factor, name] = (scales[unit] ?? []).find(([least]) => Math.abs(value) >= least) ?? [1, unit];
    return { factor, name };
  }
  function shown(total) {
    const { factor, name } = figure(total.value, total.unit);
    const text = (number) => digits(number / factor);
    const bounds = total.lower === null || total.upper === null ? '' : `[${text(total.lower)}, ${text(total.upper)}]`;
    return { value: `${text(total.value)} ${name}`, bounds: total.lower === total.upper ? 'exact' : bounds };
  }
  function total(candidate, mix) {
    const parts = [[mix.key, 1 - mix.resumed], ['resumed', mix.resumed], [mix.sends ? 'send' : 'receive', mix.bytes / 16384]];
    const sum = { value: 0, lower: 0, upper: 0, unit: '' };
    for (const [work, times] of parts) {
      if (!(times > 0)) continue;
      const cost = candidate.costs.find((one) => one.work === work && one.side === mix.side && one.metric === mix.metric);
      if (!cost?.figure) return { missing: `${work}: ${cost ? cost.hole : 'not measured'}` };
      const add = (name) => (sum[name] === null || cost.figure[name] === null ? null : sum[name] + times * cost.figure[name]);
      [sum.value, sum.lower, sum.upper] = [add('value'), add('lower'), add('upper')];
      sum.unit = cost.figure.unit;
    }
    return sum;
  }

  function fill(mix) {
    const values = { mix: mix.name, side: mix.side, key: mix.key, resumed: Math.round(mix.resumed * 100), kib: mix.bytes / 1024, sends: mix.sends ? 'yes' : 'no' };
    for (const name of names) form.elements[name].value = values[name];
  }
  function read() {
    const number = (name) => Math.max(0, Number(form.elements[name].value) || 0);
    return {
      side: form.elements.side.value, key: form.elements.key.value, metric: 'time',
      resumed: Math.min(1, number('resumed') / 100), bytes: number('kib') * 1024, sends: form.elements.sends.value === 'yes',
    };
  }

  function name(stack) {
    const href = links.get(stack);
    return href ? element('a', { href, textContent: stack }) : stack;
  }
  function bar(sum, longest) {
    const make = (kind, attributes) => {
      const made = document.createElementNS('http://www.w3.org/2000/svg', kind);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      return made;
    };
    const place = (value) => `${(100 * value) / longest}%`;
    const svg = make('svg', { class: 'mark', height: 22, 'aria-hidden': 'true' });
    svg.append(make('rect', { class: 'fill', x: 0, y: 5, height: 12, rx: 1, width: place(sum.value) }));
    if (sum.lower !== null && sum.upper !== null) svg.append(make('line', { class: 'whisker', x1: place(sum.lower), x2: place(sum.upper), y1: 11, y2: 11 }));
    return svg;
  }

  function answer(known) {
    if (!known.length) return 'No stack has all the costs of this mix';
    const [first, second] = known;
    const total = shown(first.sum).value;
    if (!second) return `Only ${first.stack} has all costs: ${total} per connection`;
    const over = firstOver(first, second);
    if (!over.isClear) return `${first.stack} and ${second.stack} are level: their bounds overlap`;
    const next = over.ratio <= 0.5
      ? `the next one, ${second.stack}, costs ${significant(1 / over.ratio, 2)} times as much`
      : `${significant(100 * (1 - over.ratio), 2)} % less than the next one, ${second.stack}`;
    return `${first.stack} is cheapest: ${total} per connection, ${next}`;
  }
  // The cost of the first over that of another.
  function firstOver(first, other) {
    const upper = (first.sum.upper ?? first.sum.value) / (other.sum.lower ?? other.sum.value);
    return { ratio: first.sum.value / other.sum.value, isClear: upper < 1 };
  }
  function more({ ratio }) {
    const times = 1 / ratio;
    if (times >= 2) return `${significant(times, 2)} times`;
    return `${times < 1 ? '−' : '+'}${times === 1 ? 0 : significant(100 * Math.abs(times - 1), 2)} %`;
  }

  function show() {
    const mix = read();
    const all = choice.candidates.map((candidate) => ({ stack: `${candidate.stack} ${candidate.label}`.trimEnd(), sum: total(candidate, mix) }));
    const known = all.filter(({ sum }) => !sum.missing).sort((one, other) => one.sum.value - other.sum.value);
    const missing = all.filter(({ sum }) => sum.missing);
    const longest = Math.max(...known.map(({ sum }) => sum.upper ?? sum.value));
    document.querySelector('#answer h1').textContent = answer(known);
    const profile = choice.mixes.find((one) => one.name === form.elements.mix.value);
    document.querySelector('#answer p').textContent = profile ? `${profile.title}: ${profile.assumes}` : 'Your own mix';
    document.querySelector('#ranking tbody').replaceChildren(...known.map(({ stack, sum }) => {
      const { value, bounds } = shown(sum);
      const cell = (label, text) => { const made = element('td', { className: 'n', textContent: text }); made.dataset.label = label; return made; };
      const over = stack === known[0].stack ? '–' : more(firstOver(known[0], { sum }));
      return element('tr', {}, element('th', { scope: 'row' }, name(stack)), cell('Per connection', value), cell('Bounds', bounds), cell('Over the first', over), element('td', { className: 'full' }, bar(sum, longest)));
    }));
    const none = element('li', { className: 'soft', textContent: 'Every stack has all costs of this mix.' });
    document.getElementById('missing').replaceChildren(...(missing.length ? missing.map(({ stack, sum }) => element('li', {}, name(stack), `: ${sum.missing}`)) : [none]));
  }

  if (!choice.mixes.length) return;
  fill(choice.mixes.find((one) => one.name === form.dataset.mix));
  const state = State.read();
  const named = choice.mixes.find((one) => one.name === state.get('mix'));
  if (named) fill(named);
  for (const field of names) if (state.has(field)) form.elements[field].value = state.get(field);
  form.addEventListener('input', (event) => {
    if (event.target.name === 'mix') {
      const profile = choice.mixes.find((one) => one.name === event.target.value);
      if (profile) fill(profile);
      State.write(Object.fromEntries(names.map((field) => [field, field === 'mix' ? event.target.value : ''])));
    } else {
      form.elements.mix.value = 'own';
      State.write(Object.fromEntries(names.map((field) => [field, form.elements[field].value])));
    }
    show();
  });
  show();
})();
