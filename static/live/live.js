// Live updates: elements with data-live="job:12" (or several topics) get a `live` event when something happened there,
// and htmx asks for their new content (hx-trigger="live"). The socket carries no content. Without a socket the page
// asks now and then by itself.
"use strict";
(() => {
  const PACE = 700, LIST_PACE = 2000, WAITS = 1500, GENTLE = 8000, LONGEST = 30000;
  const SHARE = 8, SELDOM = 60000; // a page waits for no more than an eighth of its time, and asks once a minute at least
  const KEPT = "live-at";
  const LOGGED_OUT = 4401, BAD_MESSAGE = 4400;

  let socket = null, failures = 0, over = false, polling = 0, gentle = GENTLE;
  let following = new Set();
  const ended = new Set(), due = new Map(), last = new Map(), took = new Map(), saidAlready = new Set();

  const elements = () => [...document.querySelectorAll("[data-live]")];
  const topicsOf = (element) => (element.dataset?.live || "").split(/\s+/).filter(Boolean);

  // ---------- pokes to elements: at most one in PACE for a thing, one in LIST_PACE for a list, none under the reader's hands ----------
  let pressed = null;
  document.addEventListener("pointerdown", (event) => { pressed = event.target; }, true);
  for (const kind of ["pointerup", "pointercancel"]) {
    document.addEventListener(kind, () => setTimeout(() => { pressed = null; }, 100), true); // the click comes after
  }
  function busy(element) {
    if (pressed && element.contains(pressed)) return true;
    const active = document.activeElement;
    if (active && element.contains(active) && active.matches("input, textarea, select")) return true;
    if (element.querySelector("details.pop[open]")) return true;
    const selection = document.getSelection();
    return Boolean(selection && !selection.isCollapsed && element.contains(selection.anchorNode));
  }
  function poke(topic) {
    if (due.has(topic)) return;
    const pace = Math.max(topic.includes(":") ? PACE : LIST_PACE, Math.min(SHARE * (took.get(topic) || 0), LONGEST));
    const wait = Math.max(0, (last.get(topic) || 0) + pace - Date.now());
    due.set(topic, setTimeout(() => fire(topic), wait));
  }
  function fire(topic) {
    due.delete(topic);
    if (ended.has(topic)) return;
    const affected = elements().filter((element) => topicsOf(element).includes(topic));
    // A request that is under way may have read before this happened, and a second one would be lost with the swap.
    const underWay = affected.some((element) => element.classList.contains("htmx-request"));
    if (document.hidden || underWay || affected.some(busy)) {
      due.set(topic, setTimeout(() => fire(topic), WAITS));
      return;
    }
    last.set(topic, Date.now());
    affected.forEach((element) => element.dispatchEvent(new CustomEvent("live", { detail: { topic } })));
  }

  // ---------- what htmx does for a poke is nobody's wish: it waits for busy hands and fails in silence ----------
  const byPoke = (event) => event.detail.requestConfig?.triggeringEvent?.type === "live";
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { elt, xhr } = event.detail;
    if (!byPoke(event) || xhr.status !== 200 || !busy(elt)) return;
    event.detail.shouldSwap = false;
    topicsOf(elt).forEach(poke);
  });
  // ---------- a server that is slow is asked less; where nothing is new, a page without a socket asks ever more seldom ----------
  const asked = new WeakMap();
  document.addEventListener("htmx:beforeRequest", (event) => { asked.set(event.detail.elt, Date.now()); });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (!byPoke(event)) return;
    const spent = Date.now() - (asked.get(event.detail.elt) ?? Date.now());
    topicsOf(event.detail.elt).forEach((topic) => took.set(topic, spent));
    gentle = event.detail.xhr.status === 204 ? Math.min(1.5 * gentle, SELDOM) : GENTLE;
  });
  for (const kind of ["htmx:sendError", "htmx:responseError"]) {
    document.addEventListener(kind, (event) => {
      if (!byPoke(event)) return;
      event.stopPropagation();
      if (event.detail.xhr.status === 404) topicsOf(event.detail.elt).forEach((topic) => ended.add(topic));
    }, true);
  }

  // ---------- what is said once: a job of one's own has ended ----------
  function say(said) {
    const fresh = said.filter(([id, words]) => !saidAlready.has(`${id} ${words}`));
    fresh.forEach(([id, words]) => saidAlready.add(`${id} ${words}`));
    if (fresh.length) window.Proofroom?.announce(fresh.map(([, words]) => words).join(". "));
  }

  // ---------- the socket ----------
  function kept() {
    try {
      const at = JSON.parse(sessionStorage.getItem(KEPT));
      return Array.isArray(at) ? at : null;
    } catch { return null; }
  }
  // A page that is being left hears things that happened after the next one was made: the next one is to hear them too.
  let leaving = 0;
  addEventListener("beforeunload", () => {
    clearTimeout(leaving);
    leaving = setTimeout(() => { leaving = 0; }, LONGEST); // it may have been a download
  });
  function keep(at) {
    if (leaving) return;
    try { sessionStorage.setItem(KEPT, JSON.stringify(at)); } catch { /* private mode: nothing is replayed */ }
  }
  function send(message) {
    if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  }
  function follow(since) {
    const wanted = new Set(elements().flatMap(topicsOf).filter((topic) => !ended.has(topic)).slice(0, 100));
    const message = {};
    const add = [...wanted].filter((topic) => since || !following.has(topic));
    const leave = [...following].filter((topic) => !wanted.has(topic));
    if (add.length) message.follow = add;
    if (leave.length) message.leave = leave;
    if (since) message.since = since;
    following = wanted;
    if (Object.keys(message).length) send(message);
  }
  function connect() {
    const address = new URL("/live/", location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    try { socket = new WebSocket(address); } catch { retry(); return; }
    socket.addEventListener("open", () => {
      following = new Set();
      const since = kept();
      follow(since || undefined);
      // The first page of a window has no place to go on from: what happened since it was made, it asks for itself.
      if (!since) new Set(elements().flatMap(topicsOf)).forEach(poke);
    });
    socket.addEventListener("message", (event) => {
      failures = 0;
      stopPolling();
      const message = JSON.parse(event.data);
      if (message.at) keep(message.at);
      (message.ended || []).forEach((topic) => { ended.add(topic); following.delete(topic); });
      Object.keys(message.pokes || {}).forEach(poke);
      if (message.said) say(message.said);
    });
    socket.addEventListener("close", (event) => {
      if (event.code === LOGGED_OUT || event.code === BAD_MESSAGE) { over = true; stopPolling(); return; }
      retry();
    });
  }
  function retry() {
    if (over) return;
    failures += 1;
    if (failures > 1) startPolling();
    const wait = Math.min(LONGEST, 500 * 2 ** failures) * (0.7 + Math.random() * 0.6);
    setTimeout(connect, wait);
  }
  function startPolling() {
    if (polling) return;
    const ask = () => {
      new Set(elements().flatMap(topicsOf)).forEach(poke);
      polling = setTimeout(ask, gentle);
    };
    ask();
  }
  function stopPolling() {
    clearTimeout(polling);
    polling = 0;
    gentle = GENTLE;
  }

  // ---------- logs stay where the reader is: at the end, or where they scrolled to ----------
  const places = new Map();
  const logs = () => [...document.querySelectorAll("[data-follow][id]")];
  const toEnd = (log) => { log.scrollTop = log.scrollHeight; };
  document.addEventListener("htmx:beforeSwap", () => {
    logs().forEach((log) => {
      const atEnd = log.scrollTop + log.clientHeight >= log.scrollHeight - 4;
      places.set(log.id, atEnd ? null : log.scrollTop);
    });
  });
  function putBack() {
    logs().forEach((log) => {
      const place = places.get(log.id);
      if (place === undefined || place === null) toEnd(log);
      else if (log.scrollTop === 0) log.scrollTop = place; // a new element begins at its top
    });
  }
  for (const kind of ["htmx:afterSwap", "htmx:afterSettle"]) document.addEventListener(kind, putBack);

  document.addEventListener("htmx:afterSettle", () => follow());
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) [...due.keys()].forEach((topic) => { clearTimeout(due.get(topic)); fire(topic); });
  });
  logs().forEach(toEnd);
  if (elements().length || document.querySelector("[data-announce]")) connect();
})();
