// What keeps a page up to date. `live.follow` opens a stream of events. A stream that breaks, never begins or falls silent is opened
// again, and until one works the page polls and says so. A hidden tab polls, too: a browser opens only six connections to a host.
const live = (() => {
  const SILENCE = 40000, START = 15000;  // milliseconds: until a stream counts as dead, and until its first byte must have come
  const HIDDEN = 15000, FAILING = 5000;  // between two polls
  const LOOK = 5000, FRESH = 5000, LONGEST_WAIT = 5000;
  const page = Math.random().toString(36).slice(2);  // the page names itself, so that the hall knows whose stream is open

  // What the toast tells: "lost", "polling" or "back".
  let told = "back";
  function tell(state) {
    if (state === told) return;
    told = state;
    document.dispatchEvent(new CustomEvent("meadhall:connection", { detail: state }));
  }

  // Call when what the page shows may be old: the network is back, the page is shown again, its window is used again, or the
  // machine slept. `act` learns whether a short look is enough, because nothing says that the connection has ended.
  const acts = [], wake = isSure => acts.forEach(act => act(isSure));
  const woken = act => acts.push(act);
  addEventListener("online", () => wake(true));
  addEventListener("pageshow", event => { if (event.persisted) wake(true); });
  addEventListener("focus", () => wake(false));
  let looked = Date.now();
  setInterval(() => {
    const passed = Date.now() - looked;
    looked += passed;
    if (Math.abs(passed - LOOK) > 2 * LOOK) wake(true);
  }, LOOK);

  // Return another version of a page. Throws without an answer.
  async function load(url) {
    const answer = await fetch(url, { cache: "no-store", signal: AbortSignal.timeout(START) });
    return { answer, content: new DOMParser().parseFromString(await answer.text(), "text/html") };
  }

  // hear(name, data): an event of the stream. poll(): load what the stream doesn't bring, and return whether it came.
  // opened(): a stream begins, which knows nothing of the ones before, but what the page has: seen().
  function follow(url, { hear, poll = async () => true, opened = () => {}, seen = () => "" }) {
    let stream = null, since = 0, heard = 0, hasBegun = false, isFailing = false, tries = 0, next = 0;

    // The stream before ends when the new one begins: the others at the table don't see its guest leave.
    function open() {
      if (document.hidden) return close();
      clearTimeout(next);
      const before = stream, mine = stream = new AbortController();
      mine.signal.addEventListener("abort", () => before?.abort());
      since = heard = Date.now();
      hasBegun = false;
      read(mine, before).then(() => end(mine, false), () => end(mine, true));
    }
    function close() {
      clearTimeout(next);
      stream?.abort();
      stream = null;
    }
    async function read(mine, before) {
      const headers = { Accept: "text/event-stream", "Meadhall-Page": page, "Meadhall-Seen": seen() };
      const answer = await fetch(url, { headers, cache: "no-store", signal: mine.signal });
      if (!answer.ok || !answer.headers.get("Content-Type")?.startsWith("text/event-stream")) throw new Error(`status ${answer.status}`);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = ""; ;) {
        const { done, value } = await reader.read();
        if (done || mine !== stream) return;
        begin(before);
        const events = (rest + value).split("\n\n");
        rest = events.pop();
        events.forEach(take);
      }
    }
    function begin(before) {
      heard = Date.now();
      if (hasBegun) return;
      before?.abort();
      hasBegun = true;
      isFailing = false;
      opened();
      tell("back");
    }
    function take(event) {
      const lines = event.split("\n"), found = name => lines.filter(line => line.startsWith(name)).map(line => line.slice(name.length));
      const data = found("data: ");
      try { if (data.length) hear(found("event: ")[0] ?? "", data.join("\n")); } catch (error) { reportError(error); }
    }
    // A stream that the hall has ended is opened again and is no failure.
    function end(mine, hasFailed) {
      if (mine !== stream) return;
      close();
      tries = hasBegun && Date.now() - since > LONGEST_WAIT ? 0 : tries + 1;
      next = setTimeout(open, Math.min(LONGEST_WAIT, 250 * 2 ** tries) * (0.7 + 0.6 * Math.random()));
      if (!hasFailed || isFailing) return;
      isFailing = true;
      tell("lost");
      ask();
    }
    let asked = 0;
    async function ask() {
      const mine = ++asked;
      if (!document.hidden && !isFailing) return;
      const came = await poll().catch(() => false);
      if (mine !== asked) return;
      if (isFailing && !document.hidden) tell(came ? "polling" : "lost");
      setTimeout(() => { if (mine === asked) ask(); }, document.hidden ? HIDDEN : FAILING);
    }

    function start() {
      setInterval(() => { if (stream && Date.now() - heard > (hasBegun ? SILENCE : START)) end(stream, true); }, 1000);
      woken(isSure => { if (isSure || !stream || Date.now() - heard > FRESH) open(); });
      addEventListener("pagehide", close);
      document.addEventListener("visibilitychange", () => { open(); ask(); });
      open();
      ask();
    }
    // All scripts of the page hear the first events: later ones build on them.
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
    else start();
  }

  return { page, tell, woken, load, follow };
})();
