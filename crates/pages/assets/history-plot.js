// The plot: uPlot draws lines and axes and handles the drag; zoom by keys, the readout and the window in the address are here.
'use strict';
const Plot = (() => {
  const host = document.getElementById('plot');
  const remark = document.getElementById('plot-remark');
  const HEIGHT = { narrow: 270, wide: 400 };
  let u = null;
  let drawn = [];
  let ticks = [];
  let view = null;
  let whole = [0, 1];
  let onMove = () => {};

  const colours = ['--stack-0', '--stack-1', '--stack-2', '--stack-3', '--stack-4', '--stack-5', '--stack-6', '--stack-7'];

  // Series of one cell share a colour: the client's is solid, the server's dashed.
  function prepared(chosen) {
    const groups = [...new Set(chosen.map((one) => one.group))];
    return chosen.map((one) => {
      const { places, sorted } = Series.places(one, view.isTime, ticks);
      const base = one.values.find((value) => value > 0) ?? 1;
      const y = view.isRelative ? (value) => (100 * value) / base : (value) => value;
      const place = groups.indexOf(one.group) % colours.length;
      return {
        one, sorted, y, base, x: places, at: new Map(places.map((x, at) => [x, at])),
        key: `stack-${place}`, colour: token(colours[place]), dash: one.side === 'server' ? [7, 5] : [],
      };
    });
  }

  function axis(values) {
    const line = { stroke: token('--line'), width: 1 };
    return { stroke: token('--soft'), font: '12px system-ui, sans-serif', grid: line, ticks: { ...line, size: 4 }, ...values };
  }

  const time = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
  const shown = (value) => {
    if (!view.isRelative) return Series.show(value);
    return Math.abs(value - 100) < 1e-9 ? '0 %' : `${value < 100 ? '−' : '+'}${Number(Math.abs(value - 100).toPrecision(4))} %`;
  };

  // Places on a logarithmic axis: powers of ten, or even steps where it has less than two of them.
  function ticked(_, __, low, high) {
    if (high / low > 20) {
      const first = Math.floor(Math.log10(low));
      return Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (___, at) => 10 ** (first + at)).filter((value) => value >= low && value <= high);
    }
    const raw = (high - low) / 5;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= raw);
    return Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (___, at) => (Math.ceil(low / step) + at) * step);
  }

  function axes() {
    const x = view.isTime
      ? axis({ size: 32, space: 110, values: (_, all) => all.map((value) => time(value).slice(0, 10)) })
      : axis({ size: 32, space: 70, incrs: [1, 2, 5, 10, 20, 50, 100, 200], values: (_, all) => all.map((value) => (Number.isInteger(value) ? ticks[value] ?? '' : '')) });
    const y = axis({ size: 74, ...(view.isLog ? { splits: ticked, filter: (_, all) => all } : {}), values: (_, all) => all.map((value) => (value === null ? '' : shown(value))) });
    return [x, y];
  }

  function room(self, low, high) {
    if (low === null) return [0, 1];
    if (view.isLog) return [low / 1.05, high * 1.05];
    const pad = Math.max((high - low) * 0.12, Math.abs(high) * 0.002);
    return [low - pad, high + pad];
  }

  function draw(chosen, wanted) {
    view = wanted;
    const units = new Set(chosen.map((one) => one.unit));
    const isForced = units.size > 1 && !view.isRelative;
    if (isForced) view = { ...view, isRelative: true };
    remark.textContent = isForced ? 'Series of different units are shown relative to their first values.' : '';
    ticks = Series.versions(chosen);
    drawn = prepared(chosen);
    const focus = u?.cursor.idx ?? null;
    u?.destroy();
    u = null;
    if (!drawn.length) {
      remark.textContent = 'Choose a series.';
      return;
    }
    const all = drawn.flatMap((of) => of.x);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const margin = view.isTime ? Math.max((high - low) * 0.02, 3600) : 0.5;
    whole = [low - margin, high + margin];
    const tables = drawn.map((of) => [of.sorted.map((at) => of.x[at]), of.sorted.map((at) => {
      const value = of.y(of.one.values[at]);
      return view.isLog && value <= 0 ? null : value;
    })]);
    u = new uPlot({
      width: host.clientWidth - 16,
      height: innerWidth < 640 ? HEIGHT.narrow : HEIGHT.wide,
      padding: [12, 16, 0, 0],
      legend: { show: false },
      scales: { x: { time: false, range: () => windowed() }, y: { distr: view.isLog ? 3 : 1, range: room } },
      cursor: { drag: { x: true, y: false, setScale: false }, y: false, points: { size: 8 }, bind: { dblclick: () => () => show(null) } },
      axes: axes(),
      series: [{}, ...drawn.map((of) => ({
        stroke: of.colour, width: 1.8, dash: of.dash, spanGaps: true,
        points: { show: of.x.length < 400, size: 5, stroke: of.colour, fill: of.colour },
      }))],
      hooks: {
        drawClear: [(self) => Paint.below(self, drawn)],
        draw: [(self) => Paint.above(self, drawn)],
        setCursor: [(self) => onMove(self.cursor.idx)],
        setSelect: [(self) => {
          if (self.select.width > 4) show([self.posToVal(self.select.left, 'x'), self.posToVal(self.select.left + self.select.width, 'x')]);
          self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        }],
      },
    }, uPlot.join(tables), host);
    if (focus !== null && document.activeElement === host) move(0);
  }

  // The window on the axis: between two versions, or two moments.
  function windowed() {
    const { from, to } = view;
    if (view.isTime) {
      const [start, end] = [from, to].map((text) => (text ? Date.parse(`${text.replace(' ', 'T')}Z`) / 1000 : NaN));
      return start < end ? [start, end] : whole;
    }
    const [first, last] = [ticks.indexOf(from), ticks.indexOf(to)];
    return first >= 0 && last >= first ? [first - 0.5, last + 0.5] : whole;
  }

  // Shows a window and writes it into the address; `null` is everything.
  function show(range) {
    if (!u) return;
    let [from, to] = range ?? whole;
    [from, to] = [Math.max(from, whole[0]), Math.min(to, whole[1])];
    const isAll = !range || (from <= whole[0] && to >= whole[1]) || to <= from;
    let names = ['', ''];
    if (!isAll && view.isTime) names = [time(from), time(Math.max(to, from + 120))];
    if (!isAll && !view.isTime) {
      const first = Math.min(Math.max(Math.round(from + 0.5), 0), ticks.length - 1);
      names = [ticks[first], ticks[Math.min(Math.max(Math.round(to - 0.5), first), ticks.length - 1)]];
    }
    view = { ...view, from: names[0], to: names[1] };
    State.write({ from: names[0], to: names[1] });
    u.setScale('x', { min: 0, max: 1 });
  }

  const zooms = {
    in: (low, high, at) => [at - (at - low) / 2, at + (high - at) / 2],
    out: (low, high, at) => [at - (at - low) * 2, at + (high - at) * 2],
    left: (low, high) => shifted(low, high, -1),
    right: (low, high) => shifted(low, high, 1),
    all: () => null,
  };
  function shifted(low, high, way) {
    const by = Math.max((high - low) / 3, view.isTime ? 60 : 1) * way;
    const within = Math.min(Math.max(by, whole[0] - low), whole[1] - high);
    return [low + within, high + within];
  }
  function zoom(kind) {
    if (!u) return;
    const { min, max } = u.scales.x;
    const at = u.cursor.idx === null || u.cursor.idx === undefined ? (min + max) / 2 : Math.min(Math.max(u.data[0][u.cursor.idx], min), max);
    show(zooms[kind](min, max, at));
  }

  // Moves the cursor by some points, within the window.
  function move(by) {
    if (!u) return;
    const xs = u.data[0];
    const { min, max } = u.scales.x;
    const seen = xs.map((x, at) => [x, at]).filter(([x]) => x >= min && x <= max).map(([, at]) => at);
    if (!seen.length) return;
    const known = seen.indexOf(u.cursor.idx);
    const from = known < 0 && by > 0 ? -1 : known < 0 ? seen.length : known;
    const next = Math.min(Math.max(from + by, 0), seen.length - 1);
    u.setCursor({ left: u.valToPos(xs[seen[next]], 'x'), top: 10 });
    onMove(seen[next], true);
  }

  host.addEventListener('keydown', (event) => {
    const keys = {
      '+': () => zoom('in'), '=': () => zoom('in'), '-': () => zoom('out'), 0: () => zoom('all'), Escape: () => zoom('all'),
      ArrowLeft: () => (event.shiftKey ? zoom('left') : move(-1)), ArrowRight: () => (event.shiftKey ? zoom('right') : move(1)),
      Home: () => move(-1e9), End: () => move(1e9),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  for (const button of document.querySelectorAll('[data-zoom]')) button.addEventListener('click', () => zoom(button.dataset.zoom));
  new ResizeObserver(() => u?.setSize({ width: host.clientWidth - 16, height: u.height })).observe(host);

  // The points under the cursor: of each drawn series the one at that place, or the last before it.
  function under(index) {
    const x = u.data[0][index];
    return drawn.map((of) => {
      const exact = of.at.get(x);
      if (exact !== undefined) return { ...of, point: exact };
      const before = of.sorted.filter((at) => of.x[at] <= x).at(-1);
      return { ...of, point: before };
    }).filter((of) => of.point !== undefined);
  }

  return { draw, under, get drawn() { return drawn; }, set onMove(then) { onMove = then; } };
})();
