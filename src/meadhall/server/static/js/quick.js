// The page of a guest who waits for a quick match. The open stream is also the sign that the guest still waits.
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

  // Not by htmx: its stream ends in a hidden tab, and a guest who waits looks at other tabs.
  const stream = new EventSource(place.dataset.stream);
  stream.onmessage = event => {
    const fresh = new DOMParser().parseFromString(event.data, "text/html").getElementById("quick");
    if (!fresh) return;
    const before = section().querySelector(".quick-who")?.textContent;
    Idiomorph.morph(section(), fresh, { morphStyle: "outerHTML" });
    htmx.process(section());
    if (before !== section().querySelector(".quick-who")?.textContent && document.hidden) document.title = `● ${section().dataset.title}`;
    readClock();
  };
  stream.addEventListener("table", event => { stream.close(); location.assign(event.data); });
  document.addEventListener("visibilitychange", () => { document.title = document.title.replace("● ", ""); });
  document.addEventListener("htmx:after:swap", readClock);
  readClock();
  setInterval(tick, 250);
})();
