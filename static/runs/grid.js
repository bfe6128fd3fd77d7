// Pictures made of links in rows and columns: one of them is in the tab order, arrows move between them.
"use strict";
document.querySelectorAll("[data-grid]").forEach((grid) => {
  const cells = new Map([...grid.querySelectorAll("[data-at]")].map((cell) => [cell.dataset.at, cell]));
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const only = (chosen) => cells.forEach((cell) => cell.setAttribute("tabindex", cell === chosen ? "0" : "-1"));
  only(cells.values().next().value);
  grid.addEventListener("focusin", (event) => {
    const cell = event.target.closest("[data-at]");
    if (cell) only(cell);
  });
  grid.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    const cell = event.target.closest("[data-at]");
    if (!step || !cell || event.ctrlKey || event.altKey || event.metaKey) return;
    const [row, column] = cell.dataset.at.split(" ").map(Number);
    const next = cells.get(`${row + step[0]} ${column + step[1]}`);
    event.preventDefault();
    if (next) next.focus();
  });
});
