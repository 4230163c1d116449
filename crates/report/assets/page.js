// What the whole page has: colours, tooltips, copying, the download.

document.documentElement.classList.add("script");

/* Colours: as the system has them, or as the reader chose. A file has no storage in some browsers. */
const themes = ["auto", "light", "dark"];
const store = {
  get: () => { try { return localStorage.getItem("tlslab-theme"); } catch { return null; } },
  set: (theme) => { try { localStorage.setItem("tlslab-theme", theme); } catch { /* The choice holds for this visit. */ } },
};
function setTheme(theme) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const button = document.getElementById("theme");
  button.textContent = `◐ ${theme}`;
  button.setAttribute("aria-label", `Colours: ${theme}`);
}
let theme = themes.includes(store.get()) ? store.get() : "auto";
setTheme(theme);
document.getElementById("theme").addEventListener("click", () => {
  theme = themes[(themes.indexOf(theme) + 1) % themes.length];
  store.set(theme);
  setTheme(theme);
});

/* Tooltips: every mark says in `aria-label` what it stands for; pointing at it or focusing it shows the same. */
const tip = document.getElementById("tip");
function showTip(mark, x, y) {
  tip.textContent = mark.getAttribute("aria-label");
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - width - 4))}px`;
  tip.style.top = `${y + 18 + height > innerHeight ? y - height - 10 : y + 18}px`;
}
document.addEventListener("pointermove", (event) => {
  const mark = event.target.closest?.(".mark");
  if (mark) showTip(mark, event.clientX, event.clientY);
  else tip.hidden = true;
});
document.addEventListener("focusin", (event) => {
  if (!event.target.classList.contains("mark") || !event.target.matches(":focus-visible")) return;
  const box = event.target.getBoundingClientRect();
  showTip(event.target, box.left + Math.min(box.width / 2, 200), box.bottom - 14);
});
document.addEventListener("focusout", () => { tip.hidden = true; });
document.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });

/* A plot is one stop of the tab key; arrows go from mark to mark. */
function walkable(plot) {
  const marks = [...plot.querySelectorAll(".mark")];
  marks.forEach((mark, at) => mark.setAttribute("tabindex", at === 0 ? "0" : "-1"));
  plot.onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const at = marks.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    const next = marks[Math.min(Math.max(at + step, 0), marks.length - 1)];
    marks[at].setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  };
}

/* Commands can be copied. */
for (const command of document.querySelectorAll(".command")) {
  const code = command.querySelector("code");
  const copy = async (event) => {
    const selection = getSelection();
    selection.selectAllChildren(code);
    let done = false;
    try { await navigator.clipboard.writeText(code.textContent); done = true; } catch { done = document.execCommand("copy"); }
    event.target.textContent = done ? "copied" : "selected";
    setTimeout(() => { event.target.textContent = "copy"; }, 1500);
  };
  command.append(make("button", { type: "button", "aria-label": "Copy the command", onclick: copy }, "copy"));
}

/* The results as they are: the text itself, since numbers may be larger than JavaScript can hold. */
document.getElementById("download").addEventListener("click", () => {
  const text = document.getElementById("results-data").textContent;
  const link = make("a", {
    href: URL.createObjectURL(new Blob([text], { type: "application/json" })),
    download: `${results.run.id}.results.json`,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
});
