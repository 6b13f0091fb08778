// What HTML alone can't do: morph swaps, keyboard shortcuts, pending buttons, alerts in background tabs.
// Without this file every page still works.
(() => {
  const byId = id => document.getElementById(id);
  // The key of a shortcut on any keyboard. Digits are meant by their place, also where Shift writes them; so are letters where the
  // layout has no Latin ones. Caps lock changes nothing.
  window.shortcut = ({ key, code, shiftKey }) => {
    const [, letter, digit] = /^(?:Key(.)|Digit(.))$/.exec(code) ?? [];
    if (key.length > 1) return key;
    return (digit && !shiftKey ? digit : letter && key > "\u007f" ? letter : key).toLowerCase();
  };
  // Show a message for some seconds. What is wrong with the connection takes its place again afterwards, and stays.
  let trouble = "";
  const toast = (words, bad = false) => {
    const box = byId("toast");
    box.textContent = words;
    box.classList.toggle("bad", bad);
    box.hidden = false;
    clearTimeout(toast.timer);
    if (words === trouble) return;
    toast.timer = setTimeout(() => (trouble ? toast(trouble, true) : box.hidden = true), bad ? 8000 : 3000);
  };

  if (byId("toast").textContent) toast(byId("toast").textContent);  // what the form before this page has done

  // What the stream, a poll or an answer brings. The stage may play it first.
  const theStage = typeof stage === "undefined" ? null : stage;
  const version = () => theStage?.last()?.version ?? +(byId("frame")?.dataset.version ?? 0);
  const receive = news => { if (news.version >= version() && !theStage?.take(news)) news.show(); };
  htmx.registerExtension("meadhall-morph", {
    handle_swap(style, target, fragment) {
      if (style !== "morph") return false;
      const fresh = fragment.querySelector("#" + CSS.escape(target.id));
      if (fresh && target.id === "frame") receive(regions.ofFrame(fresh));
      else if (fresh) regions.morph(target, fresh);
      // The regions that tell a refusal.
      else if (target.id === "frame" && fragment.firstElementChild?.id && byId(fragment.firstElementChild.id)) {
        regions.refuse(fragment);
        htmx.process(target);
      }
      // A response without this element, e.g. an error page: show its title as a toast, and leave the page unchanged.
      else toast(fragment.querySelector("h1")?.textContent.trim() || byId("toast").dataset.failed, true);
      return [target];
    },
  });

  // After a swap: title, favicon and alert for the turn; announcements for screen readers.
  let lastEntry = null, myTurn = null, wasOver = null, lastHint = "";
  function announce() {
    const frame = byId("frame") ?? byId("hall");
    if (frame?.dataset.url) history.replaceState(null, "", frame.dataset.url);
    if (!frame?.dataset.title) return;
    const turn = showTurn(frame);
    const number = line => +line.id.slice(4);
    const turns = frame.querySelectorAll("#log [id^=turn-]"), news = [];
    for (const turn of turns) {  // the newest first
      const lines = [...turn.querySelectorAll(".line")];
      if (lastEntry === null || number(lines.at(-1)) <= lastEntry) break;
      news.unshift(...lines.filter(line => number(line) > lastEntry));
    }
    const words = news.slice(-8).map(line => line.querySelector(".says > span").textContent);
    if (turn && !myTurn) words.push(byId("prompt-words").textContent);
    const hint = byId("hints")?.dataset.say ?? "";
    if (hint !== lastHint) words.push(hint);
    if (hint && hint !== lastHint && myTurn !== null) byId("hints").scrollIntoView({ block: "nearest" });
    lastHint = hint;
    for (const line of document.querySelectorAll(".hint-line")) {
      const key = line.querySelector(".key");
      key.textContent = boardButton(line)?.dataset.key ?? "";
      key.hidden = !key.textContent;
      if (line.value === shown) showHint(line);
    }
    if (words.length && myTurn !== null) byId("live").textContent = words.join(" ");
    lastEntry = turns.length ? number([...turns[0].querySelectorAll(".line")].at(-1)) : -1;
    myTurn = turn;
  }
  // A tooltip closes by Escape, and when the mouse leaves what it explains, although that may keep the focus (WCAG 1.4.13).
  const closeTips = closed => document.documentElement.toggleAttribute("data-no-tips", closed);
  const explained = element => element?.closest?.(".has-tip, .act, .da-spot");
  addEventListener("pointerout", e => { if (e.pointerType === "mouse" && explained(e.target) && explained(e.target) !== explained(e.relatedTarget)) closeTips(true); });
  for (const kind of ["pointerover", "click"]) addEventListener(kind, e => { if (explained(e.target)) closeTips(false); });
  addEventListener("focusin", e => { if (e.target.matches(":focus-visible")) closeTips(false); });
  addEventListener("keydown", e => { if (e.key === "Escape") closeTips(true); });
  // After playing a hinted action by keyboard, move the focus to the board's controls; after sitting down, to the own seat.
  const FOLLOWING = { ".hints": "#controls :is(button, input, select):not([aria-disabled], [tabindex='-1'], [type=hidden])", "[value=sit]": ".chair.mine button" };
  let following;  // where the focus goes if the part that has it disappears
  function refocus() {
    if (!following || document.activeElement !== document.body) return;
    [...document.querySelectorAll(following)].find(each => each.checkVisibility())?.focus({ preventScroll: true });
  }
  // When the match or the seat ends, or a bot takes over the seat, the controls disappear or rest. Then move the focus from them
  // to the prompt, which says so and stands before the next buttons. If a sheet is open, do this when it closes.
  const isPlaying = () => !!byId("controls") && !byId("stand-in");
  let wasPlaying = isPlaying(), promptWanted = false;
  function focusPrompt() {
    const { activeElement: at, body } = document;
    promptWanted ||= wasPlaying && !isPlaying();
    wasPlaying = isPlaying();
    if (!promptWanted || sheet()) return;
    promptWanted = false;  // until the next paint, the focus may still be in a sheet that was just closed
    if (at === body || !at.checkVisibility()) document.querySelector(".prompt-line[tabindex]")?.focus();
  }
  const sheet = () => document.querySelector(":popover-open");
  // A button named "first" stands for several actions: a radio button says how far after its value the action is.
  const plusOf = (button, line) => document.querySelector(`#controls input[name=plus][value="${line.value - button.value}"]`);
  const boardButton = line => document.querySelector(`#controls button[name=action][value="${line.value}"]`)
    ?? [...document.querySelectorAll("#controls button[name=first]")].find(each => plusOf(each, line));
  function showTurn(frame) {
    const turn = frame.dataset.turn === "yes";
    const icon = byId("icon");
    document.title = frame.dataset.title;
    icon.href = turn ? icon.dataset.turn : icon.dataset.calm;
    if (turn && myTurn === false) tell("turn", frame);
    const over = frame.matches(".over");
    if (over && wasOver === false) tell("end", frame);
    wasOver = over;
    return turn;
  }
  // Without a stream the table is polled. Of a hidden page only the title and the favicon change. Its polls say that it stays hidden,
  // because its browser may let it wake only once a minute. A page that is being closed is hidden, too, for a moment.
  let hiddenAt = Date.now();
  document.addEventListener("visibilitychange", () => { hiddenAt = Date.now(); });
  async function poll() {
    const stays = document.hidden && Date.now() - hiddenAt > 10000;
    const { content } = await live.load(location.pathname + (stays ? "?hidden" : "")), frame = content.getElementById("frame");
    if (!frame) return false;
    if (document.hidden) myTurn = showTurn(frame);
    else receive(regions.ofFrame(document.importNode(frame, true)));
    document.dispatchEvent(new CustomEvent("meadhall:polled", { detail: { page: content } }));
    return true;
  }
  // What happens is told by notifications.js. The number of the decision is the same in all tabs of the table.
  const tell = (kind, frame) => document.dispatchEvent(new CustomEvent("meadhall:" + kind, { detail: { id: frame.querySelector(".prompt-question")?.id ?? "" } }));
  const on = (name, act) => document.addEventListener(name, act);
  // The page names itself in every request. Then its stream sends regions, and a form is answered without the frame (status 204).
  on("htmx:config:request", ({ detail: { ctx } }) => {
    ctx.request.headers["Meadhall-Page"] = live.page;
    ctx.seen = version();
  });
  function hear(name, data) {
    if (name) return document.dispatchEvent(new CustomEvent(`meadhall:stream-${name}`, { detail: data }));
    const news = regions.ofMessage(data);
    if (news.whole || news.was === version()) receive(news);
    else if (news.version > version()) poll().catch(() => {});  // a message was lost
  }
  const seen = () => (byId("frame")?.dataset.version ? `${byId("stream").dataset.mark}-${version()}` : "");
  // A frame that the stream doesn't bring soon is loaded: the connection may be dead.
  const awaited = ctx => ctx.response?.status === 204 && ctx.seen === version();
  on("htmx:finally:request", ({ detail: { ctx } }) => {
    if (awaited(ctx)) setTimeout(() => { if (awaited(ctx)) poll().catch(() => {}); }, 2000);
  });
  // In a form with queued requests (hx-sync), a double click on one version of the table sends one request. If the stream shows
  // the next version before the response has come, the next click counts, and its request is queued.
  const sent = new WeakMap();
  on("htmx:config:request", e => {
    if (!e.target.matches("form[hx-post][hx-sync]")) return;
    const seen = version();
    if (sent.get(e.target)?.seen === seen) e.preventDefault();
    else sent.set(e.target, { seen, request: e.detail.ctx });
  });
  on("htmx:finally:request", e => { if (sent.get(e.target)?.request === e.detail.ctx && !awaited(e.detail.ctx)) sent.delete(e.target); });
  // At slow tables, or where the player wants it, the first press asks if the decision can't be taken back, and the second one
  // does it. A double click, a double tap or a key that is held is one press.
  let asked = "", isHeld = false, isHasty = false, pressed = -Infinity;
  on("keydown", e => { isHeld = e.repeat; });
  document.addEventListener("click", e => {
    const isDouble = e.pointerType === "touch" ? e.timeStamp - pressed < 500 : e.detail > 1;
    isHasty = e.detail ? isDouble : isHeld;
    pressed = e.timeStamp;
  }, true);
  // htmx follows the address of a form, not that of its button. The second click of a double click on a decision chooses nothing ahead.
  let decided = false;
  on("htmx:config:request", e => {
    const { request } = e.detail.ctx, address = request.submitter?.getAttribute("formaction");
    if (address && decided && isHasty) e.preventDefault();
    if (address) request.action = address;
    decided = !address && e.target.matches("#controls");
  });
  on("htmx:config:request", e => {
    const { body, submitter } = e.detail.ctx.request, { confirm } = byId("stream")?.dataset ?? {};
    const asks = confirm === "always" || (confirm === "slow" && document.querySelector(".frame .clock[data-slow]"));
    if (!asks || submitter?.matches(".ahead") || !e.target.matches("#controls, #hint-acts")) return;
    const choice = `${body.get("n")} ${body.get("action") ?? +body.get("first") + +body.get("plus")}`;
    if (choice !== asked || isHasty) body.append("sure", "no");
    asked = choice;
  });
  on("click", e => {
    if (e.target.id !== "unsure") return;
    const choice = boardButton(byId("sure"));
    byId("ask").remove();
    choice?.focus({ preventScroll: true });
    asked = "";
  });
  // Mark a pressed button as pending at once, and say when the server doesn't respond.
  const presser = ({ request, sourceElement }) => request.submitter ?? (sourceElement.matches("a") ? sourceElement : null);
  on("htmx:before:request", e => presser(e.detail.ctx)?.classList.add("pending"));
  on("htmx:finally:request", e => { if (!awaited(e.detail.ctx)) presser(e.detail.ctx)?.classList.remove("pending"); });
  on("htmx:error", e => { if (!e.target.hasAttribute?.("data-quiet")) toast(byId("toast").dataset.failed, true); });
  on("htmx:after:swap", announce);
  on("htmx:after:swap", focusPrompt);
  on("focusin", e => { following = FOLLOWING[Object.keys(FOLLOWING).find(part => e.target.closest(part))]; });
  on("htmx:after:swap", () => setTimeout(refocus));  // after the game's own script has set the tab order
  on("meadhall:connection", ({ detail: state }) => {
    const words = byId("toast").dataset[state];
    trouble = state === "back" ? "" : words;
    toast(words, !!trouble);
  });
  // Of a page that htmx polls the hall's answers say whether there is a connection.
  const isPoll = element => !byId("stream") && element.matches?.("[hx-trigger*=every]");
  // A tab that is left in the background doesn't count as a person who is here.
  on("htmx:before:request", e => { if (isPoll(e.target) && document.hidden) e.preventDefault(); });
  on("htmx:error", e => { if (isPoll(e.target)) live.tell("lost"); });
  on("htmx:after:request", e => { if (isPoll(e.target)) live.tell(e.detail.ctx.response?.status >= 500 ? "lost" : "back"); });
  live.woken(() => { if (!document.hidden) document.querySelectorAll("[hx-trigger*=every]").forEach(each => htmx.trigger(each, "again")); });
  on("meadhall:toast", ({ detail: words }) => toast(words, true));
  on("submit", ({ target, submitter, defaultPrevented }) => {
    if (!defaultPrevented && !target.matches("[hx-post], [hx-get]") && !submitter?.matches("[data-file]")) submitter?.classList.add("pending");
  });
  window.addEventListener("pageshow", () => document.querySelectorAll(".pending").forEach(e => e.classList.remove("pending")));

  on("click", e => {
    const refused = e.target.closest("[aria-disabled='true']");
    if (refused) {  // the focus shows the reason, and Safari doesn't focus a tapped button
      e.preventDefault();
      refused.focus();
      const why = byId(refused.getAttribute("aria-describedby"));
      byId("live").textContent = why?.textContent ?? refused.getAttribute("aria-description") ?? "";
    }
    if (e.target.id === "toast") e.target.hidden = true;
    const copy = e.target.closest("[data-copy]");
    if (copy) copyLink(copy.dataset.copy);
    if (e.target.closest("[data-print]")) print();
    const rule = e.target.closest("a.rule, a.says");
    if (rule && byId("rules")) { e.preventDefault(); openRule(decodeURIComponent(rule.hash.slice(1))); }
    if (e.target.closest("#autoplay")) play(!playing);
  });
  // A hint shows its action on the board: under a mouse, with the keyboard focus, and at the first tap. The second tap plays it.
  let shown = "", touched = false;  // the action that is shown; whether a finger or pen was used last
  function showHint(line) {
    for (const each of document.querySelectorAll(".meant, .hint-line.shown")) each.classList.remove("meant", "shown");
    shown = line?.value ?? "";
    byId("hints")?.classList.toggle("pointing", !!line && touched);
    if (!line) return [];
    line.classList.toggle("shown", touched);
    const targets = hintTargets(line);
    targets.forEach(each => each.classList.add("meant"));
    return targets;
  }
  // The button of the action, or what stands for it while it is invisible, e.g. a die and the space to which it may go.
  function hintTargets(line) {
    const button = boardButton(line), plus = button?.name === "first" && plusOf(button, line);
    if (button?.checkVisibility() && (!plus || plus.checked)) return [button];
    if (button?.dataset.shows) return [...(plus ? [plus.closest("label")] : []), ...document.querySelectorAll(button.dataset.shows)];
    return [document.querySelector(`#controls option[value="${line.value}"]`)?.closest("select")].filter(each => each);
  }
  on("pointerdown", e => { touched = e.pointerType !== "mouse"; });
  on("keydown", () => { touched = false; });
  for (const name of ["pointerover", "focusin"]) {
    on(name, e => { if (!touched && e.pointerType !== "touch") showHint(e.target.closest?.(".hint-line")); });
  }
  document.addEventListener("click", e => {
    const line = e.target.closest(".hint-line");
    if (!touched || (line && line.classList.contains("shown"))) return;
    const targets = showHint(line);
    if (!line) return;
    e.preventDefault();
    byId("live").textContent = line.dataset.again;
    const smooth = matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
    targets.at(-1)?.scrollIntoView({ block: "nearest", behavior: smooth });
  }, true);
  async function copyLink(selector) {
    const field = document.querySelector(selector);
    if (!field) return;
    field.select();
    const { copied, uncopied } = byId("toast").dataset;
    const given = await navigator.clipboard?.writeText(field.value).then(() => true, () => false);
    const done = given || copyWithoutClipboard(field.value);
    toast(done ? copied : uncopied, !done);
  }
  // The clipboard API needs HTTPS or localhost; on a home network friends use HTTP.
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
  // A link to a rule opens the sheet beside the board.
  function openRule(id, tries = 20) {
    if (!byId("rules").matches(":popover-open")) byId("rules").showPopover();
    const place = byId(id);
    if (!place && tries) return setTimeout(openRule, 100, id, tries - 1);
    document.querySelectorAll(".found").forEach(e => e.classList.remove("found"));
    place?.classList.add("found");
    place?.scrollIntoView({ block: "center" });
  }

  const press = element => element && element.getAttribute("aria-disabled") !== "true" && element.click();
  const keys = { "?": () => byId("keys").togglePopover(), h: () => press(byId("hint")), Escape: () => press(byId("revoke-yes")), u: () => press(byId("undo")), r: () => byId("rules")?.togglePopover(), g: () => press(byId("next-table")),
    l: () => copyLink("#table-url"), ArrowLeft: () => press(byId("step-back")), ArrowRight: () => press(byId("step-on")), " ": () => byId("autoplay") && play(!playing) };
  const typed = e => e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input:not([type=radio]), select, textarea");
  // An open sheet gets all keys and the focus. The key that opens it also closes it.
  const closes = { "?": "keys", r: "rules" };
  window.addEventListener("keydown", e => {
    if (!sheet()) return;
    e.stopPropagation();
    if (!typed(e) && closes[shortcut(e)] === sheet().id) sheet().hidePopover();
  }, true);
  document.addEventListener("toggle", e => {
    if (!e.target.matches("[popover]")) return;
    if (e.newState === "open") e.target.querySelector("[popovertargetaction=hide]")?.focus({ preventScroll: true });
    else focusPrompt();
  }, true);
  window.addEventListener("keydown", e => {  // after the game's own script, which may have handled the key
    if (e.defaultPrevented || typed(e)) return;
    if (e.key === " " && e.target.matches("button, a, summary, input")) return;
    const key = shortcut(e);
    if (/^[1-9]$/.test(key)) press(document.querySelector(`[data-key="${key}"]`));
    else if (keys[key]) { if (key === " ") e.preventDefault(); keys[key](); }
  });

  // Autoplay presses "next step".
  let playing;
  function play(start) {
    const button = byId("autoplay");
    playing = clearInterval(playing);
    if (start) {
      const next = () => (theStage?.isPlaying() ? null : byId("step-on").hasAttribute("href") ? byId("step-on").click() : play(false));
      playing = setInterval(next, +byId("speed").value);
      next();
    }
    button.setAttribute("aria-pressed", String(!!playing));
    button.querySelector("span").textContent = playing ? button.dataset.pause : button.dataset.play;
    button.querySelector("use").setAttribute("href", playing ? "#i-pause" : "#i-play");
  }

  // Times in the reader's time zone.
  function localTimes() {
    const format = new Intl.DateTimeFormat({ en: "en-GB" }[document.documentElement.lang] ?? document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
    for (const time of document.querySelectorAll("time[data-local]")) {
      const words = format.format(new Date(time.dateTime));
      if (time.textContent !== words) time.textContent = words;
    }
  }
  localTimes();
  on("htmx:after:swap", localTimes);
  // What the host tells everyone: it comes with the stream, and goes at its end.
  on("meadhall:stream-told", event => {
    byId("house-told").innerHTML = JSON.parse(event.detail);
    localTimes();
  });
  // Show what is true only after a time, e.g. that the day of a puzzle has ended.
  function showDue() {
    for (const part of document.querySelectorAll("[data-after][hidden]")) part.hidden = Date.now() < Date.parse(part.dataset.after);
    for (const part of document.querySelectorAll("#house-told > [data-until]")) part.hidden = Date.now() >= Date.parse(part.dataset.until);
  }
  showDue();
  setInterval(showDue, 5000);

  for (const part of document.querySelectorAll("#autoplay, [data-print]")) part.hidden = false;
  // On a phone the board shows who is where, so the list of the seats starts closed, unless it has more to open.
  if (matchMedia("(max-width: 44rem)").matches && !document.querySelector("#seats .plates button")) byId("seats")?.removeAttribute("open");
  announce();
  const opened = () => { document.dispatchEvent(new CustomEvent("meadhall:connected")); };
  if (byId("stream")) live.follow(byId("stream").dataset.url, { hear, poll, opened, seen });
})();
