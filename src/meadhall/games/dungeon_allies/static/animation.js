// Animations: dice glide to their places, and the resolution of a turn is played scene by scene. During the scenes a copy of the old
// boards covers the new ones, and each place is uncovered after its scene. Without this file, or with reduced motion, the sheet
// "what happened" contains the same.
(() => {
  const SHORT = 1300, LONG = 2600, ALL = 14000;  // milliseconds for a scene, for a fight, and for a whole turn
  const byId = id => document.getElementById(id);
  const on = (name, act) => document.addEventListener(name, act);
  const root = document.documentElement;  // data-telling: scenes are being played, and the texts about them wait
  const speed = () => +getComputedStyle(root).getPropertyValue("--pace");  // 0: no animations

  let last = null;     // number of the newest scene seen so far
  let queue = [];      // scenes that still have to be played
  let cover = null;    // the copy of the old boards
  let pace = 1, timer = 0, paused = false, before = new Map(), nextCover = null;

  const number = scene => 100 * scene.dataset.n + +scene.dataset.part;
  const scenes = () => [...document.querySelectorAll("#turn .da-scene")];

  // ------------------------------------------------------------------------------------------------------------- gliding dice
  const boxes = () => new Map([...document.querySelectorAll(".da-die[id]")].map(each => [each.id, each.getBoundingClientRect()]));

  function glide() {
    const seat = /seat-\d/.exec(document.querySelector(".da-area")?.className)?.[0].slice(5);
    for (const each of document.querySelectorAll("#da-board [id^='die-']")) {
      const [, owner, die] = each.id.split("-");
      const from = [each.id, owner === seat ? `own-${die}` : "", `home-${owner}-${die}`].map(id => before.get(id)).find(box => box?.width);
      const to = each.getBoundingClientRect();
      if (!from || !to.width || Math.hypot(from.x - to.x, from.y - to.y) < 3) continue;
      const start = `translate(${from.x + from.width / 2 - to.x - to.width / 2}px, ${from.y + from.height / 2 - to.y - to.height / 2}px)`;
      each.animate([{ transform: `${start} rotate(-300deg) scale(1.3)` }, { transform: "rotate(20deg) scale(1.2)", offset: 0.8 }, { transform: "none" }], { duration: 400 * speed(), easing: "cubic-bezier(.3, .6, .4, 1)" });
    }
  }

  // -------------------------------------------------------------------------------------------------------------------- scenes
  function copy() {
    const drawn = document.querySelector("#da-board > .da-picture").cloneNode(true);
    drawn.classList.add("da-cover");
    drawn.inert = true;
    drawn.querySelectorAll(".da-rock, .da-road, #da-stage").forEach(each => each.remove());
    return withoutIds(drawn);
  }

  function withoutIds(drawn) {
    drawn.querySelectorAll("[id]").forEach(each => each.removeAttribute("id"));
    return drawn;
  }

  function show() {
    const scene = queue[0], stage = byId("da-animation");
    const place = scene.dataset.place;
    stage.querySelector(".da-scene-lines").replaceChildren(...scene.cloneNode(true).childNodes);
    stage.querySelector(".da-head").textContent = place === "0" ? "" : byId(`place-${place}`).textContent;
    stage.classList.toggle("of-fights", place === "1");
    stage.hidden = false;
    root.toggleAttribute("data-telling", true);
    highlight(place);
    clearTimeout(timer);
    if (!paused) timer = setTimeout(next, pace * (scene.querySelector(".da-fight") ? LONG : SHORT + 350 * (scene.querySelectorAll("li").length - 1)));
  }

  // Highlight the place of the scene, on the old boards and on the new ones.
  function highlight(place) {
    for (const lot of document.querySelectorAll("#da-board .da-lot")) lot.classList.toggle("told", lot.dataset.place === place);
  }

  function next() {
    const scene = queue.shift(), place = +scene.dataset.place;
    if (!queue.length) return end();
    cover.querySelector(`[data-target="${scene.dataset.square}"]`)?.classList.add("past");
    const following = +queue[0].dataset.place;
    for (const lot of cover.querySelectorAll(".da-lot")) if (+lot.dataset.place < following || (following === 0 && place)) lot.classList.add("past");
    show();
  }

  function end() {
    clearTimeout(timer);
    queue = [];
    cover?.remove();
    cover = null;
    highlight("");
    pause(false);
    byId("da-animation").hidden = true;
    root.toggleAttribute("data-telling", false);
  }

  function pause(wanted) {
    paused = wanted;
    byId("animation-pause").setAttribute("aria-pressed", String(paused));
    byId("da-board").classList.toggle("paused", paused);
    clearTimeout(timer);
    if (!paused && queue.length) timer = setTimeout(next, SHORT);
  }

  on("click", e => {
    if (e.target.closest("#animation-pause")) pause(!paused);
    else if (e.target.closest("#animation-next") && queue.length) next();
    else if (e.target.closest("#animation-skip, #controls .act, .da-slot")) { if (queue.length) end(); }
  });

  on("keydown", e => {
    if (!queue.length || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "Escape") end();
    if (e.key === " " && !e.target.matches("button, a, summary, input, select")) {
      e.preventDefault();
      pause(!paused);
    }
  });

  on("htmx:before:swap", () => {
    if (!byId("da-board")) return;
    before = boxes();
    nextCover = cover ?? copy();
  });

  on("htmx:after:swap", () => {
    if (!byId("da-board")) return;
    const news = scenes().filter(scene => last !== null && number(scene) > last);
    const skipping = !speed() || document.hidden || document.querySelector(".replay, .lesson");
    if (scenes().length) last = Math.max(last ?? 0, ...scenes().map(number));
    last ??= 0;
    if (news.length && !skipping) {
      queue.push(...news.map(scene => withoutIds(scene.cloneNode(true))));
      pace = speed() * Math.min(1, ALL / (queue.length * SHORT));
    }
    if (queue.length) {
      const playing = !!cover;
      cover = nextCover;
      byId("da-board").append(cover);
      byId("da-board").classList.toggle("paused", paused);
      if (!playing) show();
      else highlight(queue[0].dataset.place);
    } else if (speed()) glide();
  });

  if (byId("da-board")) last = Math.max(0, ...scenes().map(number));
})();
