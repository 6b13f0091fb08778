// What a page can't do with HTML alone: keep pieces that keep their id, keys, a pending mark, whose turn it is seen from
// another tab. Without this file every page still works.
(() => {
  const byId = id => document.getElementById(id);
  const kept = key => { try { return localStorage.getItem(key); } catch { return null; } };
  const toast = (words, bad = false) => {
    const box = byId("toast");
    box.textContent = words;
    box.classList.toggle("bad", bad);
    box.hidden = false;
    clearTimeout(toast.timer);
    toast.timer = setTimeout(() => { box.hidden = true; }, bad ? 8000 : 3000);
  };

  // htmx's own morph makes new SVG nodes HTML ones (never drawn), so swaps go through idiomorph.
  // Drawers stay as the reader left them, and so does a list to choose from that is the same; what carries data-keep belongs
  // to this file.
  const callbacks = {
    beforeNodeMorphed: (node, fresh) => !node.matches?.("[data-keep]") && !(node.matches?.("select") && node.isEqualNode(fresh)),
    beforeAttributeUpdated: (name, node) => !(name === "open" && node.tagName === "DETAILS") && name !== "data-htmx-powered",
  };
  htmx.registerExtension("meadhall-morph", {
    handle_swap(style, target, fragment) {
      if (style !== "morph") return false;
      const fresh = fragment.querySelector("#" + CSS.escape(target.id));
      // An answer that the stream has overtaken shows an older moment: it comes too late.
      if (fresh && +(fresh.dataset.version ?? 0) < +(target.dataset.version ?? 0)) return [target];
      if (fresh && target.matches(".lobby") && !fresh.matches(".lobby")) scrollTo(0, 0);  // the game begins
      // What is being written stays as it is. What is checked follows the hall: left out, an older page unchecks it for good.
      const typing = !!document.activeElement?.matches("input:not([type=radio], [type=checkbox]), select, textarea");
      if (fresh) return Idiomorph.morph(target, fresh, { morphStyle: "outerHTML", ignoreActiveValue: typing, callbacks });
      // An answer without this part (an error page): say what it says, and leave the table as it was.
      toast(fragment.querySelector("h1")?.textContent.trim() || byId("toast").dataset.failed, true);
      return [target];
    },
  });

  // Whose turn it is, told to a hidden tab; what happened, told to who listens.
  let heard = null, mine = null, advised = "", lost = false;
  function tell() {
    const frame = byId("frame");
    if (frame?.dataset.url) history.replaceState(null, "", frame.dataset.url);
    if (!frame?.dataset.title) return;
    const turn = whose(frame);
    const entries = [...frame.querySelectorAll(".entries > [id]")];
    const news = entries.filter(e => heard !== null && +e.id.slice(4) > heard);
    const words = news.reverse().slice(-8).map(e => e.firstElementChild.textContent);
    if (turn && !mine) words.push(byId("prompt-words").textContent);
    const hint = byId("hints")?.dataset.say ?? "";
    if (hint !== advised) words.push(hint);
    if (hint && hint !== advised && mine !== null) byId("hints").scrollIntoView({ block: "nearest" });
    advised = hint;
    for (const line of document.querySelectorAll(".hint-line")) {  // the number that chooses the same
      const key = line.querySelector(".key");
      key.textContent = meant(line)?.dataset.key ?? "";
      key.hidden = !key.textContent;
    }
    if (words.length && mine !== null) byId("live").textContent = words.join(" ");
    heard = Math.max(-1, ...entries.map(e => +e.id.slice(4)));
    mine = turn;
  }
  // Who has played what a hint said goes on at the board.
  let hinted = false;  // whether the focus is, or was before it vanished, among hints
  function goOn() {
    if (!hinted || document.activeElement !== document.body) return;
    const choices = document.querySelectorAll("#controls :is(button, input, select):not([aria-disabled], [tabindex='-1'], [type=hidden])");
    [...choices].find(each => each.checkVisibility())?.focus({ preventScroll: true });
  }
  // With the match, or the seat, goes what one played with. Who was nowhere else goes on at the words that say so, before what
  // can be done now; who has a sheet open, once it is shut.
  let seated = !!byId("controls"), risen = false;
  function land() {
    const { activeElement: at, body } = document;
    risen ||= seated && !byId("controls");
    seated = !!byId("controls");
    if (!risen || sheet()) return;
    risen = false;  // what is in a sheet that was just shut has the focus until it is painted
    if (at === body || !at.checkVisibility()) document.querySelector(".prompt-line[tabindex]")?.focus();
  }
  const sheet = () => document.querySelector(":popover-open");
  const meant = line => document.querySelector(`#controls [name=action][value="${line.value}"]`);
  function whose(frame) {
    const turn = frame.dataset.turn === "yes";
    const icon = byId("icon");
    document.title = frame.dataset.title;
    icon.href = turn ? icon.dataset.turn : icon.dataset.calm;
    if (turn && mine === false) call();
    return turn;
  }
  // A hidden tab gives its stream back (a browser opens only six), so it asks now and then instead.
  setInterval(async () => {
    if (!document.hidden || !byId("stream")) return;
    const page = await fetch(location.href).then(answer => answer.text()).catch(() => "");
    const frame = new DOMParser().parseFromString(page, "text/html").getElementById("frame");
    if (frame && document.hidden) mine = whose(frame);
  }, 15000);
  function call() {
    if (!document.hidden) return;
    if (kept("call-sound")) new Audio(byId("icon").dataset.knock).play().catch(() => {});
    if (kept("call-notice") && window.Notification?.permission === "granted") {
      try { new Notification(document.title); } catch { /* Android has none without a worker */ }
    }
  }
  const on = (name, act) => document.addEventListener(name, act);
  // In a form whose requests queue (hx-sync), who presses twice at one sight of the table decides once. But the stream may show
  // the next sight before the answer has come: what is decided then waits for it.
  const asked = new WeakMap();
  on("htmx:config:request", e => {
    if (!e.target.matches("form[hx-post][hx-sync]")) return;
    const seen = byId("frame").dataset.version;
    if (asked.get(e.target)?.seen === seen) e.preventDefault();
    else asked.set(e.target, { seen, request: e.detail.ctx });
  });
  on("htmx:finally:request", e => { if (asked.get(e.target)?.request === e.detail.ctx) asked.delete(e.target); });
  // Pending at once, and a word when the hall can't be reached.
  const presser = ({ request, sourceElement }) => request.submitter ?? (sourceElement.matches("a") ? sourceElement : null);
  on("htmx:before:request", e => presser(e.detail.ctx)?.classList.add("pending"));
  on("htmx:finally:request", e => presser(e.detail.ctx)?.classList.remove("pending"));
  on("htmx:error", e => { if (!e.target.hasAttribute?.("data-quiet")) toast(byId("toast").dataset.failed, true); });
  on("htmx:after:swap", tell);
  on("htmx:after:swap", land);
  on("focusin", e => { hinted = !!e.target.closest(".hints"); });
  on("htmx:after:swap", () => setTimeout(goOn));  // once the game has said where Tab leads
  on("htmx:sse:error", () => { if (!lost) toast(byId("toast").dataset.lost, true); lost = true; });
  on("htmx:sse:after:connection", () => { if (lost) toast(byId("toast").dataset.reconnected); lost = false; });
  on("submit", e => { if (!e.target.hasAttribute("hx-post") && !e.target.hasAttribute("hx-get")) e.submitter?.classList.add("pending"); });
  window.addEventListener("pageshow", () => document.querySelectorAll(".pending").forEach(e => e.classList.remove("pending")));

  on("click", e => {
    const refused = e.target.closest("[aria-disabled='true']");
    if (refused) {  // Safari focuses no button on a tap: the focus is what shows why not
      e.preventDefault();
      refused.focus();
      const why = byId(refused.getAttribute("aria-describedby"));
      if (why) byId("live").textContent = why.textContent;
    }
    const copy = e.target.closest("[data-copy]");
    if (copy) copyLink(copy.dataset.copy);
    const rule = e.target.closest("a.rule");
    if (rule && byId("rules")) { e.preventDefault(); openRule(rule.hash.slice(1)); }
    if (e.target.closest("#autoplay")) play(!playing);
  });
  // What a hint names shows itself on the board.
  const point = e => {
    document.querySelectorAll(".meant").forEach(one => one.classList.remove("meant"));
    const line = e.target.closest?.(".hint-line");
    if (line) meant(line)?.classList.add("meant");
  };
  on("pointerover", point);
  on("focusin", point);
  async function copyLink(selector) {
    const field = document.querySelector(selector);
    if (!field) return;
    field.select();
    const { copied, uncopied } = byId("toast").dataset;
    const given = await navigator.clipboard?.writeText(field.value).then(() => true, () => false);
    const done = given || copyWithoutClipboard(field.value);
    toast(done ? copied : uncopied, !done);
  }
  // Only https and this very machine have a clipboard: at home friends come by http.
  function copyWithoutClipboard(text) {
    const { activeElement: at, body } = document;
    const box = document.createElement("textarea");
    box.value = text;
    box.className = "visually-hidden";
    (sheet() ?? body).append(box);
    box.focus({ preventScroll: true });
    box.select();
    const done = document.execCommand("copy");
    box.remove();
    at?.focus({ preventScroll: true });
    return done;
  }
  // A rule of the log opens in the sheet beside the board.
  function openRule(id, tries = 20) {
    if (!byId("rules").matches(":popover-open")) byId("rules").showPopover();
    const place = byId(id);
    if (!place && tries) return setTimeout(openRule, 100, id, tries - 1);
    document.querySelectorAll(".found").forEach(e => e.classList.remove("found"));
    place?.classList.add("found");
    place?.scrollIntoView({ block: "center" });
  }

  const press = element => element && element.getAttribute("aria-disabled") !== "true" && element.click();
  const keys = { "?": () => byId("keys").togglePopover(), h: () => press(byId("hint")), u: () => press(byId("undo")), r: () => byId("rules")?.togglePopover(),
    l: () => copyLink("#table-url"), ArrowLeft: () => press(byId("step-back")), ArrowRight: () => press(byId("step-on")), " ": () => byId("autoplay") && play(!playing) };
  const typed = e => e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input:not([type=radio]), select, textarea");
  // An open sheet has the keys, and the focus, to itself: no key gets through to the table. The one that opened it closes it.
  const closes = { "?": "keys", r: "rules" };
  window.addEventListener("keydown", e => {
    if (!sheet()) return;
    e.stopPropagation();
    if (!typed(e) && closes[e.key] === sheet().id) sheet().hidePopover();
  }, true);
  document.addEventListener("toggle", e => {
    if (!e.target.matches("[popover]")) return;
    if (e.newState === "open") e.target.querySelector("[popovertargetaction=hide]")?.focus({ preventScroll: true });
    else land();
  }, true);
  window.addEventListener("keydown", e => {  // after a game's own script, which may have used the key
    if (e.defaultPrevented || typed(e)) return;
    if (e.key === " " && e.target.matches("button, a, summary, input")) return;
    if (/^[1-9]$/.test(e.key)) press(document.querySelector(`[data-key="${e.key}"]`));
    else if (keys[e.key]) { if (e.key === " ") e.preventDefault(); keys[e.key](); }
  });

  // A replay plays by pressing its own "a step on".
  let playing;
  function play(start) {
    const button = byId("autoplay");
    playing = clearInterval(playing);
    if (start) {
      const next = () => (byId("step-on").hasAttribute("href") ? byId("step-on").click() : play(false));
      playing = setInterval(next, +byId("speed").value);
      next();
    }
    button.setAttribute("aria-pressed", String(!!playing));
    button.querySelector("span").textContent = playing ? button.dataset.pause : button.dataset.play;
    button.querySelector("use").setAttribute("href", playing ? "#i-pause" : "#i-play");
  }

  for (const part of document.querySelectorAll("#autoplay, #calls")) part.hidden = false;
  for (const field of document.querySelectorAll("#table-url, #device-url, #invite")) field.value = new URL(field.value, location.href).href;
  if (matchMedia("(max-width: 700px)").matches) byId("seats")?.removeAttribute("open");
  for (const box of document.querySelectorAll("#calls input")) {
    box.checked = !!kept(box.id);
    box.addEventListener("change", async () => {
      if (box.id === "call-notice" && box.checked && (await window.Notification?.requestPermission()) !== "granted") {
        box.checked = false;
        toast(byId("calls").dataset.denied, true);
      }
      localStorage.setItem(box.id, box.checked ? "1" : "");
    });
  }
  tell();
})();
