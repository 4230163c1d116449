// Flame graphs: a box that is chosen becomes as wide as the graph; the address keeps it, what is searched and what widths are.
'use strict';
for (const figure of document.querySelectorAll('.flame')) {
  const side = figure.dataset.side;
  const boxes = [...figure.querySelectorAll('.box')];
  const told = figure.querySelector('[data-told]');
  const { find, widths, whole } = figure.querySelector('form').elements;
  const keys = { zoom: `${side}.zoom`, find: `${side}.find`, widths: `${side}.widths` };
  const numbers = (text) => text.split(' ').map(Number);
  const spans = boxes.map(({ dataset }) => ({
    row: Number(dataset.row),
    after: numbers(dataset.after),
    before: numbers(dataset.before ?? dataset.after),
  }));
  let chosen = 0;

  const span = (at) => spans[at][widths?.value ?? 'after'];
  const isAround = (outer, inner) => {
    // Boxes stand in the order of a walk: those within one follow it until the row is no deeper.
    if (inner <= outer) return inner === outer;
    for (let at = outer + 1; at <= inner; at += 1) if (spans[at].row <= spans[outer].row) return false;
    return true;
  };

  function draw() {
    const [left, width] = span(chosen);
    const wanted = find.value.trim().toLowerCase();
    boxes.forEach((box, at) => {
      const isAbove = at !== chosen && isAround(at, chosen);
      const isWithin = isAround(chosen, at);
      const [from, wide] = isAbove ? [0, 100] : span(at).map((value, place) => (100 * (place ? value : value - left)) / (width || 1));
      const isShown = isAbove || (isWithin && wide > 0);
      const label = box.nextElementSibling;
      for (const part of [box, label]) {
        part.toggleAttribute('hidden', !isShown);
        part.setAttribute('x', `${from.toFixed(3)}%`);
        part.setAttribute('width', `${Math.max(wide, 0).toFixed(3)}%`);
      }
      box.classList.toggle('above', isAbove);
      box.classList.toggle('found', wanted !== '' && box.dataset.name.toLowerCase().includes(wanted));
    });
    whole.hidden = chosen === 0;
  }

  function zoom(at) {
    chosen = at;
    State.write({ [keys.zoom]: at === 0 ? '' : boxes[at].id.slice(side.length + 1) });
    draw();
  }

  function focus(at) {
    for (const box of boxes) box.setAttribute('tabindex', '-1');
    boxes[at].setAttribute('tabindex', '0');
    boxes[at].focus();
  }

  const isShown = (at) => !boxes[at].hasAttribute('hidden');
  function beside(at, step) {
    const row = spans[at].row;
    for (let next = at + step; next >= 0 && next < boxes.length; next += step) {
      if (spans[next].row === row && isShown(next)) return next;
    }
    return at;
  }
  function above(at) {
    for (let next = at - 1; next >= 0; next -= 1) if (spans[next].row < spans[at].row) return next;
    return at;
  }
  function below(at) {
    for (let next = at + 1; next < boxes.length && spans[next].row > spans[at].row; next += 1) if (isShown(next)) return next;
    return at;
  }
  const moves = {
    ArrowLeft: (at) => beside(at, -1),
    ArrowRight: (at) => beside(at, 1),
    ArrowUp: above,
    ArrowDown: below,
  };

  const place = (event) => boxes.indexOf(event.target.closest('.box'));
  const graph = figure.querySelector('svg');
  for (const kind of ['pointerover', 'focusin']) {
    graph.addEventListener(kind, (event) => {
      const at = place(event);
      if (at >= 0) told.textContent = boxes[at].getAttribute('aria-label');
    });
  }
  graph.addEventListener('click', (event) => {
    const at = place(event);
    if (at >= 0) zoom(at);
  });
  graph.addEventListener('keydown', (event) => {
    const at = place(event);
    if (at < 0) return;
    if (moves[event.key]) focus(moves[event.key](at));
    else if (event.key === 'Enter' || event.key === ' ') zoom(at);
    else if (event.key === 'Escape') zoom(0);
    else return;
    event.preventDefault();
  });
  whole.addEventListener('click', () => {
    zoom(0);
    focus(0);
  });
  find.addEventListener('input', () => {
    State.write({ [keys.find]: find.value });
    draw();
  });
  widths?.addEventListener('change', () => {
    State.write({ [keys.widths]: widths.value === 'after' ? '' : widths.value });
    draw();
  });
  find.form.addEventListener('submit', (event) => event.preventDefault());

  const state = State.read();
  find.value = state.get(keys.find) ?? '';
  if (widths && state.get(keys.widths) === 'before') widths.value = 'before';
  const kept = boxes.findIndex((box) => box.id === `${side}-${state.get(keys.zoom)}`);
  chosen = Math.max(kept, 0);
  draw();
}
