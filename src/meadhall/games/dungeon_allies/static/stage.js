// What happens in Dungeon Allies: see js/stage.js. A fight takes the whole board, and each other place tells its part on a card, with
// buttons to pause and to go on.
(() => {
  const { play, wait, at, put, keep, drawn, copy, fly, sound, over } = stage;
  const PLACES = ["", "square", "turn_order", "treasure", "trainer", "tavern", "prisoner", "trade", "sorcerer"];
  const FIRST = [0, 0, 28, 29, 34, 35, 36, 44, 45];  // the first target of each place, as in pieces.py
  const ITEMS = ["red", "blue", "yellow", "green", "white", "gold"];
  const SIDES = [4, 6, 8, 10, 12, 20];
  const NUMERALS = [[23, 46, 25], [23.5, 47.5, 31], [30, 39.5, 26], [30, 34, 24], [30, 37.5, 24], [30, 37, 17]];  // as in pieces.html
  const byId = id => document.getElementById(id);
  const find = query => document.querySelector(`#da-board ${query}`);
  const ms = what => stage.beats(byId("da-board").dataset[what]);  // BEATS in boards.py
  // The place that tells an event. The gains and payments after a treasure, a prisoner or a card belong to its line.
  const TOLD = {
    round: 1, gains: 2, order: 2, loots: 3, guarded: 3, trained: 4, training_forfeit: 4, follower_joins: 5, tavern_forfeit: 5,
    frees: 6, prisoner_forfeit: 6, prisoner_declined: 6, trades: 7, buys: 8, declines: 8, cannot_pay: 8,
  };
  const WITH_ITEMS = ["loots", "frees", "buys"];

  let lines = [];      // what this play tells, by event: the line on a card; undefined for an event that has none
  let thrown = [];     // how many dice are rolled in each fight of this play
  let scene = null;    // the card that is shown: its place, step and glow
  let arena = null;    // the fight on the board: its foe, dice and total
  const lit = new Map();  // the plates that these news leave as they were, with their classes

  function before(events) {
    arena = scene = null;
    lines = [];
    thrown = [];
    const setUp = events.find(event => event.kind === "assigned")?.n;  // its turn order and treasures belong to no turn
    let line = null, dice = new Set(), length = 0;
    for (const { kind, n, values } of events) {
      if (["rolled", "rerolled"].includes(kind)) dice.add(values[1]);
      if (["defeats", "fails"].includes(kind)) {
        thrown.push(dice.size);
        dice = new Set();
        length += ms("fight");
      }
      if (["gains", "pays"].includes(kind) && line?.isOpen) {
        line.items.push([values[1], kind === "gains" ? values[2] : -values[2]]);
        lines.push(undefined);
        continue;
      }
      const place = n === setUp ? 0 : TOLD[kind], last = line;
      line = place ? { place, n, seat: ["round", "order"].includes(kind) ? null : values[0], items: kind === "gains" ? [values.slice(1)] : [], isOpen: WITH_ITEMS.includes(kind) } : null;
      lines.push(line);
      if (line) length += ms(last?.place === place && last.n === n ? "line" : "scene");
    }
    if (dice.size) thrown.push(dice.size);
    if (length > ms("all")) stage.hurry(ms("all") / length);
  }

  // ------------------------------------------------------------------------------------------------------------- the card
  function show(place, ...content) {
    const card = byId("da-animation");
    card.querySelector(".da-head").textContent = byId(`place-${place}`)?.textContent ?? "";
    card.querySelector(".da-scene-lines").replaceChildren(...content);
    card.classList.toggle("of-fights", place === 1);
    if (!card.hidden) return;
    card.hidden = false;
    over().append(keep(overPicture("da-over", card)));  // above an arena
  }

  // An element as large as the picture. The own area below stays free.
  function overPicture(className, ...children) {
    const { width, height } = at(find(".da-picture")), element = made("div", className, ...children);
    Object.assign(element.style, { width: `${width}px`, height: `${height}px` });
    return element;
  }

  const made = (tag, className, ...children) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...children);
    return element;
  };
  const words = () => made("p", "", byId("telling")?.textContent ?? "");

  function lineOf({ seat, items }) {
    const counts = items.map(([item, count]) => made("span", count < 0 ? "da-count paid" : "da-count", `${count < 0 ? "−" : "+"}${Math.abs(count)}`, drawn(`da-item-${ITEMS.indexOf(item)}`, 24, 24, "da-item")));
    return made("li", "", ...(seat === null ? [] : [drawn(`shield-${seat}`, 24, 24, `crest seat-${seat}`)]), made("span", "", byId("telling")?.textContent ?? ""), ...counts);
  }

  // The seat that something happens to is lit until the end of the play.
  function light(seat) {
    for (const plate of document.querySelectorAll(".plate")) {
      if (!lit.has(plate) && !stage.news.match(plate.id).length) lit.set(plate, plate.className);
      plate.classList.toggle("active", plate.id === `plate-${seat}`);
    }
  }

  // The place glows, and its card tells what happened there. The lines of one step are shown together.
  async function tellLine(line) {
    const isNew = scene?.place !== line.place || scene.n !== line.n;
    byId("da-board").dataset.told = line.place;
    if (line.seat !== null) light(line.seat);
    if (isNew) {
      scene?.glow.remove();
      const lot = at(find(`.da-lot.da-${line.place}`)), glow = keep(put(document.createElement("i"), lot, "da-glow"));
      glow.style.setProperty("--wide", `${lot.width}px`);
      glow.style.setProperty("--high", `${lot.height}px`);
      play(glow, [{ opacity: 0 }, { opacity: 1 }], 200);
      scene = { ...line, glow, list: made("ul", "") };
      show(line.place, scene.list);
      sound(soundAt(line.place));
    }
    scene.list.append(lineOf(line));
    await wait(ms(isNew ? "scene" : "line"));
  }
  const soundAt = place => ({ 3: "chest", 5: "mug", 6: "chain", 7: "coins", 8: "crystal" }[place] ?? "card");

  // Numbers beside a seat and in the own area move with the event.
  function count(seat, item, by) {
    const k = ITEMS.indexOf(item);
    for (const query of [`#facts-${seat} .i${k}`, ...(isOwn(seat) ? [`#purse .i${k}`] : [])]) stage.count(query, by);
  }
  const isOwn = seat => !!document.querySelector(`.da-area.seat-${seat}`);

  // ------------------------------------------------------------------------------------------------------------ placing dice
  // The target of a spot as events name it: the spaces of the turn order and of the trainer are one target.
  function targetOf(name) {
    const [place, space = 1] = String(name).split(":"), k = PLACES.indexOf(place);
    return k === 1 ? +space : FIRST[k] + (k === 2 || k === 4 ? 0 : space - 1);
  }

  async function placed(seat, sides, spot) {
    const size = SIDES.indexOf(sides), own = document.querySelector(`.da-area.seat-${seat} #own-${size}`);
    const from = own?.checkVisibility() ? own : byId(`home-${seat}-${size}`), to = byId(`spot-${targetOf(spot)}`);
    if (!to) return;
    const start = from?.checkVisibility() ? at(from) : at(null, 0.5, 1), goal = at(to), wide = Math.min(40, 0.8 * goal.height);
    sound("dice");
    await fly(die(seat, sides, sides, wide), start, goal, { ms: 450, arc: 0.25, spin: 360 });
  }

  function die(seat, sides, value, size) {
    const k = SIDES.indexOf(sides), picture = drawn(`da-d${sides}`, size, size, seat === null ? "da-die nobodys" : `da-die seat-${seat}`);
    const text = document.createElementNS(picture.namespaceURI, "text");
    picture.setAttribute("viewBox", "0 0 60 60");
    for (const [name, number] of [["x", NUMERALS[k][0]], ["y", NUMERALS[k][1]], ["font-size", NUMERALS[k][2]], ["text-anchor", "middle"]]) text.setAttribute(name, number);
    text.textContent = value;
    picture.append(text);
    return picture;
  }

  // ------------------------------------------------------------------------------------------------------------------ fights
  function face(monster, level) {
    const [weakness, isCrowned, faces] = JSON.parse(byId("da-board").dataset.tiles)[monster], [target, gold] = faces[level];
    const picture = drawn(`da-monster-${weakness}`, 60, 60, "da-monster");
    picture.setAttribute("viewBox", "0 0 60 60");
    if (isCrowned) {
      const crown = picture.appendChild(drawn("i-crown", 24).firstChild);
      for (const [name, value] of Object.entries({ class: "da-great", x: 18, y: -13, width: 24, height: 24 })) crown.setAttribute(name, value);
    }
    return made("span", `da-face l${level}`, picture, drawn(`da-skill-${weakness}`, 32, 32, "da-skill"), made("b", "da-target", target), made("span", "da-gold", drawn("da-item-5", 24, 24, "da-item"), gold));
  }

  // The arena covers the board. The dice of a fight that goes on lie there.
  function open(foeFace, behind = false) {
    const box = at(find(".da-picture")), large = Math.min(box.width, box.height) / 230;
    const foe = made("div", "da-foe", foeFace), total = made("b", "da-total"), room = overPicture("da-arena", foe, total);
    foe.style.setProperty("--large", large);
    over().prepend(keep(room));
    play(room, [{ opacity: 0 }, { opacity: 1 }], 220);
    const lying = [...document.querySelectorAll("#da-stage .da-thrown.rolled")];
    arena = { room, foe, total, dice: [], sum: 0, needs: foeFace.querySelector(".da-target").textContent, count: Math.max(lying.length, thrown.shift() ?? 1) };
    for (const each of behind ? [] : lying) lay(+each.dataset.seat, +each.dataset.sides, +each.dataset.value, +each.dataset.counted);
    if (behind) swing(box, large);
    return arena;
  }
  // The fight that goes on, as the board shows it.
  const reopen = () => { const known = find("#da-stage .da-face"); return arena ?? (known && open(copy(known))); };

  // The door swings open, and the foe steps out.
  function swing(box, large) {
    const door = put(drawn("da-door", 120 * large, 90 * large), { x: box.x - 60 * large, y: box.y - 0.08 * box.height }, "da-gate");
    door.firstElementChild.style.translate = "0 -50%";
    arena.room.append(door);
    sound("door");
    play(door, [{ transform: "none" }, { transform: "perspective(700px) rotateY(-18deg)", offset: 0.3 }, { transform: "perspective(700px) rotateY(-104deg)", opacity: 1, offset: 0.9 }, { transform: "perspective(700px) rotateY(-110deg)", opacity: 0 }], 700, { delay: 200, easing: "ease-in" });
    play(arena.foe, [{ transform: "scale(.55)", filter: "brightness(.15)" }, { transform: "scale(.6)", filter: "brightness(.2)", offset: 0.4 }, { transform: "none", filter: "none" }], 900, { easing: "ease-out" });
  }

  async function fighting(seat, square) {
    light(seat);
    byId("da-board").dataset.told = 1;
    show(1, words());
    const room = at(find(`#spot-${square}`)), glow = put(document.createElement("i"), room, "da-glow");
    glow.style.setProperty("--wide", `${room.width}px`);
    glow.style.setProperty("--high", `${room.height}px`);
    await play(glow, [{ opacity: 0 }, { opacity: 1 }, { opacity: 0.4 }, { opacity: 1 }], 420);
    glow.remove();
  }

  async function revealed(square, monster) {
    show(1, words());
    open(face(monster, +/\bl(\d)/.exec(byId(`spot-${square}`).className)[1]), true);
    await wait(1100);
  }

  // Put a die into the arena. The total grows towards the number of the foe.
  function lay(seat, sides, value, counted) {
    const box = at(find(".da-picture")), size = Math.min(76, box.width / 8);
    const earlier = arena.dice.findIndex(each => each.sides === sides), k = earlier < 0 ? arena.dice.length : earlier;
    if (earlier >= 0) {
      play(arena.dice[k].place, [{}, { opacity: 0, transform: "translateY(60px) rotate(90deg)" }], 200);
      arena.sum -= arena.dice[k].counted;
    }
    const turn = made("div", "", die(seat, sides, value, size));
    const place = put(turn, { x: box.x + 1.35 * size * (k - (arena.count - 1) / 2), y: box.y + 0.3 * box.height });
    arena.room.append(place);
    if (counted > value) place.append(made("b", "da-counted", counted));
    arena.dice[k] = { place, sides, counted };
    arena.sum += counted;
    arena.total.textContent = `${arena.sum} / ${arena.needs}`;
    return { place, turn, high: box.height };
  }

  // A die falls, bounces and lies still.
  async function rolled(seat, sides, value, counted) {
    show(1, words());
    if (!reopen()) return;
    const { place, turn, high } = lay(seat, sides, value, counted);
    sound("dice");
    play(turn, [{ transform: "rotate(-560deg) scale(1.3)" }, { transform: "none" }], 560, { easing: "cubic-bezier(.2, .6, .4, 1)" });
    play(turn.querySelector("text"), [{ opacity: 0 }, { opacity: 0, offset: 0.8 }, { opacity: 1 }], 560);
    play(arena.total, [{ transform: "scale(1.5)", opacity: 0 }, { transform: "scale(1.5)", opacity: 0, offset: 0.8 }, { transform: "none", opacity: 1 }], 700);
    await play(place, [{ transform: `translate(-60px, ${-0.7 * high}px)` }, { transform: "none", offset: 0.55, easing: "ease-out" }, { transform: "translateY(-22px)", offset: 0.72, easing: "ease-in" }, { transform: "none" }], 560, { easing: "ease-in" });
    await wait(140);
  }

  // A spell: its crystal shines over the fight.
  const casts = item => async () => {
    show(1, words());
    if (!reopen()) return;
    const light = put(drawn(`da-item-${item}`, 90), at(find(".da-picture"), 0.5, 0.6));
    sound("crystal");
    arena.room.append(light);
    await play(light, [{ opacity: 0, transform: "scale(.3)" }, { opacity: 1, transform: "scale(1.2)", offset: 0.4 }, { opacity: 0, transform: "translateY(-40px)" }], 560);
  };

  async function defeats(seat, square, gold) {
    show(1, words());
    if (!reopen()) return;
    sound("hit");
    await play(arena.foe, [{ translate: "-50% -50%" }, { translate: "calc(-50% + 12px) calc(-50% + 5px)" }, { translate: "calc(-50% - 10px) -50%" }, { translate: "-50% -50%" }], 240);
    play(arena.foe, [{ transform: "none", opacity: 1 }, { transform: "translateY(40%) rotate(80deg) scale(.8)", opacity: 0 }], 480, { easing: "ease-in" });
    const from = at(find(".da-picture"), 0.5, 0.42);
    await wait(200);
    if (gold) sound("coins");
    const coins = Math.min(8, gold);
    await Promise.all(Array.from({ length: coins }, async (_, k) => {
      await wait(50 * k);
      await fly(drawn("da-item-5", 34), from, { x: from.x + 34 * (k - (coins - 1) / 2), y: from.y + 30 }, { ms: 380, arc: 1.2, spin: 360 }).then(place => arena?.room.append(place));
    }));
    count(seat, "gold", gold);
    await close(350);
  }

  async function fails() {
    show(1, words());
    if (!reopen()) return;
    sound("roar");
    for (const each of arena.dice) if (each) play(each.place, [{}, { transform: "translateY(70px) rotate(50deg)", opacity: 0.2 }], 320, { easing: "ease-in" });
    await play(arena.foe, [{ transform: "none" }, { transform: "scale(1.35)", offset: 0.35 }, { transform: "none" }], 520);
    await close(250);
  }

  async function hammers() {
    show(1, words());
    if (!reopen()) return;
    await wait(700);
    sound("thunder");
    const hammer = put(drawn("da-item-4", 150), at(find(".da-picture"), 0.5, 0.42));
    arena.room.append(hammer);
    await play(hammer, [{ transform: "translateY(-300px) rotate(-40deg)", opacity: 0 }, { transform: "none", opacity: 1, offset: 0.6, easing: "ease-out" }, { transform: "scale(1.6)", opacity: 0 }], 600, { easing: "ease-in" });
    await play(arena.foe, [{ transform: "none", opacity: 1 }, { transform: "scaleY(.1)", opacity: 0.6 }], 260, { easing: "ease-in" });
  }

  async function close(pause) {
    await wait(pause);
    const { room } = arena;
    arena = null;
    await play(room, [{ opacity: 1 }, { opacity: 0 }], 200);
    room.remove();
  }

  // ----------------------------------------------------------------------------------------------------------------- buttons
  let paused = false;
  function pause(wanted) {
    paused = wanted;
    stage.pause(paused);
    byId("animation-pause").setAttribute("aria-pressed", String(paused));
  }
  document.addEventListener("click", e => {
    if (e.target.closest("#animation-pause")) pause(!paused);
    else if (e.target.closest("#animation-next")) { pause(false); stage.next(); }
    else if (e.target.closest("#animation-skip")) stage.end();
  });
  document.addEventListener("keydown", e => {
    if (e.key !== " " || !stage.isPlaying() || e.target.matches("button, a, summary, input, select, textarea")) return;
    e.preventDefault();
    pause(!paused);
  });
  function cleared() {
    const card = byId("da-animation");
    arena = scene = null;
    for (const [plate, was] of lit) plate.className = was;
    lit.clear();
    if (!card) return;
    card.hidden = true;
    document.querySelector("#da-board > .da-clock").before(card);
    delete byId("da-board").dataset.told;
    paused = false;
    byId("animation-pause").setAttribute("aria-pressed", "false");
  }

  // ------------------------------------------------------------------------------------------------------------ acts and changes
  // Every event takes its line, if it has one, and is told before it is played.
  const acts = {
    placed, fights: fighting, revealed, rolled, rerolled: rolled, enhances: casts(3), blesses: casts(2), defeats, fails, hammers,
    gains: count, pays: (seat, item, number) => count(seat, item, -number), bid: (seat, gold) => count(seat, "gold", -gold),
  };
  const spot = target => (target < 28 ? [`spot-${target}`] : target === 28 ? ["step-*", "about-28"] : target === 34 ? ["benches", "about-34"] : [`dice-${target}`, `about-${target}`]);
  const TRACK = ["order", ...spot(28)], TREASURES = ["heap-*", "about-29", "about-30", "about-31", "about-32", "about-33"], TAVERN = ["visitor", "leading", ...spot(35)];
  const OFFERS = ["price", "offer-*", "about-45", "about-46", "about-47", "about-48", "about-49"], BOX = ["about-44", ...OFFERS];  // a price depends on the box
  const has = seat => [`facts-${seat}`, ...(isOwn(seat) ? ["purse", "fan"] : [])];
  const dice = seat => [`more-${seat}-*`, ...(isOwn(seat) ? ["slot-*", "held-*"] : [])];
  const paid = seat => [...has(seat), ...BOX];
  const ALL = ["spot-*", "dice-*", "about-*", "benches", ...TRACK, ...TREASURES, ...TAVERN, ...OFFERS, "more-*", "facts-*", "slot-*", "held-*", "purse", "fan", "turn-number", "own-turn", "tally", "da-stage"];
  const changes = {
    tile: () => [], character: () => [], percentile: () => TRACK, order: () => TRACK, card_shown: () => OFFERS, follower_top: () => TAVERN,
    treasure: () => [...TREASURES, ...BOX], assigned: dice, placed: (seat, _, name) => [...spot(targetOf(name)), ...dice(seat)],
    bid: seat => [...TAVERN, ...has(seat)], illuminates: paid, peeked: (_, square) => spot(square), peek_face: (_, square) => [`look-${square}`],
    fights: () => ["da-stage"], revealed: square => ["da-stage", `spot-${square}`, `look-${square}`], enhances: seat => ["da-stage", ...paid(seat)],
    blesses: seat => ["da-stage", ...paid(seat)], rolled: () => ["da-stage"], rerolled: seat => ["da-stage", ...paid(seat)], total: () => ["da-stage"],
    hammers: seat => ["da-stage", ...paid(seat)], defeats: (seat, square) => ["da-stage", "tally", ...spot(square), ...has(seat), ...TREASURES],
    fails: (_, square) => ["da-stage", "tally", ...spot(square)], round: () => ["tally", ...TREASURES, ...OFFERS], gains: paid, pays: paid,
    loots: seat => [...TREASURES, ...has(seat)], guarded: () => [], trained: seat => [...spot(34), ...dice(seat)], training_forfeit: () => [],
    follower_joins: seat => [...TAVERN, ...dice(seat)], tavern_forfeit: () => TAVERN, frees: () => [], prisoner_forfeit: () => [], prisoner_declined: () => [],
    trades: seat => [...BOX, ...has(seat)], buys: seat => [...OFFERS, ...has(seat)], declines: () => [], cannot_pay: () => [],
    turn_ended: () => ALL, score: () => ALL, won: () => [...ALL, "da-final"],
  };
  const told = kind => async (...values) => {
    const line = lines.shift();
    if (line) await tellLine(line);
    await acts[kind]?.(...values);
  };
  const withLight = change => (...values) => [...change(...values), "light"];
  const each = of => Object.fromEntries(Object.entries(changes).map(([kind, change]) => [kind, of(kind, change)]));
  stage.changes(each((_, change) => withLight(change)), "da-board");
  stage.sounds({ ...Object.fromEntries(Object.entries(TOLD).map(([kind, place]) => [kind, soundAt(place)])), placed: "dice", rolled: "dice", rerolled: "dice", revealed: "door", enhances: "crystal", blesses: "crystal", defeats: "hit", fails: "roar", hammers: "thunder" });
  stage.acts({ ...each(told), before, cleared });
})();
