// Ties plot, list and tables of a page of histories to the address: series, axis, values, window, filter, order.
'use strict';
(() => {
  const [view, pick] = [document.getElementById('view'), document.getElementById('pick')];
  const readout = document.getElementById('readout');
  const spoken = document.getElementById('spoken');
  const values = document.getElementById('values-of');
  // More lines than this cannot be told apart.
  const MOST = 12;
  const SEPARATOR = ';';

  function chosen() {
    const named = State.read().get('series');
    if (named === 'none') return [];
    const known = (named ?? '').split(SEPARATOR).map((id) => Series.byId.get(id)).filter(Boolean);
    return (known.length ? known : Series.first()).slice(0, MOST);
  }

  function toggle(one, isChosen) {
    const others = chosen().filter((other) => other !== one);
    const all = isChosen ? [...others, one].slice(-MOST) : others;
    State.write({ series: all.map((other) => other.id).join(SEPARATOR) || 'none' });
    draw();
  }

  function wanted() {
    const state = State.read();
    return {
      isTime: state.get('x') === 'time',
      isRelative: state.get('y') === 'relative',
      isLog: state.get('log') === '1',
      from: state.get('from'),
      to: state.get('to'),
    };
  }

  function list() {
    const keys = new Map(Plot.drawn.map((of) => [of.one.id, of.key]));
    List.show({ find: pick.elements.find.value, sort: pick.elements.sort.value, keys, toggle });
  }

  function draw() {
    const state = wanted();
    view.elements.x.value = state.isTime ? 'time' : 'version';
    view.elements.y.value = state.isRelative ? 'relative' : 'absolute';
    view.elements.log.checked = state.isLog;
    Plot.draw(chosen(), state);
    readout.replaceChildren();
    list();
    tables();
  }

  const link = (text, href) => (href ? element('a', { href, textContent: text }) : text);

  // What happened at a point, in words.
  function events(one, at) {
    const words = [];
    for (const step of one.steps.filter((step) => step.at === at)) {
      words.push(`step ${Series.words(step)}${step.why ? `: ${step.why}` : ''}`);
    }
    if (one.notes[at]) words.push(`note: ${one.notes[at]}`);
    const epoch = one.epochs.find(([place]) => place === at);
    if (epoch) words.push(`another environment: ${Series.epochs[epoch[1]]}`);
    return words.join('; ');
  }

  function value(one, at) {
    const bounds = one.lower?.[at] != null && one.upper?.[at] != null && one.lower[at] !== one.upper[at];
    return `${Series.show(one.values[at])}${one.unit ? ` ${one.unit}` : ''}${bounds ? ` [${Series.show(one.lower[at])}, ${Series.show(one.upper[at])}]` : ''}`;
  }

  let pending = 0;
  Plot.onMove = (index, isByKey = false) => {
    if (index === null || index === undefined) return;
    const points = Plot.under(index);
    readout.replaceChildren(element('ul', {}, ...points.map(({ one, point, key }) => {
      const change = point > 0 && one.values[0] > 0 ? `, ${Series.change(one.values[point] / one.values[0])} since the first` : '';
      const what = events(one, point);
      return element('li', {},
        element('span', { className: `key ${key}${one.side === 'server' ? ' dashed' : ''}` }),
        link(one.labels[point], one.runs[point].href), ' ',
        element('b', { textContent: value(one, point) }), change,
        element('span', { className: 'under', textContent: [one.title, one.under, what].filter(Boolean).join(' · ') }));
    })));
    clearTimeout(pending);
    const text = points.map(({ one, point }) => [one.labels[point], one.side, value(one, point), events(one, point)].filter(Boolean).join(', ')).join('. ');
    // A moving pointer would speak without end.
    pending = setTimeout(() => { spoken.textContent = text; }, isByKey ? 0 : 600);
  };

  const cell = (...children) => element('td', {}, ...children);

  function table({ one }) {
    const rows = one.values.map((_, at) => {
      const run = one.runs[at];
      return [run.started, element('tr', {},
        element('th', { scope: 'row' }, link(one.labels[at], run.href)),
        element('td', { className: 'n', textContent: value(one, at) }),
        cell(run.started.slice(0, 16).replace('T', ' ')),
        element('td', { className: 'full', textContent: events(one, at) }))];
    });
    for (const hole of one.holes) {
      rows.push([hole.run[1], element('tr', {}, element('th', { scope: 'row' }, link(hole.label, hole.run[2])), element('td', { className: 'hole', textContent: hole.why }), cell(hole.run[1].slice(0, 16).replace('T', ' ')), cell())]);
    }
    rows.sort((a, b) => b[0].localeCompare(a[0]));
    const head = ['version', 'value', 'measured', 'steps, notes, environment'].map((text, at) => element('th', { scope: 'col', textContent: text, className: at === 1 ? 'n' : '' }));
    const name = `${one.title}, ${one.under}`;
    const scroll = element('div', { className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: name },
      element('table', { className: 'cells values' }, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows.map(([, row]) => row))));
    return element('details', { className: 'fold' }, element('summary', { textContent: `${name}: ${one.values.length} values${one.holes.length ? `, ${one.holes.length} missing` : ''}` }), scroll);
  }

  function tables() {
    values.replaceChildren(...Plot.drawn.map(table));
  }

  function filterSteps() {
    const words = pick.elements.find.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of document.querySelectorAll('table.steps tbody tr')) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  }

  view.addEventListener('change', () => {
    const { x, y, log } = view.elements;
    const isOtherAxis = (x.value === 'time') !== wanted().isTime;
    State.write({ x: x.value === 'time' ? 'time' : '', y: y.value === 'relative' ? 'relative' : '', log: log.checked ? '1' : '' });
    if (isOtherAxis) State.write({ from: '', to: '' });
    draw();
  });
  pick.addEventListener('input', () => {
    State.write({ find: pick.elements.find.value, sort: pick.elements.sort.value === 'latest' ? '' : pick.elements.sort.value });
    list();
    filterSteps();
  });
  for (const form of [view, pick]) form.addEventListener('submit', (event) => event.preventDefault());
  addEventListener('hashchange', restore);
  document.addEventListener('theme', draw);

  function restore() {
    const state = State.read();
    pick.elements.find.value = state.get('find') ?? '';
    pick.elements.sort.value = ['largest', 'name'].includes(state.get('sort')) ? state.get('sort') : 'latest';
    draw();
    filterSteps();
  }
  restore();
})();
