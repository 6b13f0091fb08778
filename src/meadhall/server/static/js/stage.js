// The stage: it plays the events of a step on the board, and each region of the page changes with the event that changes it.
// What has not come yet, such as the next decision, waits for the end of the play. The `stage.js` of a game has two tables:
//   stage.acts({ attack: async (seat, target) => { … } })      plays a kind of event
//   stage.changes({ attack: (seat, target) => ["path"] })       the regions that a kind of event changes; "plate-*" means all of them
// A region that several events of a step change is shown after the last one; stage.count() moves a number before. When the regions of
// an event are shown, its pieces and animations go, except with { stays: true }. A click, or a key that acts, skips to the end.
// Without this file, and for a game without acts, everything is shown at once.
const stage = (() => {
  const FAST = 3, MOST = 6;  // more steps than that wait: they are played fast, or skipped
  const root = document.documentElement;  // data-playing: the stage plays
  const LIGHT = ["plate-*"];
  const acts = {}, changes = {};
  let lights = LIGHT;  // the regions that show the seat to move
  const queue = [];  // the news that wait, each with its new events
  const moving = new Set();
  let running = 0;  // the number of the play; a play that was skipped never goes on
  let cleared = 0;  // how often the layer was cleared
  let rate = 1, layer = null, kept = new Set(), known = null;

  const chosenPace = () => +getComputedStyle(root).getPropertyValue("--pace");
  const last = () => queue.at(-1)?.news;
  const stepsOf = events => new Set(events.map(event => event.n)).size;

  // Return whether the news wait. Otherwise the caller shows them at once.
  function take(news) {
    const frame = document.getElementById("frame");
    if (!frame?.matches(".game") || !Object.keys(acts).length) return false;
    const all = news.events().sort((a, b) => a.index - b.index);
    if (!queue.length) {
      known = Math.max(-1, ...Array.from(frame.querySelectorAll("#log .line"), line => +line.dataset.n));
      heard.clear();
    }
    const before = known, events = all.filter(event => event.n > before), steps = stepsOf(events);
    const follows = before < 1 || !news.whole || all.some(event => event.n === before);  // not after an undo
    const most = frame.matches(".replay") ? 1 : MOST - queue.reduce((sum, each) => sum + stepsOf(each.events), 0);
    const quiet = !chosenPace() || document.hidden || !follows || steps > most || before < 0 || news.find("#notices [role=alert]");
    if (quiet || (!steps && !queue.length)) {
      const waited = queue.map(each => each.news);
      stop();
      if (steps <= most) soundOf(events);
      for (const each of waited) each.show();
      return false;
    }
    known = Math.max(before, ...all.map(event => event.n));
    queue.push({ news, events });
    document.dispatchEvent(new CustomEvent("meadhall:clocks", { detail: news }));  // clocks don't wait
    if (!running) run();
    return true;
  }

  async function run() {
    const me = ++running;
    root.dataset.playing = "";
    while (queue.length) {
      const next = queue[0], waiting = queue.reduce((sum, each) => sum + stepsOf(each.events), 0);
      rate = chosenPace() * (waiting > FAST ? 1 / 3 : 1);
      if (next.events.length) await perform(next).catch(error => console.error(error));  // a fault in a play must not keep the news away
      if (me !== running) return;
      queue.shift();
      clear();
      if (!queue.length) delete root.dataset.playing;
      next.news.show();
    }
    running = 0;
  }

  async function perform({ news, events }) {
    api.news = news;
    heard.clear();
    news.showLog(events.map(event => event.index));
    await acts.before?.(events);
    const due = shownAfter(news, events);
    for (const [k, event] of events.entries()) {
      tell(event);
      const least = beats(new RegExp(`\\b${event.kind}:(\\d+)`).exec(board().dataset.beats)?.[1] ?? 0);  // bots wait for as long
      await Promise.all([acts[event.kind]?.(...event.values), least && wait(least)]);
      if (changes[event.kind]) land(() => news.show(due[k]));
    }
    await acts.after?.(events);
    if (news.find("#end") && !document.getElementById("end")) await theEnd(news);
  }

  // The regions to show after each event: the ones of which it is the last that changes them.
  function shownAfter(news, events) {
    const due = events.map(() => []), seen = new Set();
    for (let k = events.length - 1; k >= 0; k--) {
      const { kind, values } = events[k];
      for (const name of changes[kind]?.(...values) ?? []) {
        for (const id of (name === "light" ? lights : [name]).flatMap(each => news.match(each))) if (!seen.has(id) && seen.add(id)) due[k].push(id);
      }
    }
    return due;
  }

  // End an event: its regions are shown, and its pieces and animations go.
  function land(show) {
    const gone = [...moving].filter(each => !kept.has(each));
    for (const piece of layer?.children ?? []) if (!kept.has(piece)) piece.remove();
    show();
    for (const each of gone) {
      each.cancel();
      moving.delete(each);
    }
    places = new WeakMap();
  }

  // Skip everything: show all that waits.
  function end() {
    if (!queue.length) return false;
    const waited = stop();
    for (const each of waited) each.news.show();
    return true;
  }

  function stop() {
    const waited = queue.splice(0);
    soundOf(waited.flatMap(each => each.events));
    running = 0;
    clear();
    delete root.dataset.playing;
    return waited;
  }

  function clear() {
    cleared++;
    for (const each of moving) each.cancel();
    moving.clear();
    kept = new Set();
    places = new WeakMap();
    acts.cleared?.();
    layer?.replaceChildren();
    document.getElementById("telling")?.remove();
  }

  // ---------------------------------------------------------------------------------------------------------------- texts
  // The log has the new lines, and each one appears with its event. What happens now stands in place of the prompt.
  function tell({ index, words }) {
    for (const part of [document.getElementById(`log-${index}`), document.getElementById(`brief-${index}`)]) {
      part?.removeAttribute("hidden");
      part?.closest(".turn")?.removeAttribute("hidden");
    }
    let box = document.getElementById("telling");
    if (!box) {
      box = document.createElement("span");
      box.id = "telling";
      box.setAttribute("aria-hidden", "true");
      document.querySelector(".prompt-line")?.append(box);
    }
    box.textContent = words;
  }

  // ----------------------------------------------------------------------------------------------------------- what plays use
  const board = () => document.getElementById("board");
  const beats = number => number * parseInt(board().dataset.beats);  // in milliseconds
  const length = ms => ms * rate;

  // An animation that keeps its last state until its event or the play ends. The promise of one that is skipped stays pending.
  function play(element, frames, ms = 400, { stays = false, ...options } = {}) {
    if (!element) return Promise.resolve();
    const run = element.animate(frames, { duration: length(ms), fill: "both", easing: "ease-in-out", ...options, delay: length(options.delay ?? 0) });
    moving.add(run);
    if (stays || [...kept].some(each => each instanceof Element && each.contains(element))) kept.add(run);
    const then = cleared;  // an animation may have finished just before the rest was skipped: its play must not go on then
    return new Promise(resolve => { run.onfinish = () => { if (then === cleared) resolve(); }; });
  }

  const wait = ms => play(over(), [{ opacity: 1 }, { opacity: 1 }], ms);
  const unfinished = () => [...moving].filter(each => each.playState !== "finished");
  const pause = on => unfinished().forEach(each => (on ? each.pause() : each.play()));
  const next = () => unfinished().forEach(each => each.finish());

  // Pieces that move lie in a layer over the board. It is no part of a frame.
  function over() {
    if (!layer) {
      layer = document.createElement("div");
      layer.className = "stage";
      layer.setAttribute("aria-hidden", "true");
    }
    if (!layer.isConnected) board().append(layer);
    return layer;
  }

  // The middle and size of an element on the board, or of a fraction of the board. What doesn't move is measured once in a play.
  let places = new WeakMap();
  function box(element) {
    const found = places.get(element) ?? element.getBoundingClientRect();
    if (!layer.contains(element) || element === layer) places.set(element, found);
    return found;
  }
  function at(element, x = 0.5, y = 0.5) {
    const from = box(over()), { x: left, y: top, width, height } = box(element ?? board()), scale = board().currentCSSZoom ?? 1;
    return { x: (left - from.x + x * width) / scale, y: (top - from.y + y * height) / scale, width: width / scale, height: height / scale };
  }
  addEventListener("resize", () => { places = new WeakMap(); });

  function put(piece, { x, y }, className = "", { stays = false } = {}) {
    const place = document.createElement("div");
    place.className = `stage-piece ${className}`;
    place.style.left = `${x}px`;
    place.style.top = `${y}px`;
    place.append(piece);
    over().append(place);
    if (stays) kept.add(place);
    return place;
  }

  // Let a piece and its animations stay until the end of the play, or until it is removed.
  function keep(piece) {
    if (!piece) return piece;
    kept.add(piece);
    for (const each of moving) if (piece.contains(each.effect.target)) kept.add(each);
    return piece;
  }

  // Change a number on the page before its region is shown: the text of an element.
  function count(query, by) {
    const place = typeof query === "string" ? document.querySelector(query) : query;
    if (!place || !by) return;
    place.textContent = +place.textContent + by;
    play(place, [{ scale: 1 }, { scale: 1.5 }, { scale: 1 }], 240);
  }

  // Light the plate of the seat to move, before its region is shown.
  function light(seat) {
    for (const plate of document.querySelectorAll(".plates > .plate")) plate.classList.toggle("active", plate.id === `plate-${seat}`);
  }

  const SVG = "http://www.w3.org/2000/svg";
  function drawn(name, size, high = size, className = "") {
    const picture = document.createElementNS(SVG, "svg"), use = document.createElementNS(SVG, "use");
    picture.setAttribute("width", size);
    picture.setAttribute("height", high);
    if (className) picture.setAttribute("class", className);
    use.setAttribute("href", `#${name}`);
    picture.append(use);
    return picture;
  }

  function copy(element) {
    const same = element.cloneNode(true);
    for (const each of [same, ...same.querySelectorAll("[id]")]) each.removeAttribute("id");
    return same;
  }

  // Let a piece fly in an arc. Position, arc and spin are animations of nested elements, so that each is one transform.
  async function fly(piece, from, to, { ms = 450, arc = 0.2, spin = 0, turn = 0, scale = 1, easing = "cubic-bezier(.35, .1, .6, 1)", className = "", stays = false } = {}) {
    const rise = document.createElement("div"), whirl = document.createElement("div");
    rise.append(whirl);
    whirl.append(piece);
    const place = put(rise, from, className, { stays });
    const [dx, dy] = [to.x - from.x, to.y - from.y], high = arc * Math.hypot(dx, dy);
    play(rise, [{ transform: "none" }, { transform: `translateY(${-high}px) scale(${1 + arc / 2})`, easing: "ease-in" }, { transform: `scale(${scale})` }], ms, { easing: "ease-out" });
    play(whirl, [{ transform: `rotate(${turn}deg)` }, { transform: `rotate(${turn + spin}deg)` }], ms, { easing: "linear" });
    await play(place, [{ transform: "none" }, { transform: `translate(${dx}px, ${dy}px)` }], ms, { easing });
    return place;
  }

  // A cube that rolls and settles with a face up. `faces` returns the picture of a face by its number.
  async function rollCube(value, from, to, { size = 48, ms = 700, name = face => `die-${face}`, stays = false } = {}) {
    const cube = document.createElement("div");
    cube.className = "stage-cube";
    cube.style.setProperty("--side", `${size}px`);
    const opposite = value > 6 ? 1 : 7 - value, others = [1, 2, 3, 4, 5, 6].filter(face => face !== value && face !== opposite);
    for (const face of [value, others[0], others[1], others[2], others[3], opposite]) cube.append(drawn(name(face), size));
    const turn = document.createElement("div"), place = put(turn, from, "stage-roll", { stays });
    turn.append(cube);
    play(cube, [{ transform: "rotate3d(1, .8, .4, -1080deg)" }, { transform: "rotate3d(1, .8, .4, 0deg)" }], ms, { easing: "cubic-bezier(.15, .6, .35, 1)" });
    play(turn, [{ transform: "translateY(-40px) scale(1.25)" }, { transform: "none", offset: 0.35, easing: "ease-out" }, { transform: "translateY(-16px)", offset: 0.55, easing: "ease-in" }, { transform: "none", offset: 0.75, easing: "ease-out" }, { transform: "translateY(-4px)", offset: 0.85, easing: "ease-in" }, { transform: "none" }], ms, { easing: "ease-in" });
    await play(place, [{ transform: "none" }, { transform: `translate(${to.x - from.x}px, ${to.y - from.y}px)` }], ms, { easing: "cubic-bezier(.15, .6, .35, 1)" });
    return place;
  }

  // The table goes dark, except around some elements.
  function dim(elements = [], ms = 250) {
    const dark = document.createElement("div");
    dark.className = "stage-dark";
    over().prepend(dark);
    kept.add(dark);
    const lights = elements.map(each => { const { x, y, width, height } = at(each); return `radial-gradient(circle at ${x}px ${y}px, #0000 ${0.5 * Math.max(width, height)}px, #000 ${0.95 * Math.max(width, height)}px)`; });
    if (lights.length) dark.style.setProperty("--lights", lights.join(", "));
    play(dark, [{ opacity: 0 }, { opacity: 1 }], ms);
    return { light: (quick = 250) => play(dark, [{ opacity: 1 }, { opacity: 0 }], quick) };
  }

  const heard = new Set();  // the sounds of this play
  function sound(name) {
    heard.add(name);
    document.dispatchEvent(new CustomEvent("meadhall:sound", { detail: name }));
  }

  // Events that are not played, or not to their end, sound, too: each sound once. `sounds` has the name by the kind, or a function of its values.
  const sounds = {};
  function soundOf(events) {
    for (const { kind, values } of events) {
      const name = typeof sounds[kind] === "function" ? sounds[kind](...values) : sounds[kind];
      if (name && !heard.has(name)) sound(name);
    }
  }

  // ------------------------------------------------------------------------------------------------------------------ the end
  // A second of silence, torches, the winners' crests with a crown, the losers' helmets; after a draw neither. The panel of the end comes with the frame.
  async function theEnd(news) {
    news.show(news.match("plate-*").filter(() => !news.whole));
    const of = query => (news.whole ?? document).querySelectorAll(query);
    const won = [...of(".plate.winner > .crest")], rest = [...of(".plate:not(.winner) > .crest")];
    const [lost, drew] = won.length || rest.length < 2 ? [rest, []] : [[], rest];
    dim([], 500);
    await wait(1000);
    const side = Math.min(at().width, at().height), size = Math.min(120, side / 4 / Math.max(1, won.length / 2));
    for (const x of [0.12, 0.88]) play(put(document.createElement("i"), at(null, x, 0.5), "stage-torch"), [{ opacity: 0, transform: "scale(.3)" }, { opacity: 1, transform: "none" }], 300);
    sound(won.length || drew.length ? "victory" : "loss");
    await wait(250);
    const row = (crests, y, wide, draw) => Promise.all(crests.map((crest, k) => draw(put(copy(crest), at(null, 0.5 + (wide / at().width) * (k - (crests.length - 1) / 2), y), "stage-crest"), k)));
    for (const crest of [...won, ...rest]) crest.classList.remove("large");
    over().style.setProperty("--crest", `${size}px`);
    const lower = row(lost, 0.74, 0.62 * size, (place, k) => {
      place.classList.add("lost");
      place.append(drawn("i-helmet", 0.42 * size));
      return play(place, [{ opacity: 0, transform: "translateY(-30px)" }, { opacity: 1, transform: "rotate(10deg)" }], 400, { delay: 250 + 80 * k });
    });
    row(drew, 0.55, 1.15 * size, place => play(place, [{ opacity: 0 }, { opacity: 1 }], 450));
    await row(won, 0.46, 1.15 * size, (place, k) => {
      const crown = put(drawn("i-crown", 0.6 * size, 0.6 * size, "stage-crown"), { x: 0.5 * size, y: -0.16 * size });
      place.append(crown);
      play(crown, [{ opacity: 0, transform: "translateY(-60px)" }, { opacity: 1, transform: "none" }], 400, { delay: 350 + 120 * k, easing: "cubic-bezier(.3, 1.6, .6, 1)" });
      return play(place, [{ opacity: 0, transform: "scale(.2)" }, { opacity: 1, transform: "none" }], 450, { delay: 120 * k, easing: "cubic-bezier(.2, 1.4, .5, 1)" });
    });
    await lower;
    await wait(900);
  }

  // ------------------------------------------------------------------------------------------------------------------ skipping
  // A click on the table skips, and does nothing else there. Links, the log, the chat and the tools work as ever.
  addEventListener("click", e => {
    if (!queue.length || !e.isTrusted) return;
    const onTable = e.target.closest("#board, #controls, #prompt");
    if (e.target.closest("[popover], [data-keep], .ahead") || !e.target.closest("#frame") || (!onTable && !e.target.closest("#tools"))) return;
    if (onTable) {
      e.preventDefault();
      e.stopImmediatePropagation();
    }
    end();
  }, true);
  addEventListener("keydown", e => {
    if (!queue.length || e.target.closest(".ahead") || document.querySelector(`.ahead[data-key="${CSS.escape(shortcut(e))}"]`) || e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input:not([type=radio]), select, textarea")) return;
    const acting = /^[1-9]$/.test(shortcut(e)) || e.key === "Escape" || (["Enter", " "].includes(e.key) && e.target.closest("#controls, #board"));
    if (!acting || document.querySelector(":popover-open")) return;
    e.preventDefault();
    e.stopImmediatePropagation();
    end();
  }, true);
  document.addEventListener("visibilitychange", () => { if (document.hidden) end(); });

  const api = {
    acts: functions => Object.assign(acts, functions),
    changes: (functions, ...more) => { Object.assign(changes, functions); lights = [...LIGHT, ...more]; },
    sounds: names => Object.assign(sounds, names),
    take, end, last, play, wait, at, put, keep, count, light, drawn, copy, fly, rollCube, dim, sound, over, pause, next, beats,
    hurry: factor => { rate *= factor; }, isPlaying: () => queue.length > 0, news: null,
  };
  return api;
})();
