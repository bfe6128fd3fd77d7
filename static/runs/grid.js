// Pictures made of links in rows and columns: one of them is in the tab order, arrows move between them, over gaps too.
"use strict";
(() => {
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const cellsOf = (grid) => new Map([...grid.querySelectorAll("[data-at]")].map((cell) => [cell.dataset.at, cell]));
  const only = (grid, chosen) => grid.querySelectorAll("[data-at]").forEach((cell) => cell.setAttribute("tabindex", cell === chosen ? "0" : "-1"));
  const begin = () => document.querySelectorAll("[data-grid]").forEach((grid) => {
    if (!grid.querySelector('[tabindex="0"]')) only(grid, grid.querySelector("[data-at]"));
  });
  begin();
  document.addEventListener("htmx:afterSettle", begin);
  document.addEventListener("focusin", (event) => {
    const cell = event.target.closest("[data-grid] [data-at]");
    if (cell) only(cell.closest("[data-grid]"), cell);
  });
  document.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    const cell = event.target.closest("[data-grid] [data-at]");
    if (!step || !cell || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const cells = cellsOf(cell.closest("[data-grid]"));
    const places = [...cells.keys()].map((at) => at.split(" ").map(Number));
    const [rows, columns] = [Math.max(...places.map((at) => at[0])), Math.max(...places.map((at) => at[1]))];
    let [row, column] = cell.dataset.at.split(" ").map(Number);
    do {
      [row, column] = [row + step[0], column + step[1]];
      const next = cells.get(`${row} ${column}`);
      if (next) { next.focus(); return; }
    } while (row >= 0 && column >= 0 && row <= rows && column <= columns);
  });
})();
