// The stage: it plays what happened on the board that stands there, and then shows what is. A frame with new events waits for that.
// Then board, prompt, log, end, tools and layout change together. The `stage.js` of a game has a function for each kind of event
// that its board shows: stage.acts({ attack: async (seat, target) => { … } }). A click, or a key that acts, skips to the end.
// Without this file, and for a game without such functions, the next frame is shown at once.
const stage = (() => {
  const FAST = 3, MOST = 6;  // more steps than that wait: they are played fast, or skipped
  const root = document.documentElement;  // data-playing: the stage plays
  const acts = {};
  const queue = [];  // the frames that wait, each with its new events
  const moving = new Set();
  let running = 0;  // the number of the play; a play that was skipped never goes on
  let cleared = 0;  // how often the layer was cleared
  let rate = 1, layer = null;

  const chosenPace = () => +getComputedStyle(root).getPropertyValue("--pace");
  const last = () => queue.at(-1)?.fresh;
  const newest = frame => Math.max(-1, ...Array.from(frame.querySelectorAll("#log .line"), line => +line.dataset.n));
  const stepsOf = events => new Set(events.map(event => event.n)).size;

  // The events of a frame after the step `known`, oldest first.
  function eventsAfter(known, frame) {
    const lines = [...frame.querySelectorAll("#log .line")].filter(line => +line.dataset.n > known);
    return lines.map(line => {
      const [kind, ...values] = line.dataset.event.split(" ");
      return { kind, values: values.map(value => (/^-?\d+$/.test(value) ? +value : value)), n: +line.dataset.n, index: +line.id.slice(4), words: line.querySelector(".says > span").textContent };
    }).sort((a, b) => a.index - b.index);
  }

  // Return whether the frame waits. Otherwise it is to be shown at once.
  function take(target, fresh) {
    if (target.id !== "frame" || !target.matches(".game") || !Object.keys(acts).length) return false;
    const before = last() ?? target, known = newest(before);
    const events = eventsAfter(known, fresh), steps = stepsOf(events);
    const follows = known < 1 || !!fresh.querySelector(`#log .line[data-n="${known}"]`);  // not after an undo
    const most = target.matches(".replay") ? 1 : MOST - queue.reduce((sum, each) => sum + stepsOf(each.events), 0);
    const quiet = !chosenPace() || document.hidden || !follows || steps > most || !target.querySelector("#log .line") || fresh.querySelector("#notices [role=alert]");
    if (quiet || (!steps && !queue.length)) {
      end();
      return false;
    }
    if (!steps) queue.at(-1).fresh = fresh;
    else queue.push({ fresh, events });
    if (!running) run();
    return true;
  }

  async function run() {
    const me = ++running;
    root.dataset.playing = "";
    while (queue.length) {
      const next = queue[0], waiting = queue.reduce((sum, each) => sum + stepsOf(each.events), 0);
      rate = chosenPace() * (waiting > FAST ? 1 / 3 : 1);
      await perform(next).catch(error => console.error(error));  // a fault in a play must not keep the next frame away
      if (me !== running) return;
      queue.shift();
      clear();
      api.show(next.fresh);
    }
    running = 0;
    delete root.dataset.playing;
  }

  async function perform({ fresh, events }) {
    api.fresh = fresh;
    openLog(fresh, events);
    await acts.before?.(events);
    for (const event of events) {
      tell(event);
      const least = beats(new RegExp(`\\b${event.kind}:(\\d+)`).exec(board().dataset.beats)?.[1] ?? 0);  // bots wait for as long
      await Promise.all([acts[event.kind]?.(...event.values), least && wait(least)]);
    }
    await acts.after?.(events);
    if (fresh.querySelector("#end") && !document.getElementById("end")) await theEnd(fresh);
  }

  // Skip everything: show the newest frame now.
  function end() {
    const fresh = last();
    if (!fresh) return false;
    queue.length = running = 0;
    clear();
    delete root.dataset.playing;
    api.show(fresh);
    return true;
  }

  function clear() {
    cleared++;
    for (const each of moving) each.cancel();
    moving.clear();
    acts.cleared?.();
    layer?.remove();
    layer = null;
    document.getElementById("telling")?.remove();
  }

  // ---------------------------------------------------------------------------------------------------------------- texts
  // The log gets its new lines, and each one appears with its event.
  function openLog(fresh, events) {
    const now = document.querySelector("#log .entries"), next = fresh.querySelector("#log .entries")?.cloneNode(true);
    if (!now || !next) return;
    for (const { index } of events) for (const part of next.querySelectorAll(`#log-${index}, #brief-${index}`)) part.hidden = true;
    for (const turn of next.querySelectorAll(".turn")) turn.hidden = [...turn.querySelectorAll(".line")].every(line => line.hidden);
    Idiomorph.morph(now, next, { morphStyle: "innerHTML", callbacks: { beforeAttributeUpdated: (name, node) => !(name === "open" && node.tagName === "DETAILS") } });
  }

  // What happens now stands in place of the prompt.
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

  // An animation that keeps its last state until the next frame. The promise of one that is skipped stays pending.
  function play(element, frames, ms = 400, options = {}) {
    if (!element) return Promise.resolve();
    const run = element.animate(frames, { duration: length(ms), fill: "both", easing: "ease-in-out", ...options, delay: length(options.delay ?? 0) });
    moving.add(run);
    const then = cleared;  // an animation may have finished just before the rest was skipped: its play must not go on then
    return new Promise(resolve => { run.onfinish = () => { if (then === cleared) resolve(); }; });
  }

  const wait = ms => play(over(), [{ opacity: 1 }, { opacity: 1 }], ms);
  const unfinished = () => [...moving].filter(each => each.playState !== "finished");
  const pause = on => unfinished().forEach(each => (on ? each.pause() : each.play()));
  const next = () => unfinished().forEach(each => each.finish());

  // Pieces that move lie in a layer over the board. It is no part of a frame.
  function over() {
    if (!layer?.isConnected) {
      layer = document.createElement("div");
      layer.className = "stage";
      layer.setAttribute("aria-hidden", "true");
      board().append(layer);
    }
    return layer;
  }

  // The middle and size of an element on the board, or of a fraction of the board.
  function at(element, x = 0.5, y = 0.5) {
    const box = (element ?? board()).getBoundingClientRect(), from = over().getBoundingClientRect(), scale = board().currentCSSZoom ?? 1;
    return { x: (box.x - from.x + x * box.width) / scale, y: (box.y - from.y + y * box.height) / scale, width: box.width / scale, height: box.height / scale };
  }

  function put(piece, { x, y }, className = "") {
    const place = document.createElement("div");
    place.className = `stage-piece ${className}`;
    place.style.left = `${x}px`;
    place.style.top = `${y}px`;
    place.append(piece);
    over().append(place);
    return place;
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
  async function fly(piece, from, to, { ms = 450, arc = 0.2, spin = 0, turn = 0, scale = 1, easing = "cubic-bezier(.35, .1, .6, 1)", className = "" } = {}) {
    const rise = document.createElement("div"), whirl = document.createElement("div");
    rise.append(whirl);
    whirl.append(piece);
    const place = put(rise, from, className);
    const [dx, dy] = [to.x - from.x, to.y - from.y], high = arc * Math.hypot(dx, dy);
    play(rise, [{ transform: "none" }, { transform: `translateY(${-high}px) scale(${1 + arc / 2})`, easing: "ease-in" }, { transform: `scale(${scale})` }], ms, { easing: "ease-out" });
    play(whirl, [{ transform: `rotate(${turn}deg)` }, { transform: `rotate(${turn + spin}deg)` }], ms, { easing: "linear" });
    await play(place, [{ transform: "none" }, { transform: `translate(${dx}px, ${dy}px)` }], ms, { easing });
    return place;
  }

  // A cube that rolls and settles with a face up. `faces` returns the picture of a face by its number.
  async function rollCube(value, from, to, { size = 48, ms = 700, name = face => `die-${face}` } = {}) {
    const cube = document.createElement("div");
    cube.className = "stage-cube";
    cube.style.setProperty("--side", `${size}px`);
    const others = [1, 2, 3, 4, 5, 6].filter(face => face !== value && face !== 7 - value);
    for (const face of [value, others[0], others[1], others[2], others[3], 7 - value]) cube.append(drawn(name(face), size));
    const turn = document.createElement("div"), place = put(turn, from, "stage-roll");
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
    const lights = elements.map(each => { const { x, y, width, height } = at(each); return `radial-gradient(circle at ${x}px ${y}px, #0000 ${0.5 * Math.max(width, height)}px, #000 ${0.95 * Math.max(width, height)}px)`; });
    if (lights.length) dark.style.setProperty("--lights", lights.join(", "));
    play(dark, [{ opacity: 0 }, { opacity: 1 }], ms);
    return { light: (quick = 250) => play(dark, [{ opacity: 1 }, { opacity: 0 }], quick) };
  }

  const sound = name => document.dispatchEvent(new CustomEvent("meadhall:sound", { detail: name }));

  // ------------------------------------------------------------------------------------------------------------------ the end
  // A second of silence, torches, the winners' crests with a crown, the losers' helmets; after a draw neither. The panel of the end comes with the frame.
  async function theEnd(fresh) {
    const won = [...fresh.querySelectorAll(".plate.winner > .crest")], rest = [...fresh.querySelectorAll(".plate:not(.winner) > .crest")];
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
    acts: functions => Object.assign(acts, functions), take, end, last, play, wait, at, put, drawn, copy, fly, rollCube, dim, sound, over,
    pause, next, beats, hurry: factor => { rate *= factor; }, isPlaying: () => queue.length > 0, show: () => {}, fresh: null,
  };
  return api;
})();
