// The list of series: sparklines, the last step of each, filter and order.
'use strict';
const List = (() => {
  const list = document.getElementById('series-list');
  const remark = document.getElementById('list-remark');
  const SVG = 'http://www.w3.org/2000/svg';

  // Levels as steps would hide scatter; a line through all points shows both.
  function spark(one) {
    const svg = document.createElementNS(SVG, 'svg');
    svg.setAttribute('class', 'spark');
    svg.setAttribute('viewBox', '0 0 100 20');
    svg.setAttribute('preserveAspectRatio', 'none');
    svg.setAttribute('aria-hidden', 'true');
    let [low, high] = [Infinity, -Infinity];
    for (const value of one.values) [low, high] = [Math.min(low, value), Math.max(high, value)];
    // A flat series is a flat line: less than 2 % does not fill the height.
    const span = Math.max(high - low, Math.abs(high) * 0.02) || 1;
    const middle = (low + high) / 2;
    const last = Math.max(one.values.length - 1, 1);
    const points = one.values.map((value, at) => `${((at / last) * 100).toFixed(1)},${(10 - ((value - middle) / span) * 17).toFixed(1)}`);
    const line = document.createElementNS(SVG, 'polyline');
    line.setAttribute('points', points.length === 1 ? `0,10 100,10` : points.join(' '));
    svg.append(line);
    return svg;
  }

  const orders = {
    latest: (a, b) => Series.later(a, b) || b.largest - a.largest || a.id.localeCompare(b.id),
    largest: (a, b) => b.largest - a.largest || a.id.localeCompare(b.id),
    name: (a, b) => a.id.localeCompare(b.id),
  };

  function row(one, toggle) {
    const box = element('input', { type: 'checkbox', id: `pick-${one.id}` });
    box.addEventListener('change', () => toggle(one, box.checked));
    const key = element('span', { className: 'key' });
    const label = element('label', { htmlFor: box.id }, key, element('b', { textContent: one.title }), element('span', { className: 'under', textContent: `${one.under}${one.unit && one.unit !== one.words ? `, ${one.unit}` : ''}` }));
    const last = element('span', { className: 'last' });
    if (one.last) {
      last.append(
        element('span', { className: `v ${one.last.kind}`, textContent: Series.words(one.last) }),
        element('span', { className: 'under', textContent: one.labels[one.last.at] }),
      );
    } else {
      last.append(element('span', { className: 'soft', textContent: one.no_history || one.too_few ? 'too few points' : 'no step' }));
    }
    const item = element('li', {}, box, label, spark(one), last);
    return { one, item, box, key };
  }

  let rows = null;

  // Shows what matches, in the asked order; chosen ones keep their marks.
  function show({ find, sort, keys, toggle }) {
    rows ??= Series.all.map((one) => row(one, toggle));
    const words = find.toLowerCase().split(/\s+/).filter(Boolean);
    const seen = rows.filter(({ one }) => words.every((word) => one.searched.includes(word)));
    seen.sort((a, b) => orders[sort](a.one, b.one));
    for (const { one, box, key } of rows) {
      box.checked = keys.has(one.id);
      key.className = box.checked ? `key ${keys.get(one.id)}${one.side === 'server' ? ' dashed' : ''}` : 'key unused';
    }
    // A list that is put together again loses the focus.
    const isOther = seen.length !== list.childElementCount || seen.some(({ item }, at) => list.children[at] !== item);
    if (isOther) list.replaceChildren(...seen.map(({ item }) => item));
    remark.textContent = `${seen.length} of ${rows.length} series, ${keys.size} chosen`;
  }

  return { show };
})();
