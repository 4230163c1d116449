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
  const partsOf = (mix) => [[mix.key, 1 - mix.resumed], ['resumed', mix.resumed], [mix.sends ? 'send' : 'receive', mix.bytes / 16384]].filter(([, times]) => times > 0);
  const costOf = (candidate, work, mix) => candidate.costs.find((one) => one.work === work && one.side === mix.side && one.metric === mix.metric);
  function total(candidate, mix) {
    const sum = { value: 0, lower: 0, upper: 0, unit: '' };
    for (const [work, times] of partsOf(mix)) {
      const cost = costOf(candidate, work, mix);
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

  function answer(known, mix) {
    if (!known.length) return 'No stack has all the costs of this mix';
    const [first, second] = known;
    const total = shown(first.sum).value;
    if (!second) return `Only ${first.stack} has all costs: ${total} per connection`;
    const over = firstOver(first, second, mix);
    const alone = over.isOfOneRun ? '' : '; no run measured both in turns';
    if (over.upper >= 1 - over.floor) {
      return over.isOfOneRun
        ? `No significant difference between ${first.stack} and ${second.stack}: ${apart(over)}`
        : `${first.stack} and ${second.stack} are level: their bounds overlap${alone}`;
    }
    let next = `${bare(1 - over.ratio)} % less than the next one, ${second.stack}`;
    if (over.ratio <= 0.5) next = `the next one, ${second.stack}, costs ${significant(1 / over.ratio, 2)} times as much`;
    else if (over.isOfOneRun) next = `${bare(1 - over.ratio)} % less (${bounds(over)}) than the next one, ${second.stack}`;
    return `${first.stack} is cheapest: ${total} per connection, ${next}${alone}`;
  }
  const bare = (share) => (share === 0 ? '0' : significant(100 * share, 2)).replace('-', '−');
  const bounds = ({ lower, upper }) => `${bare(1 - upper)} to ${bare(1 - lower)} %`;
  const apart = (over) => `${bare(1 - over.ratio)} % (${bounds(over)})${over.lower <= 1 && over.upper >= 1 ? '' : ', which code layout alone can cause'}`;
  const turnedRound = ({ ratio, lower, upper, floor }) => ({ ratio: 1 / ratio, lower: 1 / upper, upper: 1 / lower, floor });

  // The cost of the first over that of another: the ratio of turns of one run, else that of the bounds.
  function firstOver(first, other, mix) {
    const ratio = ratioOfTotals(mix, first.at, other.at);
    if (ratio) return { ...ratio, isOfOneRun: true };
    const [one, two] = [first.sum, other.sum];
    const lower = (one.lower ?? one.value) / (two.upper ?? two.value);
    const upper = (one.upper ?? one.value) / (two.lower ?? two.value);
    return { ratio: one.value / two.value, lower, upper, floor: 0, isOfOneRun: false };
  }
  function pair(work, side, one, other) {
    const all = choice.pairs[work]?.[side] ?? {};
    const found = all[`${one},${other}`];
    return found ? ratioOf(found) : all[`${other},${one}`] && turnedRound(ratioOf(all[`${other},${one}`]));
  }
  const ratioOf = ([ratio, lower, upper, floor]) => ({ ratio, lower, upper, floor });
  // The mean of the ratios of the parts, weighted by what each costs the other; its bounds at the ends of the ratios and of the weights.
  function ratioOfTotals(mix, one, other) {
    const parts = [];
    for (const [work, times] of partsOf(mix)) {
      const ratio = pair(work, mix.side, one, other);
      const cost = costOf(choice.candidates[other], work, mix)?.figure;
      if (!ratio || !cost) return undefined;
      parts.push({ ratio, best: times * cost.value, ends: [times * (cost.lower ?? cost.value), times * (cost.upper ?? cost.value)] });
    }
    if (!parts.length) return undefined;
    const mean = (name, weight) => {
      const sum = (of) => parts.reduce((all, part, at) => all + of(part, at), 0);
      return sum((part, at) => weight(part, at) * part.ratio[name]) / sum(weight);
    };
    const corners = [...Array(2 ** parts.length).keys()].map((choices) => (part, at) => part.ends[(choices >> at) & 1]);
    const best = (part) => part.best;
    return {
      ratio: mean('ratio', best), floor: mean('floor', best),
      lower: Math.min(...corners.map((weight) => mean('lower', weight))), upper: Math.max(...corners.map((weight) => mean('upper', weight))),
    };
  }
  function more(over) {
    const { ratio, lower, upper } = turnedRound(over);
    const [text, low, high] = ratio >= 2
      ? [`${significant(ratio, 2)} times`, significant(lower, 2), significant(upper, 2)]
      : [`${ratio < 1 ? '' : '+'}${bare(ratio - 1)} %`, bare(lower - 1), bare(upper - 1)];
    return over.isOfOneRun ? `${text} [${low}, ${high}]` : text;
  }

  function show() {
    const mix = read();
    const all = choice.candidates.map((candidate, at) => ({ at, stack: `${candidate.stack} ${candidate.label}`.trimEnd(), sum: total(candidate, mix) }));
    const known = all.filter(({ sum }) => !sum.missing).sort((one, other) => one.sum.value - other.sum.value);
    const missing = all.filter(({ sum }) => sum.missing);
    const longest = Math.max(...known.map(({ sum }) => sum.upper ?? sum.value));
    document.querySelector('#answer h1').textContent = answer(known, mix);
    const profile = choice.mixes.find((one) => one.name === form.elements.mix.value);
    document.querySelector('#answer p').textContent = profile ? `${profile.title}: ${profile.assumes}` : 'Your own mix';
    document.querySelector('#ranking tbody').replaceChildren(...known.map(({ stack, sum, at }) => {
      const { value, bounds } = shown(sum);
      const cell = (label, text) => { const made = element('td', { className: 'n', textContent: text }); made.dataset.label = label; return made; };
      const over = stack === known[0].stack ? '–' : more(firstOver(known[0], { sum, at }, mix));
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
