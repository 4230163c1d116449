// Appends what happens to the job to its log, and loads the page again once the job has ended. Without it the page is complete, too.
'use strict';
const log = document.getElementById('log');
if (log && 'EventSource' in window) {
  // The page has the lines up to this event.
  const after = encodeURIComponent(log.dataset.last);
  const source = new EventSource(`/jobs/${encodeURIComponent(log.dataset.job)}/live?after=${after}`);
  source.addEventListener('log', (event) => {
    const line = JSON.parse(event.data);
    const isAtEnd = log.scrollTop + log.clientHeight > log.scrollHeight - 8;
    const time = document.createElement('span');
    time.className = 't';
    time.textContent = line.time;
    const text = document.createElement('span');
    text.className = ['warning', 'error'].includes(line.kind) ? line.kind : 'note';
    text.textContent = line.text;
    log.append(time, ' ', text, '\n');
    if (isAtEnd) log.scrollTop = log.scrollHeight;
  });
  source.addEventListener('state', (event) => {
    const now = JSON.parse(event.data);
    document.getElementById('state').textContent = now.words;
    document.getElementById('reason').textContent = now.reason;
  });
  source.addEventListener('end', () => {
    source.close();
    window.location.reload();
  });
  log.scrollTop = log.scrollHeight;
}
