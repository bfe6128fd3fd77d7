// The Lean editor: a textarea with line numbers, matching brackets, abbreviations and indentation, whose text is kept
// on the server while it is written. Without this script it is the same form.
"use strict";
(() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const table = window.Proofroom?.abbreviations || {};
  const names = Object.keys(table).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  const PAUSE = 1500, DRAWN = 200_000;
  const PAIRS = { "(": ")", "[": "]", "{": "}", "⟨": "⟩", "⟦": "⟧", "⌊": "⌋", "⌈": "⌉", "«": "»", "⦃": "⦄" };
  const CLOSERS = Object.fromEntries(Object.entries(PAIRS).map(([open, close]) => [close, open]));

  // ---------- pure: what an abbreviation means, what a bracket belongs to ----------
  // The name itself, else the shortest one that begins so: \for is \forall.
  function meaning(name) {
    if (Object.hasOwn(table, name)) return table[name];
    const longer = name && names.find((other) => other.startsWith(name));
    return longer ? table[longer] : null;
  }
  const TYPED = /\\([^\s\\]{1,24})$/;
  // Brackets in comments and strings belong to nobody.
  function skipped(text) {
    const found = [];
    const pattern = /--[^\n]*|"(?:\\.|[^"\\])*"/g;
    let at = 0;
    while (at < text.length) {
      const open = text.indexOf("/-", at);
      pattern.lastIndex = at;
      const next = pattern.exec(text);
      if (next && (open < 0 || next.index < open)) {
        found.push([next.index, next.index + next[0].length]);
        at = next.index + next[0].length;
      } else if (open >= 0) {
        let depth = 1, end = open + 2;
        while (end < text.length && depth) {
          if (text.startsWith("/-", end)) { depth += 1; end += 2; }
          else if (text.startsWith("-/", end)) { depth -= 1; end += 2; }
          else end += 1;
        }
        found.push([open, end]);
        at = end;
      } else break;
    }
    return found;
  }
  function partner(text, at) {
    const char = text[at];
    const step = PAIRS[char] ? 1 : CLOSERS[char] ? -1 : 0;
    if (!step) return null;
    const dead = skipped(text);
    const isDead = (index) => dead.some(([start, end]) => index >= start && index < end);
    if (isDead(at)) return null;
    const stack = [];
    for (let index = at; index >= 0 && index < text.length; index += step) {
      const here = text[index];
      if (!(PAIRS[here] || CLOSERS[here]) || isDead(index)) continue;
      const opens = step > 0 ? PAIRS[here] : CLOSERS[here];
      if (opens) stack.push(opens);
      else if (stack.pop() !== here) return { at: index, fits: false };
      if (!stack.length) return { at: index, fits: true };
    }
    return { at: -1, fits: false };
  }

  document.querySelectorAll("form[data-editor]").forEach((form) => {
    const field = one("textarea[name=text]", form);
    if (!field) return;
    const place = one("[data-editor-place]", form), hint = one("[data-editor-hint]", form), keptLine = one("[data-draft]", form);
    const firstLine = Number(field.dataset.firstLine || 1);
    const fault = Number(field.dataset.line || 0);

    // ---------- below the text: line numbers and marks, in a layer of the same letters ----------
    const frame = one("[data-editor-frame]", form);
    const under = document.createElement("div");
    if (frame) {
      under.className = "under";
      under.setAttribute("aria-hidden", "true");
      frame.prepend(under);
      frame.classList.add("ready");
    }
    let drawn = null;
    function draw() {
      if (!frame) return;
      const text = field.value;
      const marks = text.length <= DRAWN ? bracket(text) : [];
      const state = `${text.length}:${JSON.stringify(marks)}`;
      if (drawn && drawn.text === text && drawn.state === state) return;
      drawn = { text, state };
      const lines = text.split("\n");
      const rows = document.createDocumentFragment();
      let start = 0;
      lines.forEach((line, index) => {
        const row = document.createElement("span");
        row.className = index + 1 === fault ? "row-n fault" : "row-n";
        row.dataset.n = String(firstLine + index);
        const inside = marks.filter((mark) => mark.at >= start && mark.at < start + line.length);
        if (text.length > DRAWN) row.textContent = "";
        else if (!inside.length) row.textContent = line;
        else {
          let at = 0;
          for (const mark of inside) {
            const column = mark.at - start;
            row.append(line.slice(at, column), Object.assign(document.createElement("mark"), { textContent: line[column], className: mark.fits ? "" : "alone" }));
            at = column + 1;
          }
          row.append(line.slice(at));
        }
        rows.append(row);
        start += line.length + 1;
      });
      under.replaceChildren(rows);
      field.rows = Math.max(12, lines.length + 1);
    }
    function bracket(text) {
      if (field.selectionStart !== field.selectionEnd) return [];
      for (const at of [field.selectionStart - 1, field.selectionStart]) {
        const found = at >= 0 ? partner(text, at) : null;
        if (found) return [{ at, fits: found.fits }, ...(found.fits ? [{ at: found.at, fits: true }] : [])].sort((a, b) => a.at - b.at);
      }
      return [];
    }
    function tell() {
      const before = field.value.slice(0, field.selectionStart);
      const line = before.split("\n").length;
      if (place) place.textContent = `line ${firstLine + line - 1}, column ${before.length - before.lastIndexOf("\n")}`;
      const typed = TYPED.exec(before.slice(-30));
      const means = typed && meaning(typed[1]);
      if (hint) hint.textContent = means ? `\\${typed[1]} → ${means}, by space or Tab` : "";
      draw();
    }

    // ---------- writing: through the browser, so that its undo knows ----------
    function put(start, end, text) {
      field.setSelectionRange(start, end);
      const done = text ? document.execCommand("insertText", false, text) : document.execCommand("delete");
      if (!done) {
        field.setRangeText(text, start, end, "end");
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }
    }
    function abbreviate() {
      const at = field.selectionStart;
      if (at !== field.selectionEnd) return false;
      const typed = TYPED.exec(field.value.slice(Math.max(0, at - 30), at));
      const means = typed && meaning(typed[1]);
      if (!means) return false;
      put(at - typed[0].length, at, means);
      if (["⟨⟩", "⌈⌉", "⌊⌋"].includes(means)) field.setSelectionRange(field.selectionStart - 1, field.selectionStart - 1);
      return true;
    }
    function indent(out) {
      const { selectionStart: from, selectionEnd: to, value } = field;
      const start = value.lastIndexOf("\n", from - 1) + 1;
      if (from === to && !out) { put(from, to, "  "); return; }
      const end = to > from && value[to - 1] === "\n" ? to - 1 : to;
      const stop = value.indexOf("\n", end) < 0 ? value.length : value.indexOf("\n", end);
      const old = value.slice(start, stop);
      const lines = old.split("\n");
      const fresh = lines.map((line) => (out ? line.replace(/^( {1,2}|\t)/, "") : line ? `  ${line}` : line)).join("\n");
      if (fresh === old) return;
      put(start, stop, fresh);
      const first = fresh.split("\n")[0].length - lines[0].length;
      if (from === to) field.setSelectionRange(Math.max(start, from + first), Math.max(start, from + first));
      else field.setSelectionRange(Math.max(start, from + first), to + fresh.length - old.length);
    }
    function newLine() {
      const at = field.selectionStart;
      const line = field.value.slice(field.value.lastIndexOf("\n", at - 1) + 1, at);
      const blanks = /^[ \t]*/.exec(line)[0];
      const deeper = /(:=|\bby|\bdo|=>|\bthen|\belse|\bwhere|[([{⟨])\s*$/.test(line) ? "  " : "";
      put(at, field.selectionEnd, `\n${blanks}${deeper}`);
    }
    field.addEventListener("keydown", (event) => {
      if (event.isComposing || event.keyCode === 229 || event.ctrlKey && event.key !== "Enter" && event.key !== "s" || event.altKey) return;
      if ((event.ctrlKey || event.metaKey) && event.key === "s") {
        event.preventDefault();
        keep();
      } else if (event.metaKey || event.ctrlKey) {
        return;
      } else if (event.key === "Tab") {
        event.preventDefault();
        if (event.shiftKey || !abbreviate()) indent(event.shiftKey);
      } else if (event.key === " ") {
        abbreviate(); // the space itself is written too
      } else if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        abbreviate();
        newLine();
      } else if (event.key.length === 1 && /[)\]}⟩,;:]/.test(event.key)) {
        // \a) is α) unless the longer name means something, as \]] does.
        const typed = TYPED.exec(field.value.slice(Math.max(0, field.selectionStart - 30), field.selectionStart));
        if (typed && Object.hasOwn(table, typed[1]) && !names.some((name) => name.startsWith(typed[1] + event.key))) abbreviate();
      }
    });
    field.addEventListener("input", () => { tell(); later(); });
    document.addEventListener("selectionchange", () => { if (document.activeElement === field) tell(); });

    // ---------- the draft: kept on the server after each pause, here too while that fails ----------
    const url = form.dataset.draftUrl;
    const key = `proofroom.draft.${url}`;
    const local = {
      read() { try { return JSON.parse(localStorage.getItem(key)); } catch { return null; } },
      write(text) { try { localStorage.setItem(key, JSON.stringify({ text, base: form.base?.value, at: Date.now() })); } catch { /* full or forbidden */ } },
      drop() { try { localStorage.removeItem(key); } catch { /* forbidden */ } },
    };
    // Once it is saved there is no draft: leaving the page must not keep it once more.
    let waiting = 0, sending = false, sent = field.value, leaving = false;
    function show(words, tone = "") {
      if (!keptLine) return;
      keptLine.textContent = words;
      keptLine.className = tone ? "push status" : "push";
      if (tone) keptLine.dataset.tone = tone;
      else delete keptLine.dataset.tone;
    }
    function later() {
      if (!url) return;
      clearTimeout(waiting);
      waiting = setTimeout(keep, PAUSE);
    }
    async function keep() {
      clearTimeout(waiting);
      if (!url || sending || leaving || field.value === sent) return;
      sending = true;
      const text = field.value;
      const body = new URLSearchParams({ base: form.base.value, text });
      const token = JSON.parse(document.body.getAttribute("hx-headers") || "{}")["x-csrftoken"] || "";
      let trouble = "";
      try {
        const answer = await fetch(url, { method: "POST", body, headers: { "HX-Request": "true", "X-CSRFToken": token } });
        const box = document.createElement("template");
        box.innerHTML = await answer.text();
        const words = box.content.textContent.trim().replace(/\s+/g, " ");
        if (answer.ok) show(words || "draft kept");
        else trouble = answer.status === 422 ? words : answer.status === 401 ? "you are logged out" : [403, 404].includes(answer.status) ? "you may not write here any more" : "the server refused it";
      } catch {
        trouble = "the server cannot be reached";
      }
      sending = false;
      if (trouble) {
        local.write(text);
        show(`Draft not kept: ${trouble.replace(/^Draft not kept: /, "")}. It stays here and in this browser.`, "bad");
        waiting = setTimeout(keep, 10 * PAUSE);
      } else {
        sent = text;
        local.drop();
        if (field.value !== sent) later();
        else if (!form.elements.words?.value.trim()) form.dispatchEvent(new CustomEvent("kept", { bubbles: true }));
      }
    }
    document.addEventListener("visibilitychange", () => { if (document.hidden) keep(); });
    form.addEventListener("submit", () => { leaving = true; clearTimeout(waiting); local.drop(); });
    window.addEventListener("pageshow", () => { leaving = false; });

    const left = url && local.read();
    if (left && left.text !== field.value) {
      const notice = document.createElement("div");
      notice.className = "notice";
      notice.dataset.tone = "warn";
      const words = Object.assign(document.createElement("span"), { className: "status", textContent: `This browser holds a text of ${new Date(left.at).toLocaleString()} that the server did not get.` });
      words.dataset.tone = "warn";
      const take = Object.assign(document.createElement("button"), { type: "button", className: "btn small", textContent: "Take it" });
      const forget = Object.assign(document.createElement("button"), { type: "button", className: "btn small quiet", textContent: "Forget it" });
      take.addEventListener("click", () => { field.focus(); put(0, field.value.length, left.text); notice.remove(); });
      forget.addEventListener("click", () => { local.drop(); notice.remove(); field.focus(); });
      notice.append(words, take, forget);
      form.prepend(notice);
    }
    // In the list of abbreviations, the commonest are written out; here are all of them.
    const list = one("[data-abbreviations]", form);
    list?.closest("details")?.addEventListener("toggle", () => {
      const shown = names.map((name) => `\\${name} ${table[name]}`).join("   ");
      list.replaceChildren(Object.assign(document.createElement("span"), { className: "mono", textContent: shown }));
    }, { once: true });
    tell();
    if (fault) {
      const start = field.value.split("\n").slice(0, fault - 1).join("\n").length + (fault > 1 ? 1 : 0);
      field.focus();
      field.setSelectionRange(start, start);
    }
  });
})();
