// The series of a page of histories, with names instead of places, and where their points lie on the axis.
'use strict';
const Series = (() => {
  const data = pageData('histories');
  const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 5 });
  const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
  const show = (value) => (Number.isInteger(value) || Math.abs(value) >= 1e5 ? whole : number).format(value).replace('-', '−');

  // A ratio as a signed per cent, from 2 on as a factor.
  function change(ratio) {
    if (ratio === null || ratio === undefined) return 'from 0';
    if (ratio >= 2) return `${number.format(ratio)}×`;
    const percent = (ratio - 1) * 100;
    const digits = Math.abs(percent) < 0.01 ? 4 : Math.abs(percent) < 0.1 ? 3 : Math.abs(percent) < 10 ? 2 : 1;
    const text = Math.abs(percent).toFixed(digits);
    return `${Number(text) === 0 ? '' : percent < 0 ? '−' : '+'}${text} %`;
  }

  // A step in words: without a sign if the direction is unknown.
  function words({ ratio, kind }) {
    const text = change(ratio);
    if (kind !== 'rise' && kind !== 'fall') return text;
    return text === 'from 0' ? `${kind}s ${text}` : `${kind}s by ${text.replace(/^[+−]/, '')}`;
  }

  // How new a point is: when it was measured, or how few versions come after it.
  const age = (one, at) => (data.is_by_time ? one.times[at] : 1 - new Set(one.labels.slice(at)).size);

  const isSeveralHosts = data.hosts.length > 1;
  const all = data.series.map((raw) => {
    const axis = data.axes[raw.axis];
    const one = {
      ...raw,
      scenario: data.scenarios[raw.scenario],
      title: data.scenario_titles[raw.scenario],
      stack: data.stacks[raw.stack],
      metric: data.metrics[raw.metric],
      words: data.words[raw.metric],
      unit: data.units[raw.unit],
      host: data.hosts[raw.host],
      labels: axis.labels.map((at) => data.labels[at]),
      runs: axis.runs.map((at) => ({ id: data.runs[at][0], started: data.runs[at][1], href: data.runs[at][2] })),
      epochs: raw.epochs ?? [],
      notes: raw.notes ?? {},
      holes: (raw.holes ?? []).map(([run, label, why]) => ({ run: data.runs[run], label: data.labels[label], why })),
      steps: raw.steps.map(([at, before, after, ratio, kind, why]) => ({ at, before, after, ratio, kind, why })),
    };
    one.times = one.runs.map((run) => Date.parse(run.started) / 1000);
    one.under = [one.stack, one.side, one.words].filter(Boolean).join(' · ');
    one.id = [one.scenario, one.stack, one.side, one.metric, ...(isSeveralHosts ? [one.host] : [])].join('|');
    one.group = [one.scenario, one.stack, one.metric, one.host].join('|');
    // What lists are sorted by: steps of the program, negligible ones only where there is nothing else.
    const counted = one.steps.filter((step) => ['regression', 'improvement', 'rise', 'fall'].includes(step.kind));
    one.counted = counted;
    one.last = (counted.length ? counted : one.steps).at(-1);
    one.lastAt = counted.length ? age(one, counted.at(-1).at) : -Infinity;
    one.largest = Math.max(0, ...counted.map((step) => (step.ratio > 0 ? Math.abs(Math.log(step.ratio)) : 99)));
    one.searched = `${one.scenario} ${one.title} ${one.under} ${one.host}`.toLowerCase();
    return one;
  });

  // Versions of several series in one order: an unknown one comes after that before it.
  function versions(chosen) {
    const order = [];
    for (const one of chosen) {
      let place = -1;
      for (const label of new Set(one.labels)) {
        const known = order.indexOf(label);
        if (known >= 0) place = known;
        else order.splice(++place, 0, label);
      }
    }
    return order;
  }

  // Where each point of a series lies. Points of one version stand side by side; none has the place of another.
  function places(one, isTime, order) {
    const count = new Map();
    for (const label of one.labels) count.set(label, (count.get(label) ?? 0) + 1);
    const seen = new Map();
    const places = one.labels.map((label, at) => {
      if (isTime) return one.times[at];
      const nth = seen.get(label) ?? 0;
      seen.set(label, nth + 1);
      const of = count.get(label);
      return order.indexOf(label) + (of > 1 ? 0.5 * (nth / (of - 1)) - 0.25 : 0);
    });
    const sorted = places.map((_, at) => at).sort((a, b) => places[a] - places[b]);
    sorted.forEach((at, nth) => {
      const before = places[sorted[nth - 1]];
      if (nth > 0 && places[at] <= before) places[at] = before + (isTime ? 1 : 1e-4);
    });
    return { places, sorted };
  }

  const later = (a, b) => (a.lastAt === b.lastAt ? 0 : b.lastAt - a.lastAt);

  // Series at first: those of the cell with the latest step.
  function first() {
    const most = [...all].sort((a, b) => later(a, b) || b.largest - a.largest)[0];
    return most ? all.filter((one) => one.group === most.group) : [];
  }

  return { all, byId: new Map(all.map((one) => [one.id, one])), epochs: data.epochs, versions, places, first, later, show, change, words };
})();
