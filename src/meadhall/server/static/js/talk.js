// The talk panel: new lines, unread ones, and sending without leaving the page. Without this file its forms work as plain forms.
(() => {
  const byId = id => document.getElementById(id);
  const panel = byId("talk-panel");
  if (!panel) return;
  const tab = panel.querySelector("summary");  // as a tab the panel itself has no box
  const live = byId("talk-live"), unread = byId("talk-unread"), field = byId("talk-text"), list = byId("talk-lines");
  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

  // The last line that was read is kept for this table, so that a reload doesn't make old lines new.
  const key = `talk-read ${panel.dataset.url}`;
  let read = null;
  try { read = localStorage.getItem(key); } catch { /* no storage: lines of this visit only */ }
  const others = () => [...list.querySelectorAll(".said:not(.mine)")];
  const isReading = () => panel.open && !document.hidden && tab.checkVisibility();
  const unreadLines = () => {
    const lines = others();
    return lines.slice(lines.findIndex(line => line.id === read) + 1);
  };
  function showUnread() {
    if (isReading()) {
      read = others().at(-1)?.id ?? read;
      try { if (read) localStorage.setItem(key, read); } catch { /* see above */ }
    }
    const count = isReading() ? 0 : unreadLines().length;
    unread.hidden = !count;
    unread.textContent = count || "";
    if (count) unread.setAttribute("aria-label", countInWords(count));
    byId("bar-unread").textContent = count || "";
    document.querySelector(".bar-chat").hidden = !count;
    return count;
  }
  const countInWords = count => (count === 1 ? live.dataset.one : filled(live.dataset.many, { count }));

  // The stream sends the new lines and how many of the oldest go, and the other three parts when they have changed.
  let isFirst = true, known = new Set(others().map(line => line.id));
  const on = (name, act) => document.addEventListener(name, act);
  on("meadhall:stream-chat", e => {
    const { whole, dropped, lines, about, others: people, react } = JSON.parse(e.detail);
    if (whole) Idiomorph.morph(list, lines.join(""), { morphStyle: "innerHTML" });
    else {
      for (const line of [...list.children].slice(0, dropped)) line.remove();
      list.insertAdjacentHTML("beforeend", lines.join(""));
    }
    show(about, people, react);
  });
  function show(about, people, react) {
    for (const [part, html] of [["about", about], ["others", people], ["react", react]]) if (html !== undefined) Idiomorph.morph(byId(`talk-${part}`), html, { morphStyle: "innerHTML" });
    document.body.classList.toggle("chats", "shown" in byId("talk-note").dataset);
    byId("talk").classList.toggle("chat-closed", "closed" in byId("talk-note").dataset);
    localTimes();
    showReactions();
    const news = others().filter(line => !known.has(line.id));
    known = new Set(others().map(line => line.id));
    const count = showUnread();
    if (news.length && !isFirst) tell(news, count);
    isFirst = false;
  }
  // Without a stream, the page that is polled tells what is new. A hidden one only says that there is something.
  on("meadhall:polled", ({ detail: { page } }) => {
    if (!document.hidden && page.getElementById("talk-lines")?.children.length) {
      const [lines, about, people, react] = ["lines", "about", "others", "react"].map(name => page.getElementById(`talk-${name}`).innerHTML);
      Idiomorph.morph(list, lines, { morphStyle: "innerHTML" });
      return show(about, people, react);
    }
    const news = [...page.querySelectorAll("#talk-lines .said:not(.mine)")].filter(line => !known.has(line.id));
    news.forEach(line => known.add(line.id));
    if (news.length) tell(news, unreadLines().length + news.length);
  });
  function tell(news, count) {
    const last = news.at(-1), name = last.querySelector("bdi").textContent, text = last.querySelector(".said-words").textContent;
    const said = line => filled(live.dataset.said, { name: line.querySelector("bdi").textContent, text: line.querySelector(".said-words").textContent });
    live.textContent = count ? countInWords(count) : news.slice(-3).map(said).join(" ");
    document.dispatchEvent(new CustomEvent("meadhall:chat", { detail: { id: last.id, lines: news.length, unread: count, name, text } }));
  }
  // A reaction lies over the plate of its seat, or over the board with the name where the plate isn't in sight.
  const SHOWN = 6000, reacted = new Set();
  function showReactions() {
    const news = [...document.querySelectorAll("#talk-react .reacted")].filter(each => !reacted.has(each.id));
    for (const each of news) {
      reacted.add(each.id);
      const bubble = each.cloneNode(true);
      bubble.removeAttribute("id");
      bubble.className = `reaction seat-${each.dataset.seat}`;
      bubble.setAttribute("aria-hidden", "true");
      document.querySelectorAll(`.reaction[data-seat="${each.dataset.seat}"]`).forEach(old => old.remove());
      document.body.append(bubble);
      place(bubble);
      setTimeout(() => bubble.remove(), SHOWN);
    }
    if (news.length) live.textContent = news.map(each => filled(live.dataset.reacted, { name: each.querySelector("bdi").textContent, text: each.lastElementChild.textContent })).join(" ");
  }
  function place(bubble) {
    const { seat } = bubble.dataset, crest = document.querySelector(`#plate-${seat} svg, .chair.seat-${seat} svg`);
    const at = crest?.checkVisibility() ? crest.getBoundingClientRect() : null, isSeen = !!at && at.top >= 0 && at.bottom <= innerHeight;
    bubble.classList.toggle("over-plate", isSeen);
    const board = (byId("board") ?? byId("main")).getBoundingClientRect(), { offsetWidth: width, offsetHeight: height } = bubble;
    const above = document.querySelectorAll(".reaction:not(.over-plate)").length - 1;
    const middle = isSeen ? at : { left: board.left, width: board.width, top: Math.max(0, board.top) + 8 + above * (height + 4), height };
    bubble.style.left = `${scrollX + middle.left + (middle.width - width) / 2}px`;
    bubble.style.top = `${scrollY + middle.top + (middle.height - height) / 2}px`;
  }
  addEventListener("resize", () => document.querySelectorAll(".reaction").forEach(place));
  function localTimes() {
    for (const time of list.querySelectorAll("time[data-clock]")) {
      const at = new Date(time.dateTime), locale = document.documentElement.lang;
      const words = at.toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
      if (time.textContent !== words) time.textContent = words;
      time.title = at.toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });
    }
  }

  // In a match log and chat are two tabs, and the log is open first: also when the lobby has become a match.
  const log = () => byId("log");
  let inLobby = !!panel.closest(".lobby");
  document.addEventListener("toggle", e => { if (e.target === panel) showUnread(); }, true);
  on("htmx:after:swap", () => {
    if (inLobby && log() && !panel.contains(document.activeElement)) log().open = true;
    inLobby = !log();
  });
  document.addEventListener("click", e => { if (e.target.closest(".bar-chat")) panel.open = true; });
  on("visibilitychange", showUnread);
  on("htmx:after:swap", showUnread);  // the lobby may have become a match

  // Forms are sent in the background. What was typed stays until the hall has stored it; a repeated request says nothing twice.
  const sending = new WeakSet();
  on("submit", async e => {
    const form = e.target;
    if (!form.matches("[data-talk]")) return;
    e.preventDefault();
    if (sending.has(form)) return;
    sending.add(form);
    const { submitter } = e, text = form.elements.text?.value;
    submitter?.classList.add("pending");
    const answer = await fetch(form.action, {
      method: "POST", headers: { Accept: "application/json" }, body: new URLSearchParams(new FormData(form, submitter)), signal: AbortSignal.timeout(15000),
    }).catch(() => null);
    const refusal = answer?.ok ? "" : (await answer?.json().catch(() => null))?.reason ?? live.dataset.failed;
    submitter?.classList.remove("pending");
    sending.delete(form);
    if (submitter?.name !== "reaction") showError(refusal);
    else if (refusal) document.dispatchEvent(new CustomEvent("meadhall:toast", { detail: refusal }));
    if (submitter?.name === "phrase") byId("talk-more").hidePopover();
    if (answer && form.elements.key) form.elements.key.value = Math.random().toString(36).slice(2) + Date.now().toString(36);
    if (refusal || text === undefined) return;
    if (field.value === text) field.value = "";
    countLetters();
  });
  function showError(words) {
    byId("talk-error").textContent = words;
    byId("talk-error").hidden = !words;
  }
  // The number of letters, as people count them, once it comes near the most.
  const MOST = 500, count = byId("talk-count");
  const letters = window.Intl?.Segmenter ? new Intl.Segmenter() : null;
  function countLetters() {
    const long = field.value.length > MOST - 80;
    count.hidden = !long;
    if (long) count.textContent = filled(count.dataset.words, { count: letters ? [...letters.segment(field.value)].length : [...field.value].length, most: MOST });
  }
  field.addEventListener("input", () => { showError(""); countLetters(); });
  window.addEventListener("keydown", e => {
    if (shortcut(e) !== "c" || e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.target.matches("input:not([type=radio]), select, textarea") || document.querySelector(":popover-open") || !tab.checkVisibility()) return;
    e.preventDefault();
    panel.open = true;
    field.focus();
  });
  localTimes();
  showUnread();
  showReactions();
})();
