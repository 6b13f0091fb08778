// What happens is shown: dice glide to where they are placed, and a turn is resolved scene by scene. Meanwhile the boards as they
// were lie over those that are, and each place is uncovered when its scene has been told. Without this file, and for who wants
// stillness, the sheet "what happened" tells the same.
(() => {
  const SHORT = 1300, LONG = 2600, ALL = 14000;  // milliseconds for a scene, a fight, and the whole of a turn
  const byId = id => document.getElementById(id);
  const on = (name, act) => document.addEventListener(name, act);
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  let last = null;     // the newest scene that there was
  let queue = [];      // the scenes to be told
  let ghost = null;    // the boards as they were
  let pace = 1, timer = 0, paused = false, before = new Map(), curtain = null;

  const number = scene => 100 * scene.dataset.n + +scene.dataset.part;
  const scenes = () => [...document.querySelectorAll("#turn .da-scene")];

  // ------------------------------------------------------------------------------------------------------------- gliding dice
  const boxes = () => new Map([...document.querySelectorAll(".da-die[id]")].map(each => [each.id, each.getBoundingClientRect()]));

  function glide() {
    const seat = /seat-\d/.exec(document.querySelector(".da-corner")?.className)?.[0].slice(5);
    for (const each of document.querySelectorAll("#da-board [id^='die-']")) {
      const [, owner, die] = each.id.split("-");
      const from = [each.id, owner === seat ? `own-${die}` : "", `home-${owner}-${die}`].map(id => before.get(id)).find(box => box?.width);
      const to = each.getBoundingClientRect();
      if (!from || !to.width || Math.hypot(from.x - to.x, from.y - to.y) < 3) continue;
      const way = `translate(${from.x + from.width / 2 - to.x - to.width / 2}px, ${from.y + from.height / 2 - to.y - to.height / 2}px)`;
      each.animate([{ transform: `${way} rotate(-300deg) scale(1.3)` }, { transform: "rotate(20deg) scale(1.2)", offset: 0.8 }, { transform: "none" }], { duration: 400, easing: "cubic-bezier(.3, .6, .4, 1)" });
    }
  }

  // --------------------------------------------------------------------------------------------------------------- the theatre
  function copy() {
    const drawn = document.querySelector("#da-board > .da-picture").cloneNode(true);
    drawn.classList.add("da-ghost");
    drawn.inert = true;
    drawn.querySelectorAll(".da-rock, .da-road, #da-stage").forEach(each => each.remove());
    return nameless(drawn);
  }

  function nameless(drawn) {
    drawn.querySelectorAll("[id]").forEach(each => each.removeAttribute("id"));
    return drawn;
  }

  function show() {
    const scene = queue[0], stage = byId("da-theatre");
    const place = scene.dataset.place;
    stage.querySelector(".da-told").replaceChildren(...scene.cloneNode(true).childNodes);
    stage.querySelector(".da-head").textContent = place === "0" ? "" : byId(`place-${place}`).textContent;
    stage.classList.toggle("of-fights", place === "1");
    stage.hidden = false;
    light(place);
    clearTimeout(timer);
    if (!paused) timer = setTimeout(next, pace * (scene.querySelector(".da-fight") ? LONG : SHORT + 350 * (scene.querySelectorAll("li").length - 1)));
  }

  // The place that is told of shines, on the boards as they were and on those that are.
  function light(place) {
    for (const lot of document.querySelectorAll("#da-board .da-lot")) lot.classList.toggle("told", lot.dataset.place === place);
  }

  function next() {
    const scene = queue.shift(), place = +scene.dataset.place;
    if (!queue.length) return end();
    ghost.querySelector(`[data-target="${scene.dataset.square}"]`)?.classList.add("past");
    const following = +queue[0].dataset.place;
    for (const lot of ghost.querySelectorAll(".da-lot")) if (+lot.dataset.place < following || (following === 0 && place)) lot.classList.add("past");
    show();
  }

  function end() {
    clearTimeout(timer);
    queue = [];
    ghost?.remove();
    ghost = null;
    light("");
    pause(false);
    byId("da-theatre").hidden = true;
  }

  function pause(wanted) {
    paused = wanted;
    byId("reel-pause").setAttribute("aria-pressed", String(paused));
    byId("da-board").classList.toggle("paused", paused);
    clearTimeout(timer);
    if (!paused && queue.length) timer = setTimeout(next, SHORT);
  }

  on("click", e => {
    if (e.target.closest("#reel-pause")) pause(!paused);
    else if (e.target.closest("#reel-next") && queue.length) next();
    else if (e.target.closest("#reel-skip, #controls .act, .da-slot")) { if (queue.length) end(); }
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
    curtain = ghost ?? copy();
  });

  on("htmx:after:swap", () => {
    if (!byId("da-board")) return;
    const news = scenes().filter(scene => last !== null && number(scene) > last);
    const skipping = still.matches || document.hidden || document.querySelector(".replay, .lesson");
    if (scenes().length) last = Math.max(last ?? 0, ...scenes().map(number));
    last ??= 0;
    if (news.length && !skipping) {
      queue.push(...news.map(scene => nameless(scene.cloneNode(true))));
      pace = Math.min(1, ALL / (queue.length * SHORT));
    }
    if (queue.length) {
      const playing = !!ghost;
      ghost = curtain;
      byId("da-board").append(ghost);
      byId("da-board").classList.toggle("paused", paused);
      if (!playing) show();
      else light(queue[0].dataset.place);
    } else if (!still.matches) glide();
  });

  if (byId("da-board")) last = Math.max(0, ...scenes().map(number));
})();
