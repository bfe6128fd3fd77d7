// What pages gain from a script: theme at once, announcements, focus after a swap, problems shown without losing text.
// Everything here has a plain form or link behind it.
"use strict";
(() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  const visible = (element) => element.getClientRects().length > 0;

  // ---------- announcements: HX-Trigger {"announce": "…"}, or Proofroom.announce("…") ----------
  function announce(words) {
    const region = one("[data-announce]");
    if (!region || !words) return;
    region.textContent = "";
    setTimeout(() => { region.textContent = words; }, 60); // a change is read, an equal text is not
  }
  window.Proofroom = { ...window.Proofroom, announce };
  document.addEventListener("announce", (event) => announce(event.detail.value || ""));

  // ---------- theme ----------
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("[data-theme-form]");
    if (!form || !event.submitter) return;
    event.preventDefault();
    const theme = event.submitter.value;
    const root = document.documentElement;
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    all("[aria-pressed]", form).forEach((button) => button.setAttribute("aria-pressed", String(button === event.submitter)));
    form.closest("details").open = false;
    one("summary", form.closest("details")).focus();
    announce(`Theme: ${event.submitter.textContent.trim()}`);
    const body = new URLSearchParams(new FormData(form));
    body.set("theme", theme);
    fetch(form.action, { method: "POST", body, redirect: "manual" }).catch(() => announce("The theme could not be kept."));
  });

  // ---------- one pop at a time; Escape and a click outside close it, focus returns ----------
  document.addEventListener("toggle", (event) => {
    const pop = event.target;
    if (!(pop instanceof HTMLDetailsElement) || !pop.classList.contains("pop") || !pop.open) return;
    all("details.pop[open]").forEach((other) => { if (other !== pop && !other.contains(pop)) other.open = false; });
  }, true);
  document.addEventListener("click", (event) => {
    all("details.pop[open]").forEach((pop) => { if (!pop.contains(event.target)) pop.open = false; });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing) return;
    const pop = event.target.closest?.("details.pop[open]") || one("details.pop[open]");
    if (pop) {
      pop.open = false;
      one("summary", pop).focus();
    }
  });

  // ---------- leaving with text that was not sent ----------
  const unsent = new Set();
  document.addEventListener("input", (event) => {
    const form = event.target.closest("form[data-guard]");
    if (form) unsent.add(form);
  });
  document.addEventListener("submit", (event) => unsent.delete(event.target), true);
  document.addEventListener("kept", (event) => unsent.delete(event.target)); // the server has it all as a draft
  // What was refused, or never arrived, is unsent again: the form still there, or the one that came back with the text.
  const guarded = (element) => (element.matches?.("form[data-guard]") ? element : one("form[data-guard]", element));
  document.addEventListener("htmx:afterRequest", (event) => {
    const { elt, successful } = event.detail;
    if (!successful && elt.isConnected && elt.matches("form[data-guard]")) unsent.add(elt);
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    const status = event.detail.xhr?.status;
    const form = (status === 409 || status === 422) && guarded(event.detail.elt);
    if (form) {
      form.dataset.refused = "";
      unsent.add(form);
    }
  });
  const TYPED = "textarea, input:not([type=hidden]):not([type=checkbox]):not([type=radio])";
  const holds = (form) => all(TYPED, form).some((field) => field.value.trim() && ("refused" in form.dataset || field.value !== field.defaultValue));
  // Whether text that nobody has yet stands on the page, in another form than `own`: keys send nothing then (keys.js).
  window.Proofroom.unsent = (own = null) => [...unsent].some((form) => form !== own && form.isConnected && holds(form));
  window.addEventListener("beforeunload", (event) => {
    if ([...unsent].some((form) => form.isConnected)) event.preventDefault();
  });

  // ---------- htmx: errors are shown, focus goes somewhere stable ----------
  const body = document.body;
  body.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr } = event.detail;
    // 409 and 422 are the form again, with what is wrong; other errors come with a place of their own (HX-Retarget).
    if (xhr.status === 409 || xhr.status === 422 || (xhr.status >= 400 && xhr.getResponseHeader("HX-Retarget"))) {
      event.detail.shouldSwap = true;
      event.detail.isError = false;
    }
  });
  function problem(words) {
    const region = one("[data-problems]");
    if (!region) return;
    const notice = document.createElement("div");
    notice.className = "notice";
    notice.dataset.tone = "bad";
    const word = document.createElement("span");
    word.className = "status";
    word.dataset.tone = "bad";
    word.textContent = words;
    notice.append(word);
    region.replaceChildren(notice);
    announce(words);
  }
  window.Proofroom.problem = problem;
  body.addEventListener("htmx:sendError", () => problem("The server cannot be reached. Nothing was changed; what you typed is still here."));
  body.addEventListener("htmx:responseError", (event) => {
    if (!event.detail.xhr.getResponseHeader("HX-Retarget")) problem("The server could not do that. Nothing was changed; what you typed is still here.");
  });
  document.addEventListener("freshToken", (event) => {
    const token = event.detail.value;
    body.setAttribute("hx-headers", JSON.stringify({ "x-csrftoken": token }));
    all("input[name=csrfmiddlewaretoken]").forEach((input) => { input.value = token; });
  });
  let focused = null;
  body.addEventListener("htmx:beforeSwap", () => {
    const active = document.activeElement;
    focused = active && active !== body ? { id: active.id, row: active.closest("tr[id], li[id]")?.id } : null;
  });
  // At the swap, not when it has settled: in between a quick hand is elsewhere already, and would lose its place.
  body.addEventListener("htmx:afterSwap", (event) => {
    const target = event.detail.elt;
    const wanted = one("[data-focus]", target) || (target.matches?.("[data-focus]") ? target : null);
    if (wanted) wanted.focus();
    else if (focused && (document.activeElement === body || !document.activeElement)) {
      const row = focused.row && document.getElementById(focused.row);
      const back = (focused.id && document.getElementById(focused.id))
        || (row && all("a, button, summary", row).find(visible))
        || one("h1, h2", target) || one("main");
      if (back) {
        if (!back.hasAttribute("tabindex") && !back.matches("a, button, input, select, textarea, summary")) back.tabIndex = -1;
        back.focus({ preventScroll: true });
      }
    }
    const said = one("[data-say]", target);
    if (said) announce(said.dataset.say);
  });
  body.addEventListener("htmx:afterSwap", (event) => {
    const { xhr, target, requestConfig } = event.detail;
    if (!xhr || !target) return;
    if (xhr.status === 409 || xhr.status === 422) {
      const wrong = one(".errors, .notice[data-tone=bad]", target);
      if (wrong) announce(wrong.textContent.trim());
      one("[aria-invalid=true]", target)?.focus();
    } else if (xhr.status < 400 && requestConfig?.verb !== "get" && !target.matches("[data-problems]")) {
      one("[data-problems]")?.replaceChildren(); // what was wrong before is put right
    }
  });

  // ---------- dropping a file: the input is a plain one ----------
  all("[data-dropzone]").forEach((drop) => {
    const input = one("input[type=file]", drop);
    ["dragenter", "dragover"].forEach((kind) => drop.addEventListener(kind, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    }));
    ["dragleave", "drop"].forEach((kind) => drop.addEventListener(kind, () => drop.classList.remove("over")));
    drop.addEventListener("drop", (event) => {
      event.preventDefault();
      if (event.dataTransfer.files.length) {
        input.files = event.dataTransfer.files;
        input.dispatchEvent(new Event("change", { bubbles: true }));
        announce(`${input.files[0].name} chosen`);
      }
    });
  });

  // ---------- a select that filters sends its form at once ----------
  document.addEventListener("change", (event) => {
    if (event.target.matches("form[data-instant] select, form[data-instant] input[type=date]")) event.target.form.requestSubmit();
  });
})();
