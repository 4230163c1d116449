// Finds entries that have all words of the question; names that begin with one come first.
'use strict';
(() => {
  const entries = pageData('entries');
  const input = document.querySelector('#search input');
  const most = 100;
  function find(question) {
    const words = question.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    const found = entries.filter(([kind, name, more]) => {
      const text = `${kind} ${name} ${more}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    const rank = ([, name]) => (words.some((word) => name.toLowerCase().startsWith(word)) ? 0 : 1);
    return found.sort((one, other) => rank(one) - rank(other));
  }
  function show() {
    const found = find(input.value);
    const text = found.length > most ? `${found.length} found, the first ${most} are shown` : `${found.length} found`;
    document.getElementById('count').textContent = input.value.trim() ? text : '';
    document.getElementById('found').replaceChildren(...found.slice(0, most).map(([kind, name, more, href]) =>
      element('li', {}, element('a', { href, textContent: name }), element('span', { className: 'soft', textContent: ` ${kind}${more ? `, ${more}` : ''}` }))));
    State.write({ q: input.value });
  }
  input.value = State.read().get('q') ?? '';
  input.addEventListener('input', show);
  document.getElementById('search').addEventListener('submit', (event) => {
    event.preventDefault();
    document.querySelector('#found a')?.focus();
  });
  show();
})();
