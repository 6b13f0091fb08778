// The page of a guest who waits for a quick match. The open stream is also the sign that the guest still waits; the polls of a hidden
// page are another one, and say so: a browser may let a hidden page wake only once a minute.
(() => {
  const place = document.getElementById("quick-wait");
  const section = () => document.getElementById("quick");
  let until = null;  // when bots take the empty seats, in milliseconds of this page's clock

  function readClock() {
    const clock = section().querySelector(".quick-clock");
    const [minutes, seconds] = clock ? clock.textContent.split(":").map(Number) : [];
    until = clock ? performance.now() + (60 * minutes + seconds) * 1000 : null;
  }
  function tick() {
    const clock = section().querySelector(".quick-clock");
    if (!clock || until === null) return;
    const left = Math.max(0, Math.ceil((until - performance.now()) / 1000));
    const words = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    if (clock.textContent !== words) clock.textContent = words;
  }

  function show(content) {
    const fresh = content.getElementById("quick");
    if (!fresh) return;
    const before = section().querySelector(".quick-who")?.textContent;
    Idiomorph.morph(section(), fresh, { morphStyle: "outerHTML" });
    htmx.process(section());
    if (before !== section().querySelector(".quick-who")?.textContent && document.hidden) document.title = `● ${section().dataset.title}`;
    readClock();
  }
  live.follow(place.dataset.stream, {
    hear: (name, data) => (name === "table" ? location.assign(data) : show(new DOMParser().parseFromString(data, "text/html"))),
    poll: async () => {
      const { answer, content } = await live.load(`${location.pathname}${document.hidden ? "?hidden=true" : ""}`);
      if (answer.redirected) location.assign(answer.url);
      show(content);
      return answer.ok;
    },
  });
  addEventListener("pagehide", () => { if (document.hidden) navigator.sendBeacon(place.dataset.left); });
  document.addEventListener("visibilitychange", () => { document.title = document.title.replace("● ", ""); });
  document.addEventListener("htmx:after:swap", readClock);
  readClock();
  setInterval(tick, 250);
})();
