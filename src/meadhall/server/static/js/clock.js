// Clocks count down here, by the hall's time. The clock of this machine may be wrong: only the time since a measurement is used,
// from a clock that can't be set.
(() => {
  const stream = document.getElementById("stream");
  const root = document.documentElement;
  const words = JSON.parse(stream.dataset.words);

  // The hall's time when performance.now() was `at`; at first from the page, then measured.
  let base = +stream.dataset.now, at = performance.getEntriesByType("navigation")[0]?.responseStart ?? performance.now();
  const difference = () => Date.now() - performance.now();
  const slept = before => Math.abs(difference() - before) > 2000;  // or the clock of this machine was set
  let drift = difference();
  const serverNow = () => base + performance.now() - at;
  window.hallNow = serverNow;  // for other scripts of this page

  // Ask three times, and believe the fastest answer: it can be wrong by half of the time that it took.
  let measuring = false, measured = -Infinity;
  async function measure() {
    if (measuring || !(clocks().length || document.querySelector(".frame :is([data-since], [data-due], [data-until])"))) return;
    measuring = true;
    measured = performance.now();
    let best = Infinity;
    for (let k = 0; k < 3; k += 1) {
      const sent = performance.now(), before = difference();
      const answer = await fetch(stream.dataset.time, { cache: "no-store", signal: AbortSignal.timeout(15000) }).then(each => each.json()).catch(() => null);
      const took = performance.now() - sent;
      if (answer && took < best && !slept(before)) {  // how long an answer took is not known when the machine slept meanwhile
        best = took;
        base = answer.now;
        at = sent + took / 2;
        drift = difference();
        tick();
      }
    }
    measuring = false;
  }
  const clocks = () => document.querySelectorAll(".frame .clock");

  const plural = ([one, more], count) => (count === 1 ? one : more).replace("{count}", count);
  const MINUTE = 60, HOUR = 3600, DAY = 86400;
  const tenths = new Intl.NumberFormat(root.lang, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  function text(ms, slow) {
    const seconds = Math.floor(ms / 1000);
    const two = number => String(number).padStart(2, "0");
    const hours = Math.floor(seconds / HOUR), minutes = Math.floor((seconds % HOUR) / MINUTE);
    if (!slow) {
      if (ms < 10000) return tenths.format(Math.floor(ms / 100) / 10);
      return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
    }
    const days = Math.floor(seconds / DAY), rest = Math.floor((seconds % DAY) / HOUR);
    if (days) return plural(words.days, days) + (rest ? ` ${plural(words.hours, rest)}` : "");
    if (hours) return plural(words.hours, hours) + (minutes ? ` ${plural(words.minutes, minutes)}` : "");
    return minutes ? plural(words.minutes, minutes) : words.soon;
  }

  const units = [["year", 365 * DAY], ["month", 30 * DAY], ["week", 7 * DAY], ["day", DAY], ["hour", HOUR]];
  const relative = new Intl.RelativeTimeFormat(root.lang);
  function ago(seconds) {
    const [name, unit] = units.find(each => seconds >= each[1]) ?? ["minute", MINUTE];
    return relative.format(-Math.max(1, Math.floor(seconds / unit)), name);
  }

  // For a screen reader: the own clock, at few moments only. `told` has the moments of this decision that are over.
  let told = { deadline: "", at: new Set() };
  function tell(clock, left) {
    if (told.deadline !== clock.dataset.deadline) told = { deadline: clock.dataset.deadline, at: new Set() };
    const moments = clock.hasAttribute("data-slow") ? [+clock.dataset.short] : [+clock.dataset.short, 10000];
    const passed = moments.filter(each => left <= each && !told.at.has(each));
    if (!passed.length) return;
    passed.forEach(each => told.at.add(each));
    if (left > 0) document.getElementById("live").textContent = `${words.left} ${clock.hasAttribute("data-slow") ? text(left, true) : plural(words.seconds, Math.ceil(left / 1000))}`;
  }

  // Other scripts hear once in each decision that a seat has little time left.
  const announced = new Map();
  function announce(clock, left, own) {
    if (announced.get(clock.dataset.seat) === clock.dataset.deadline) return;
    announced.set(clock.dataset.seat, clock.dataset.deadline);
    document.dispatchEvent(new CustomEvent("meadhall:short-time", { detail: { seat: +clock.dataset.seat, left: left / 1000, own } }));
  }

  const ownSeat = () => {
    const frame = document.getElementById("frame");
    const found = [...(frame?.classList ?? [])].find(name => /^you-\d+$/.test(name));
    return !found || frame.classList.contains("watching") ? null : found.slice(4);
  };
  const show = (part, visible) => { if (part && part.hidden === visible) part.hidden = !visible; };

  let timer;
  function tick() {
    clearTimeout(timer);
    if (slept(drift)) measure();  // until an answer sets the drift
    if (measured === -Infinity) measure();  // the page was loaded as a lobby
    const now = serverNow(), own = ownSeat();
    let next = Infinity;
    for (const clock of clocks()) {
      const { left: stored, deadline, begins, short } = clock.dataset, slow = clock.hasAttribute("data-slow");
      const at = Math.max(now, begins ?? 0), [from, until] = (clock.dataset.still ?? "0 0").split(" ");  // a holiday, or the hall was down
      const left = deadline ? Math.max(0, deadline - at - Math.max(0, until - Math.max(at, from))) : +stored;
      const time = clock.querySelector(".clock-time"), shown = text(left, slow);
      if (time.textContent !== shown) time.textContent = shown;
      const isShort = !!deadline && left <= short;
      clock.classList.toggle("short", isShort);
      show(clock.querySelector(".clock-short"), isShort);
      show(clock.querySelector(".clock-still"), !!deadline && from <= now && now < until);
      if (!deadline) continue;
      if (isShort && left > 0) announce(clock, left, clock.dataset.seat === own);
      if (clock.dataset.seat === own) tell(clock, left);
      const step = slow ? 30000 : left <= 10000 ? 100 : 1000;
      next = Math.min(next, now < begins ? Math.min(1000, begins - now) : left > 0 ? left % step || step : Infinity);
    }
    // How long players have been away, and what the others may do when it is long.
    for (const part of document.querySelectorAll(".frame [data-since]")) {
      const away = now - part.dataset.since, shown = part.hasAttribute("data-ago") ? ago(away / 1000) : away < MINUTE * 1000 ? "" : text(away, true);
      if (part.textContent !== shown) part.textContent = shown;
      next = Math.min(next, 15000);
    }
    for (const part of document.querySelectorAll(".frame [data-due][hidden]")) {
      const wait = part.dataset.due - now;
      if (wait <= 0) part.hidden = false;
      else next = Math.min(next, wait, 60000);
    }
    if (next < Infinity) timer = setTimeout(tick, next + 5);
  }

  // Clocks don't wait for the stage: at once they show what the next frame says.
  document.addEventListener("meadhall:clocks", e => {
    for (const next of e.detail.findAll(".clock")) {
      for (const name of ["class", "data-left", "data-deadline", "data-begins", "data-still"]) {
        const clock = document.getElementById(next.id), value = next.getAttribute(name);
        if (value === null) clock?.removeAttribute(name);
        else clock?.setAttribute(name, value);
      }
    }
    tick();
  });

  tick();
  measure();
  document.addEventListener("htmx:after:swap", tick);
  document.addEventListener("meadhall:connected", measure);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) measure(); });
  for (const name of ["pageshow", "online", "focus"]) window.addEventListener(name, measure);
})();
