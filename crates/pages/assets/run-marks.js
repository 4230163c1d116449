// Marks of plots say what they stand for; the results can be downloaded.
"use strict";

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
  const mark = event.target.closest?.(".point");
  if (mark) showTip(mark, event.clientX, event.clientY);
  else tip.hidden = true;
});
document.addEventListener("focusin", (event) => {
  if (!event.target.classList.contains("point") || !event.target.matches(":focus-visible")) return;
  const box = event.target.getBoundingClientRect();
  showTip(event.target, box.left + Math.min(box.width / 2, 200), box.bottom - 14);
});
document.addEventListener("focusout", () => { tip.hidden = true; });
document.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });

/* A plot is one stop of the tab key; arrows go from mark to mark. */
function walkable(plot) {
  const marks = [...plot.querySelectorAll(".point")];
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

/* The text itself, since numbers may be larger than JavaScript can hold. */
document.getElementById("download").addEventListener("click", () => {
  const text = document.getElementById("results-data").textContent;
  const link = make("a", {
    href: URL.createObjectURL(new Blob([text], { type: "application/json" })),
    download: `${results.run.id}.results.json`,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
});
