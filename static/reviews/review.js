// The review page: panes of one's own width, comments on lines, what others do meanwhile.
// Every form here is a plain one; this makes it quicker.
"use strict";
(() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const say = (words) => window.Proofroom?.announce(words);
  const kept = {
    get(key) { try { return localStorage.getItem(`proofroom.${key}`); } catch { return null; } },
    set(key, value) { try { localStorage.setItem(`proofroom.${key}`, value); } catch { /* private mode: until the page is left */ } },
  };
  const sides = one("[data-sides]");

  // ---------- the width of the panes: a separator to drag or to move by arrows ----------
  const split = sides && one("[data-split]", sides);
  if (split) {
    const grip = document.createElement("div");
    grip.className = "grip";
    grip.tabIndex = 0;
    grip.setAttribute("role", "separator");
    grip.setAttribute("aria-orientation", "vertical");
    grip.setAttribute("aria-label", "Width of the panes");
    grip.setAttribute("aria-valuemin", "20");
    grip.setAttribute("aria-valuemax", "80");
    split.append(grip);
    const set = (percent) => {
      const width = Math.min(80, Math.max(20, percent));
      split.style.setProperty("--left", `${width}fr`);
      split.style.setProperty("--right", `${100 - width}fr`);
      split.style.setProperty("--at", `${width}%`);
      grip.setAttribute("aria-valuenow", String(Math.round(width)));
      return width;
    };
    let width = set(Number(kept.get("panes")) || 50);
    const move = (percent) => { width = set(percent); kept.set("panes", String(width)); };
    grip.addEventListener("pointerdown", (event) => {
      grip.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    grip.addEventListener("pointermove", (event) => {
      if (!grip.hasPointerCapture(event.pointerId)) return;
      const box = split.getBoundingClientRect();
      move(100 * (event.clientX - box.left) / box.width);
    });
    grip.addEventListener("dblclick", () => move(50));
    grip.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -2, ArrowRight: 2, Home: -100, End: 100 }[event.key];
      if (by === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      move(width + by);
    });
  }

  // ---------- long lines: wrapped or in one line ----------
  const wrap = one("[data-wrap]");
  if (wrap && sides) {
    const set = (on) => {
      sides.classList.toggle("wrapped", on);
      wrap.setAttribute("aria-pressed", String(on));
    };
    wrap.hidden = false;
    set(kept.get("wrap") === "on");
    wrap.addEventListener("click", () => {
      const on = !sides.classList.contains("wrapped");
      set(on);
      kept.set("wrap", on ? "on" : "off");
      say(on ? "Long lines are wrapped" : "Lines are not wrapped");
    });
  }

  // ---------- which lines can be spoken about: those of the definition, and of the source item ----------
  const LINE = /^(lean|src)-(\d+)$/;
  const bounds = (side) => {
    const text = side === "src" ? sides?.dataset.commentSrc : sides?.dataset.commentLean;
    const [first, last] = (text || "0-0").split("-").map(Number);
    return { first, last };
  };
  const placeOf = (line) => {
    const match = LINE.exec(line?.id || "");
    return match && { side: match[1], number: Number(match[2]) };
  };
  const speakable = (line) => {
    const place = placeOf(line);
    if (!place || !sides?.dataset.commentUrl) return null;
    const { first, last } = bounds(place.side);
    return place.number >= first && place.number <= last ? place : null;
  };
  const markLines = () => {
    if (!sides?.dataset.commentUrl) return;
    for (const side of ["lean", "src"]) {
      const { first, last } = bounds(side);
      for (let n = first; n && n <= Math.min(last, first + 3000); n += 1) {
        const line = document.getElementById(`${side}-${n}`);
        if (line) line.dataset.speakable = "";
      }
    }
  };
  markLines();

  // The line that keys mean: that of the name which has the focus, else the one pointed out last.
  let here = null;
  const setHere = (line) => {
    if (here === line) return;
    here?.classList.remove("here");
    here = line;
    here?.classList.add("here");
  };
  document.addEventListener("focusin", (event) => {
    const line = event.target.closest?.(".codepane .ln");
    if (line && speakable(line)) setHere(line);
  });

  // ---------- the form for a comment: a fragment of its own, below its line ----------
  function closeForm(form) {
    const back = here;
    form.remove();
    const region = back?.closest(".code");
    if (region) region.focus({ preventScroll: true });
  }
  function clean(form) {
    return ![...form.querySelectorAll("textarea")].some((field) => field.value.trim() && field.value !== field.defaultValue);
  }
  // The form is in the page already: it is there at once, so that no letter of the comment is taken for a key.
  function openForm(line, place) {
    const open = document.getElementById("thread-form");
    if (open && !clean(open)) {
      one("textarea", open).focus();
      say("A comment is being written here: send it or close it first.");
      return;
    }
    open?.remove();
    setHere(line);
    const form = one("form", one("template[data-comment-form]").content).cloneNode(true);
    const key = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const values = { side: place.side, key, first: place.number, last: place.number, version: sides.dataset.commentVersion, item: place.side === "src" ? sides.dataset.commentItem : "" };
    for (const [name, value] of Object.entries(values)) form.elements[name].value = value ?? "";
    one("[data-comment-side]", form).textContent = place.side === "src" ? "Source, lines" : "Lean, lines";
    below(line, form);
    window.htmx?.process(form);
    const close = one("[data-close-form]", form);
    if (close) close.hidden = false;
    one("textarea", form).focus({ preventScroll: true });
    form.scrollIntoView({ block: "nearest" });
  }
  // What stands below a line stands between two <pre>: the lines stay lines.
  function below(line, element) {
    const pre = line.closest("pre");
    let after = line.nextSibling;
    if (!after) {
      let last = pre;
      while (last.nextElementSibling?.matches(".thread")) last = last.nextElementSibling;
      last.after(element);
      return;
    }
    const rest = document.createElement("pre");
    while (after) {
      const next = after.nextSibling;
      rest.append(after);
      after = next;
    }
    pre.after(element, rest);
  }
  document.addEventListener("click", (event) => {
    const line = event.target.closest?.(".codepane .ln");
    if (line && !event.target.closest("a")) {
      const gutter = event.clientX - line.getBoundingClientRect().left + (line.closest("[data-panebody]")?.scrollLeft ?? 0);
      const place = speakable(line);
      if (place) setHere(line);
      const width = parseFloat(getComputedStyle(line, "::before").width) || 50;
      if (place && gutter < width + 4 && event.target === line) openForm(line, place);
      return;
    }
    const button = event.target.closest?.("[data-comment-here]");
    if (button && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      const wanted = here?.isConnected && speakable(here) ? here : firstSpeakable();
      if (!wanted) return; // the plain form has a field for the line
      event.preventDefault();
      openForm(wanted, speakable(wanted));
      return;
    }
    const close = event.target.closest?.("[data-close-form]");
    if (close) closeForm(close.closest("form"));
  });
  function firstSpeakable() {
    const { first } = bounds("lean");
    return first ? document.getElementById(`lean-${first}`) : null;
  }
  document.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const form = event.target.closest?.("form.writing, .thread form, [data-decision] form");
    if (!form) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
    } else if (event.key === "Escape" && form.id === "thread-form" && clean(form)) {
      event.preventDefault();
      event.stopImmediatePropagation();
      closeForm(form);
    }
  }, true);

  // A reply that is opened is written at once: were the focus to come later, its first letters would be keys.
  document.addEventListener("click", (event) => {
    const box = event.target.closest?.(".say > summary")?.parentElement;
    if (!box) return;
    event.preventDefault();
    box.open = !box.open;
    if (box.open) one("textarea", box)?.focus({ preventScroll: true });
  });

  // ---------- lines by keyboard: Alt and an arrow move from line to line in a pane ----------
  document.addEventListener("keydown", (event) => {
    if (!event.altKey || event.ctrlKey || event.metaKey || event.isComposing) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const pane = event.target.closest?.(".codepane");
    if (!by || !pane) return;
    event.preventDefault();
    const lines = all(".ln", pane);
    const at = here && pane.contains(here) ? lines.indexOf(here) : -1;
    const next = lines[at < 0 ? Math.max(0, lines.findIndex((line) => speakable(line))) : at + by];
    if (!next) return;
    setHere(next);
    next.scrollIntoView({ block: "nearest" });
    say(`Line ${next.dataset.n}: ${next.textContent.trim().slice(0, 120) || "blank"}`);
  });

  // ---------- what others do meanwhile: put in its place, said once, never under busy hands ----------
  const said = new Set();
  const gather = (root) => all("[data-say-once]", root).map((element) => element.dataset.sayOnce).filter(Boolean);
  gather(document).forEach((words) => said.add(words));
  const unnumbered = (text) => text.replace(/ \(#\d+\)$/, "");
  function sayOnce(root) {
    const fresh = gather(root).filter((words) => !said.has(words));
    fresh.forEach((words) => said.add(words));
    if (fresh.length) say(fresh.map(unnumbered).join(". "));
  }
  const busy = (element) => {
    const active = document.activeElement;
    if (active && active !== document.body && element.contains(active)) return true;
    if (element.querySelector("details.say[open] textarea, form.writing")) return true;
    const selection = document.getSelection();
    return Boolean(selection && !selection.isCollapsed && element.contains(selection.anchorNode));
  };
  // Tokens and keys differ each time; what is read does not.
  const read = (element) => {
    const copy = element.cloneNode(true);
    all("input[type=hidden], [data-say], [data-say-once]", copy).forEach((part) => part.remove());
    return copy.textContent.replace(/\s+/g, " ").trim() + (copy.querySelector("[data-tone]")?.dataset.tone || "");
  };
  // What had to wait for busy hands comes with the next answer, so the page does not claim to have this one.
  let waits = false;
  document.addEventListener("htmx:oobBeforeSwap", (event) => {
    const { target, fragment } = event.detail;
    const fresh = fragment.firstElementChild;
    if (!target || !fresh || !target.id?.startsWith("review-")) return;
    if (target.id === "review-stamp") {
      event.detail.shouldSwap = !waits;
      return;
    }
    if (read(target) === read(fresh) && target.id !== "review-lease") event.detail.shouldSwap = false;
    else if (busy(target)) {
      event.detail.shouldSwap = false;
      waits = true;
    }
  });
  function placeThread(fresh) {
    const known = document.getElementById(fresh.id);
    if (known) {
      if (known.dataset.thread === fresh.dataset.thread && read(known) === read(fresh)) return;
      if (busy(known)) { // comes with the next answer, or with the reply that is being written
        waits = true;
        return;
      }
      known.replaceWith(fresh);
    } else {
      const line = fresh.dataset.line && document.getElementById(`${fresh.dataset.on}-${fresh.dataset.line}`);
      const loose = one("[data-loose]");
      if (line) below(line, fresh);
      else if (loose) loose.append(fresh);
      else return;
    }
    window.htmx?.process(fresh);
  }
  // What one said oneself may come by live update before the answer to the form does.
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target?.id !== "thread-form" || event.detail.xhr.status !== 200) return;
    const id = /id="(thread-\d+)"/.exec(event.detail.xhr.responseText)?.[1];
    if (id) document.getElementById(id)?.remove();
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target?.id !== "review-live" && event.detail.elt?.id !== "review-live") return;
    if (event.detail.xhr.status !== 200) return;
    waits = false;
    const box = document.createElement("template");
    box.innerHTML = event.detail.xhr.responseText;
    all("[data-live-thread]", box.content).forEach((wrapper) => {
      const thread = wrapper.firstElementChild;
      if (thread) placeThread(thread.cloneNode(true));
    });
    // What was said meanwhile can go along with a request; what somebody unticked stays so.
    const along = one("[data-along]");
    if (along) all("[data-live-along] [data-along-thread]", box.content).forEach((choice) => {
      if (one(`[data-along-thread="${choice.dataset.alongThread}"]`, along)) return;
      along.append(choice.cloneNode(true));
      along.hidden = false;
    });
    all("[data-live-count]", box.content).forEach((fresh) => {
      const place = one(`.topbar nav a[href="${fresh.getAttribute("href")}"]`);
      const number = fresh.textContent.trim();
      const known = place && one(".count", place);
      if (known && number) known.textContent = number;
      else if (known) known.remove();
      else if (place && number) place.append(Object.assign(document.createElement("span"), { className: "count", textContent: number }));
    });
    recount();
    sayOnce(box.content);
  });

  function recount() {
    const count = one("[data-thread-count]");
    const threads = all(".thread[id^=thread-]:not(form)").length;
    if (count) count.textContent = String(threads);
    if (threads) one("[data-no-threads]")?.remove();
    // Those that stand on lines are named in the panel, also the ones that came while the page was open.
    const standing = one("[data-standing]");
    if (!standing) return;
    for (const thread of all(".codepane .thread[id^=thread-]:not(form)")) {
      if (one(`a[href="#${thread.id}"]`, standing)) continue;
      const link = Object.assign(document.createElement("a"), { href: `#${thread.id}`, textContent: one("header b", thread).textContent.toLowerCase() });
      standing.append(one("a", standing) ? ", " : "", link);
      standing.hidden = false;
    }
  }

  // ---------- leaving gives the lease back, unless one goes on with the same definition ----------
  // The server lets it go on for some seconds, so that a page which is loaded anew, or come back to, has it still.
  const lease = () => one("#lease[data-leave]");
  const keep = () => { if (lease()) window.htmx?.trigger(lease(), "keep"); };
  const item = /\/(?:definitions|lease)\/(\d+)\/|^\/review\/[^/]+\/(\d+)\//;
  const pageOf = (path) => { const found = item.exec(path); return found && (found[1] || found[2]); };
  const own = pageOf(location.pathname);
  let goesOn = false;
  const towards = (address) => {
    try {
      const { origin, pathname } = new URL(address, location.href);
      goesOn = origin === location.origin && (pageOf(pathname) === own || /^\/review\/(threads|comments)\//.test(pathname));
    } catch { goesOn = false; }
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (link && !event.defaultPrevented && !event.ctrlKey && !event.metaKey && !event.shiftKey && link.target !== "_blank") towards(link.href);
  });
  document.addEventListener("submit", (event) => {
    if (!event.defaultPrevented) towards(event.submitter?.formAction || event.target.action);
  });
  window.addEventListener("pagehide", () => {
    const form = lease();
    if (!form || goesOn) return;
    const body = new URLSearchParams();
    for (const name of ["csrfmiddlewaretoken", "token", "until"]) body.set(name, form.elements[name]?.value || "");
    navigator.sendBeacon(form.dataset.leave, body);
  });
  window.addEventListener("pageshow", (event) => {
    goesOn = false;
    const how = performance.getEntriesByType("navigation")[0]?.type;
    if (event.persisted || how === "reload" || how === "back_forward") keep();
  });

  // ---------- a thread that was written into: its own words are no news ----------
  document.addEventListener("htmx:afterSwap", () => {
    gather(document).forEach((words) => said.add(words));
    markLines();
    recount();
  });
})();
