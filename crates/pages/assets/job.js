// Appends what happens to a job to its log and shows how far it is; loads the page again once the job has ended.
'use strict';
(() => {
  const log = document.getElementById('log');
  if (!log || !('EventSource' in window)) return;
  const show = (id, text) => {
    const place = document.getElementById(id);
    if (place) place.textContent = text;
  };
  // The page has the lines up to this event.
  const after = encodeURIComponent(log.dataset.last);
  const source = new EventSource(`/jobs/${encodeURIComponent(log.dataset.job)}/live?after=${after}`);
  source.addEventListener('log', (event) => {
    const line = JSON.parse(event.data);
    const isAtEnd = log.scrollTop + log.clientHeight > log.scrollHeight - 8;
    const kind = ['warning', 'error', 'step'].includes(line.kind) ? line.kind : 'note';
    log.append(
      element('span', { className: 't', textContent: line.time }), ' ',
      element('span', { className: kind, textContent: line.text }), '\n',
    );
    // Old lines of a long job are in the JSON of its events.
    while (log.childNodes.length > 8000) log.firstChild.remove();
    if (kind === 'step') show('progress', line.text);
    if (isAtEnd) log.scrollTop = log.scrollHeight;
  });
  source.addEventListener('state', (event) => {
    const now = JSON.parse(event.data);
    show('state', now.words);
    show('reason', now.reason);
  });
  source.addEventListener('end', () => {
    source.close();
    window.location.reload();
  });
  log.scrollTop = log.scrollHeight;
})();
