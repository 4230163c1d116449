// Additions to uPlot's lines on the plot: thresholds, environments, levels, intervals, steps, notes.
'use strict';
const Paint = (() => {
  const inView = (u, x) => x >= u.scales.x.min && x <= u.scales.x.max;

  function clipped(u, draw) {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    draw(ctx, bbox);
    ctx.restore();
  }

  // Below the lines. A drawn series has: one, x, y(value), colour, dash.
  function below(u, drawn) {
    clipped(u, (ctx, bbox) => {
      const edge = token('--edge');
      for (const { one, x, y, colour } of drawn.length <= 4 ? drawn : []) {
        const segment = one.segments.at(-1);
        if (!segment || !one.threshold) continue;
        const [high, low] = [1, -1].map((sign) => u.valToPos(y(segment[2] * Math.exp(sign * one.threshold)), 'y', true));
        const from = u.valToPos(x[segment[0]], 'x', true);
        ctx.fillStyle = colour;
        ctx.globalAlpha = 0.12;
        ctx.fillRect(from, high, bbox.left + bbox.width - from, Math.max(low - high, 1));
        ctx.globalAlpha = 1;
      }
      ctx.strokeStyle = edge;
      ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
      const lines = new Set();
      for (const { one, x } of drawn) {
        for (const [at] of one.epochs) lines.add(Math.round(u.valToPos((x[at - 1] + x[at]) / 2, 'x', true)));
      }
      for (const place of lines) {
        ctx.beginPath();
        ctx.moveTo(place, bbox.top);
        ctx.lineTo(place, bbox.top + bbox.height);
        ctx.stroke();
      }
    });
  }

  function levels(u, ctx, { one, x, y, colour }) {
    ctx.strokeStyle = colour;
    ctx.globalAlpha = 0.35;
    ctx.lineWidth = 4 * devicePixelRatio;
    for (const [from, to, level] of one.segments) {
      const at = u.valToPos(y(level), 'y', true);
      ctx.beginPath();
      ctx.moveTo(u.valToPos(x[from], 'x', true) - 4, at);
      ctx.lineTo(u.valToPos(x[to - 1], 'x', true) + 4, at);
      ctx.stroke();
    }
    ctx.globalAlpha = 1;
  }

  function intervals(u, ctx, { one, x, y, colour }) {
    if (!one.lower || !one.upper) return;
    ctx.strokeStyle = colour;
    ctx.lineWidth = devicePixelRatio;
    one.values.forEach((_, at) => {
      if (one.lower[at] === null || one.upper[at] === null || !inView(u, x[at])) return;
      const place = u.valToPos(x[at], 'x', true);
      ctx.beginPath();
      ctx.moveTo(place, u.valToPos(y(one.lower[at]), 'y', true));
      ctx.lineTo(place, u.valToPos(y(one.upper[at]), 'y', true));
      ctx.stroke();
    });
  }

  // A triangle that points the way the value went; hollow where the change is negligible.
  function step(u, ctx, { one, x, y }, { at, before, after, kind }) {
    if (kind === 'warning' || kind === 'quiet' || !inView(u, x[at])) return;
    const colour = token(kind.startsWith('tiny') ? '--soft' : `--${kind}`);
    const r = 6 * devicePixelRatio;
    const way = after > before ? -1 : 1;
    const [cx, cy] = [u.valToPos(x[at], 'x', true), u.valToPos(y(one.values[at]), 'y', true)];
    ctx.beginPath();
    ctx.moveTo(cx - r, cy - way * r * 0.7);
    ctx.lineTo(cx + r, cy - way * r * 0.7);
    ctx.lineTo(cx, cy + way * r);
    ctx.closePath();
    ctx.fillStyle = kind.startsWith('tiny') ? token('--paper') : colour;
    ctx.strokeStyle = kind.startsWith('tiny') ? colour : token('--paper');
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.fill();
    ctx.stroke();
  }

  // Above the lines.
  function above(u, drawn) {
    clipped(u, (ctx, bbox) => {
      for (const one of drawn.length <= 4 ? drawn : []) levels(u, ctx, one);
      for (const one of drawn.length <= 2 ? drawn : []) intervals(u, ctx, one);
      for (const of of drawn) for (const found of of.one.steps) step(u, ctx, of, found);
      ctx.fillStyle = token('--accent');
      ctx.font = `${13 * devicePixelRatio}px system-ui, sans-serif`;
      ctx.textAlign = 'center';
      for (const { one, x } of drawn) {
        for (const at of Object.keys(one.notes)) {
          if (inView(u, x[at])) ctx.fillText('◆', u.valToPos(x[at], 'x', true), bbox.top + 13 * devicePixelRatio);
        }
      }
    });
  }

  return { below, above };
})();
