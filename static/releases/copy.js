// A button with data-copies="id" copies the text of that element. Without a script, or a clipboard, it stays hidden.
"use strict";
(() => {
  const show = (root) => {
    if (!navigator.clipboard) return;
    for (const button of root.querySelectorAll("[data-copies]")) button.hidden = false;
  };
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copies]");
    if (!button) return;
    try {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent);
      window.Proofroom?.announce("Copied.");
    } catch {
      window.Proofroom?.announce("The browser refused to copy; select the text instead.");
    }
  });
  document.addEventListener("htmx:afterSettle", () => show(document));
  show(document);
})();
