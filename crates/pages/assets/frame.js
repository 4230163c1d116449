// What every page can do: theme, copying, and the state of a view in its address. Each page can be read without it.
'use strict';
document.documentElement.classList.add('script');

// The state of a view: `?key=value` of a served page, `#key=value` of a file, so that the address leads back to the view.
const State = {
  isServed: location.protocol.startsWith('http'),
  read() {
    // A hash without an equals sign leads to an element and is no state.
    const hash = location.hash.includes('=') ? location.hash.slice(1) : '';
    return new URLSearchParams(this.isServed ? location.search : hash);
  },
  write(changes) {
    const state = this.read();
    for (const [key, value] of Object.entries(changes)) {
      if (value === '' || value === null || value === undefined) state.delete(key);
      else state.set(key, value);
    }
    const text = state.toString();
    const anchor = this.isServed ? location.hash : '';
    const place = this.isServed ? location.pathname + (text ? `?${text}` : '') + anchor : `#${text}`;
    window.history.replaceState(null, '', place);
  },
};

// The data of a page; nothing if it has none of that name.
function pageData(id) {
  const element = document.getElementById(id);
  return element ? JSON.parse(element.textContent) : null;
}

// An element with properties and children.
function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// A token as a colour that a canvas understands.
function token(name) {
  const probe = document.body.appendChild(document.createElement('i'));
  probe.style.color = `var(${name})`;
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

(() => {
  const themes = ['auto', 'light', 'dark'];
  let theme = 'auto';
  // A file may have no storage.
  try { theme = localStorage.getItem('theme') ?? 'auto'; } catch { theme = 'auto'; }
  function show() {
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    for (const button of document.querySelectorAll('[data-do="theme"]')) button.textContent = `Theme: ${theme}`;
    document.dispatchEvent(new CustomEvent('theme'));
  }
  show();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show);

  const actions = {
    theme() {
      theme = themes[(themes.indexOf(theme) + 1) % themes.length];
      try { localStorage.setItem('theme', theme); } catch { /* as above */ }
      show();
    },
    async copy(button) {
      const text = button.parentElement.querySelector('code')?.textContent ?? location.href;
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = 'Copied';
      } catch {
        button.textContent = 'Select and copy';
      }
    },
  };
  document.addEventListener('click', (event) => {
    const button = event.target.closest?.('button[data-do]');
    if (button && actions[button.dataset.do]) actions[button.dataset.do](button);
  });
})();
