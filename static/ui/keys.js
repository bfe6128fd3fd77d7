// The keyboard. What each key means comes from the key map in the page (workbench/ui/keymap.py); this file only obeys it.
"use strict";
(() => {
  const source = document.getElementById("keymap");
  if (!source) return;
  const keymap = JSON.parse(source.textContent);
  const dialog = document.querySelector("dialog[data-keys]");
  const single = document.body.dataset.singleKeys !== "off";
  const byKeys = new Map();
  keymap.filter((key) => key.keys).forEach((key) => byKeys.set(key.keys, [...(byKeys.get(key.keys) || []), key]));
  const prefixes = new Set(keymap.map((key) => key.keys).filter((keys) => keys.includes(" ")).map((keys) => keys.split(" ")[0]));
  const PATIENCE = 1200; // milliseconds between the two strokes of "g h"

  const typing = (element) => element instanceof Element
    && element.closest("input:not([type=checkbox]):not([type=radio]):not([type=button]):not([type=submit]), textarea, select, [contenteditable]:not([contenteditable=false])");

  // ---------- rows: one is current; it has the bar, and the focus is on its link ----------
  const lists = () => [...document.querySelectorAll("[data-rows]")].filter((list) => list.offsetParent !== null || list.getClientRects().length);
  const rowsOf = (list) => (list.tagName === "TABLE" ? [...list.tBodies].flatMap((body) => [...body.rows]) : [...list.children])
    .filter((row) => row.querySelector("a[href], button") && !row.hidden);
  const ROW = "table[data-rows] > tbody > tr, [data-rows]:not(table) > *";
  const linkOf = (row) => row.querySelector("[data-open]") || (row.dataset.href && [...row.querySelectorAll("a[href]")].find((link) => link.getAttribute("href") === row.dataset.href)) || row.querySelector("th a[href], a.name[href]") || row.querySelector("a[href], button");
  const rowAround = (element) => element?.closest?.(ROW) || null;
  const currentRow = () => document.querySelector("[data-rows] [data-selected]");
  function mark(row) {
    document.querySelectorAll("[data-rows] [data-selected]").forEach((other) => {
      other.removeAttribute("data-selected");
      other.removeAttribute("aria-selected");
    });
    row.dataset.selected = "";
    if (row.tagName === "TR") row.setAttribute("aria-selected", "true");
  }
  function choose(row) {
    mark(row);
    const link = linkOf(row);
    link.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  }
  function step(by) {
    const rows = lists().flatMap(rowsOf);
    if (!rows.length) return press(by > 0 ? "j" : "k");
    const here = rowAround(document.activeElement) || currentRow();
    const at = rows.indexOf(here);
    const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(Math.max(at + by, 0), rows.length - 1);
    choose(rows[next]);
    return true;
  }

  // ---------- a key presses what carries it ----------
  function press(keys) {
    const carrier = [...document.querySelectorAll(`[data-key="${CSS.escape(keys)}"]`)].find((element) => element.getClientRects().length);
    if (!carrier || carrier.disabled) return false;
    // A letter meant for a text that lost the focus must not decide anything; by its button it still can be done.
    const sends = carrier.matches("[hx-post]") || (carrier.matches("button") && carrier.form?.method === "post");
    if (sends && window.Proofroom?.unsent?.(carrier.form)) {
      window.Proofroom.problem("Nothing was done: text that you have not sent stands on this page. Send or close it first.");
      return true;
    }
    if (carrier.matches("input, textarea, select")) carrier.focus();
    else {
      carrier.focus();
      carrier.click();
      const pop = carrier.closest("details");
      if (carrier.tagName === "SUMMARY" && pop?.open) pop.querySelector("textarea, input:not([type=hidden]), select, button")?.focus();
    }
    return true;
  }

  const actions = {
    keys: () => { openKeys(); return true; },
    search: () => {
      const field = document.querySelector("[data-search-here]") || document.querySelector("[data-search]");
      if (!field) return false;
      field.focus();
      field.select();
      return true;
    },
    next: () => step(1),
    previous: () => step(-1),
    open: () => {
      const row = currentRow();
      if (row) { linkOf(row).click(); return true; }
      return press("o");
    },
    select: () => {
      const row = rowAround(document.activeElement) || currentRow();
      const box = row?.querySelector("input[type=checkbox]");
      if (!box) return false;
      box.click();
      return true;
    },
    bulk: () => press("."),
    go: (key) => { window.location.assign(key.url); return true; },
    press: (key) => press(key.carries),
  };

  // ---------- keys that the person moved are shown where they are now ----------
  const moved = new Map(keymap.filter((key) => key.action === "press" && key.keys !== key.carries).map((key) => [key.carries, key.keys]));
  function showMoved(root) {
    if (!moved.size) return;
    root.querySelectorAll("[data-key]").forEach((element) => {
      const shown = element.querySelector("kbd");
      if (!shown || !moved.has(element.dataset.key)) return;
      shown.textContent = moved.get(element.dataset.key);
      shown.hidden = !shown.textContent;
    });
  }
  showMoved(document);
  document.addEventListener("htmx:afterSettle", () => showMoved(document));

  // ---------- the dialog ----------
  let before = null;
  function openKeys() {
    if (!dialog || dialog.open) return;
    dialog.querySelectorAll("[data-key-row]").forEach((row) => {
      row.hidden = !document.querySelector(`[data-key="${CSS.escape(row.dataset.keyRow)}"]`);
    });
    dialog.querySelectorAll("[data-key-scope]").forEach((scope) => { scope.hidden = !scope.querySelector("dl > div:not([hidden])"); });
    before = document.activeElement;
    dialog.showModal();
  }
  if (dialog) {
    document.addEventListener("click", (event) => {
      if (event.target.closest("[data-keys-open]") && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
        event.preventDefault();
        openKeys();
      }
    });
    dialog.addEventListener("close", () => before?.focus?.());
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  }

  // ---------- strokes ----------
  let prefix = "";
  let since = 0;
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.keyCode === 229) return;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (dialog?.open) return;
    if (event.key === "Escape") {
      if (typing(event.target)) event.target.blur();
      return;
    }
    if (!single || typing(event.target) || event.key.length !== 1 || event.key === " ") return;
    const strokes = prefix && event.timeStamp - since < PATIENCE ? `${prefix} ${event.key}` : event.key;
    prefix = "";
    for (const key of byKeys.get(strokes) || []) {
      if (actions[key.action]?.(key)) {
        event.preventDefault();
        return;
      }
    }
    if (prefixes.has(event.key)) {
      prefix = event.key;
      since = event.timeStamp;
    }
  });

  // A click or Tab into a row makes it the current one, so that keys go on from there.
  document.addEventListener("focusin", (event) => {
    const row = rowAround(event.target);
    if (row && row !== currentRow()) mark(row);
  });
})();
