// Links names across code panes, walks them by keyboard, copies code without what is written about it.
// Everything can be read without this script.
(() => {
  "use strict";

  const NAME = ".code [data-name]";
  const GROUP = "[data-code-group]";
  const NOT_CODE = ".cut, .thread, .fold";

  // from_pairs, fromPairs and _from_pairs are one name in two languages.
  const keyOf = (name) => name.replace(/[_'?!]/g, "").toLowerCase() || name;
  const lastPart = (name) => name.split(/\.|::/).pop();

  // ---------- counterparts ----------

  // data-counterparts='[["touching", "_los", "_his"]]' on the group: names that stand for one thing.
  const parsed = new WeakMap();
  const linksOf = (group) => {
    const text = group.dataset.counterparts || "[]";
    const known = parsed.get(group);
    if (known && known.text === text) return known.links;
    const links = new Map();
    const add = (from, to) => {
      if (!links.has(from)) links.set(from, new Set());
      links.get(from).add(to);
    };
    try {
      for (const names of JSON.parse(text)) {
        const keys = names.map((name) => keyOf(lastPart(name)));
        for (const key of keys) for (const other of keys) if (key !== other) add(key, other);
      }
    } catch {
      console.warn("data-counterparts is not a JSON list of lists of names", group);
    }
    parsed.set(group, { text, links });
    return links;
  };

  // The names of a group by key, gathered once: two panes of 1,000 open lines hold some 20,000.
  let gathered = new WeakMap();
  const namesOf = (group) => {
    if (!gathered.has(group)) {
      const named = new Map();
      for (const element of group.querySelectorAll(NAME)) {
        const key = keyOf(element.dataset.name);
        if (named.has(key)) named.get(key).push(element);
        else named.set(key, [element]);
      }
      gathered.set(group, named);
    }
    return gathered.get(group);
  };

  let lit = [];
  let pointedAt = null;

  const clear = () => {
    for (const element of lit) element.classList.remove("linked", "pointed");
    lit = [];
    pointedAt = null;
  };

  const point = (element) => {
    if (element === pointedAt) return;
    clear();
    pointedAt = element;
    const group = element.closest(GROUP) || element.closest(".codepane") || document.body;
    const own = keyOf(element.dataset.name);
    const others = group.matches(GROUP) ? linksOf(group).get(own) || new Set() : new Set();
    const counterparts = new Set();
    const named = namesOf(group);
    for (const key of new Set([own, ...others])) {
      for (const candidate of named.get(key) || []) {
        candidate.classList.add("linked");
        lit.push(candidate);
        if (candidate.dataset.name !== element.dataset.name) counterparts.add(candidate.dataset.name);
      }
    }
    element.classList.add("pointed");
    say(group, element.dataset.name, counterparts);
  };

  // <span data-code-pointing></span> inside the group says in words what is highlighted.
  const say = (group, name, counterparts) => {
    const place = group.querySelector("[data-code-pointing]");
    if (!place) return;
    const code = (text) => Object.assign(document.createElement("code"), { textContent: text });
    const parts = ["Pointing at ", code(name)];
    [...counterparts].slice(0, 6).forEach((other, index) => {
      parts.push(index ? ", " : " · counterpart ", code(other));
    });
    place.replaceChildren(...parts);
  };

  document.addEventListener("mouseover", (event) => {
    const name = event.target.closest?.(NAME);
    if (name) point(name);
    else if (pointedAt && pointedAt !== document.activeElement) clear();
  });
  document.addEventListener("focusin", (event) => {
    if (event.target.matches?.(NAME)) point(event.target);
  });
  document.addEventListener("focusout", (event) => {
    if (event.target.matches?.(NAME)) {
      if (!event.target.matches("a")) event.target.removeAttribute("tabindex");
      clear();
    }
  });

  // ---------- keyboard: Enter goes in, arrows walk, Escape goes out ----------

  const enter = (name) => {
    name.tabIndex = -1;
    name.focus({ preventScroll: true });
    name.scrollIntoView({ block: "nearest", inline: "nearest" });
  };

  const firstVisible = (region) => {
    const names = [...region.querySelectorAll("[data-name]")];
    return names.find((name) => name.getBoundingClientRect().top >= 0) || names[0];
  };

  const nextOnLine = (name, step) => {
    const lines = [...name.closest(".codepane").querySelectorAll(".ln")];
    const left = name.getBoundingClientRect().left;
    const distance = (other) => Math.abs(other.getBoundingClientRect().left - left);
    for (let at = lines.indexOf(name.closest(".ln")) + step; at >= 0 && at < lines.length; at += step) {
      const names = [...lines[at].querySelectorAll("[data-name]")];
      if (names.length) return names.reduce((best, other) => (distance(other) < distance(best) ? other : best));
    }
    return null;
  };

  const neighbour = (name, step) => {
    const names = [...name.closest(".codepane").querySelectorAll("[data-name]")];
    return names[names.indexOf(name) + step] || null;
  };

  const targetOf = (name, key) => {
    switch (key) {
      case "ArrowRight": return neighbour(name, 1);
      case "ArrowLeft": return neighbour(name, -1);
      case "ArrowDown": return nextOnLine(name, 1);
      case "ArrowUp": return nextOnLine(name, -1);
      default: return undefined;
    }
  };

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const here = event.target;
    if (here.matches?.(".codepane .code") && event.key === "Enter") {
      const name = firstVisible(here);
      if (name) enter(name);
      else return;
    } else if (here.matches?.(`.codepane ${NAME}`)) {
      const target = targetOf(here, event.key);
      if (event.key === "Escape") here.closest(".code").focus();
      else if (target === undefined) return;
      else if (target) enter(target);
    } else {
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

  // ---------- copy ----------

  const regionOf = (node) => (node?.nodeType === Node.ELEMENT_NODE ? node : node?.parentElement)?.closest(".code");

  document.addEventListener("copy", (event) => {
    const selection = document.getSelection();
    if (!selection || selection.isCollapsed || !event.clipboardData) return;
    if (!regionOf(selection.anchorNode) || !regionOf(selection.focusNode)) return;
    const text = [];
    for (let index = 0; index < selection.rangeCount; index += 1) {
      const copied = selection.getRangeAt(index).cloneContents();
      copied.querySelectorAll(NOT_CODE).forEach((element) => element.remove());
      text.push(copied.textContent);
    }
    event.clipboardData.setData("text/plain", text.join(""));
    event.preventDefault();
  });

  // ---------- folds close again: what came in place of one goes, and the fold is back ----------

  let opening = null;
  document.addEventListener("htmx:beforeSwap", (event) => {
    const fold = event.detail.target?.closest?.(".codepane .fold");
    opening = null;
    if (!fold || event.detail.xhr.status !== 200) return;
    const copy = fold.cloneNode(true);
    for (const element of [copy, ...copy.querySelectorAll("*")]) element.classList.remove("htmx-request", "htmx-swapping");
    const start = document.createElement("button");
    start.type = "button";
    start.className = "fold refold";
    const cells = [copy.firstElementChild?.textContent || "", copy.children[1]?.textContent || "", "hide these lines"];
    start.append(...cells.map((text) => Object.assign(document.createElement("span"), { textContent: text })));
    const end = document.createElement("span");
    end.hidden = true;
    opening = { fold, copy, start, end };
  });
  document.addEventListener("htmx:afterSwap", () => {
    if (!opening) return;
    const { fold, copy, start, end } = opening;
    opening = null;
    if (fold.isConnected || !start.parentNode) return;
    start.addEventListener("click", () => {
      const inside = [];
      for (let at = start; at; at = at.nextSibling) {
        inside.push(at);
        if (at === end) break;
      }
      const typed = inside.flatMap((node) => [...(node.querySelectorAll?.("textarea") || [])]).find((field) => field.value !== field.defaultValue);
      if (typed) {
        typed.focus();
        window.Proofroom?.announce("A comment is being written in these lines: send it first.");
        return;
      }
      start.before(copy);
      inside.forEach((node) => node.remove());
      window.htmx?.process(copy);
      (copy.matches("a") ? copy : copy.querySelector("a"))?.focus();
    });
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (!opening || event.detail.shouldSwap === false) return;
    opening.fold.before(opening.start);
    opening.fold.after(opening.end);
  });

  document.addEventListener("htmx:afterSwap", () => {
    clear();
    gathered = new WeakMap();
  });
})();
