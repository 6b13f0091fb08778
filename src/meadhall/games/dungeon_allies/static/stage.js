// What happens in Dungeon Allies: see js/stage.js. A fight takes the whole board, and each other place tells its part on a card, with
// buttons to pause and to go on.
(() => {
  const { play, wait, at, put, drawn, copy, fly, sound, over } = stage;
  const PLACES = ["", "square", "turn_order", "treasure", "trainer", "tavern", "prisoner", "trade", "sorcerer"];
  const SIDES = [4, 6, 8, 10, 12, 20];
  const NUMERALS = [[23, 46, 25], [23.5, 47.5, 31], [30, 39.5, 26], [30, 34, 24], [30, 37.5, 24], [30, 37, 17]];  // as in pieces.html
  const byId = id => document.getElementById(id);
  const find = query => document.querySelector(`#da-board ${query}`);
  const number = (scene, name) => +scene.dataset[name];
  const ms = what => stage.beats(byId("da-board").dataset[what]);  // BEATS in boards.py
  const lengthOf = scene => ms("scene") + ms("line") * (scene.querySelectorAll("li").length - 1);

  let scenes = [], fights = [];  // what the next frame tells of this play: the places, and the fights
  let arena = null;              // the fight on the board: its foe, dice and total

  function before(events) {
    arena = null;
    const steps = new Set(events.map(event => event.n));
    const news = [...stage.news.findAll("#turn .da-scene")].filter(scene => steps.has(number(scene, "n")));
    news.sort((a, b) => number(a, "n") - number(b, "n") || number(a, "part") - number(b, "part"));
    scenes = news.filter(scene => !scene.querySelector(".da-fight"));
    fights = [...news.map(scene => scene.querySelector(".da-fight")), stage.news.find("#da-stage .da-fight")].filter(each => each);
    const length = scenes.reduce((sum, scene) => sum + lengthOf(scene), 0) + ms("fight") * fights.length;
    if (length > ms("all")) stage.hurry(ms("all") / length);
  }

  // ------------------------------------------------------------------------------------------------------------- the card
  function show(place, ...lines) {
    const card = byId("da-animation");
    card.querySelector(".da-head").textContent = byId(`place-${place}`)?.textContent ?? "";
    card.querySelector(".da-scene-lines").replaceChildren(...lines);
    card.classList.toggle("of-fights", place === 1);
    card.hidden = false;
    byId("board").append(card);  // above the stage
  }

  // The place glows, and its card tells what happened there. The lines of one step are shown together.
  const tellOf = place => async () => {
    if (scenes[0]?.dataset.place !== String(place)) return;
    const scene = scenes.shift(), lot = at(find(`.da-lot.da-${place}`));
    const glow = put(document.createElement("i"), lot, "da-glow");
    glow.style.setProperty("--wide", `${lot.width}px`);
    glow.style.setProperty("--high", `${lot.height}px`);
    play(glow, [{ opacity: 0 }, { opacity: 1 }], 200);
    show(place, ...copy(scene).childNodes);
    sound({ 3: "chest", 5: "mug", 6: "chain", 7: "coins", 8: "crystal" }[place] ?? "card");
    await wait(lengthOf(scene));
    glow.remove();
  };

  // ------------------------------------------------------------------------------------------------------------ placing dice
  function spotOf(name) {
    const [place, space] = name.split(":"), k = PLACES.indexOf(place);
    if (k === 1) return find(`#spot-${space}`);
    const spots = document.querySelectorAll(`#da-board .da-lot.da-${k} .da-spot`);
    return spots[space - 1] ?? spots[0];
  }

  async function placed(seat, sides, spot) {
    const size = SIDES.indexOf(sides), own = document.querySelector(`.da-area.seat-${seat} #own-${size}`);
    const from = own?.checkVisibility() ? own : byId(`home-${seat}-${size}`), to = spotOf(spot);
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
  // The arena covers the board. The foe is the one that the next frame shows.
  function open(square, behind = false) {
    const drawing = fights.shift();
    if (!drawing) return null;
    const room = document.createElement("div"), foe = document.createElement("div"), total = document.createElement("b");
    const box = at(find(".da-picture")), large = Math.min(box.width, box.height) / 230;
    room.className = "da-arena";
    foe.className = "da-foe";
    total.className = "da-total";
    foe.style.setProperty("--large", large);
    foe.append(copy(drawing.querySelector(".da-face")));
    room.append(foe, total);
    over().append(room);
    play(room, [{ opacity: 0 }, { opacity: 1 }], 220);
    arena = { room, foe, total, dice: [], sum: 0, needs: drawing.querySelector(".da-target").textContent, count: drawing.querySelectorAll(".da-thrown").length || 1 };
    if (behind) swing(box, large);
    return arena;
  }

  // The door swings open, and the foe steps out.
  function swing(box, large) {
    const door = put(drawn("da-door", 120 * large, 90 * large), { x: box.x - 60 * large, y: box.y - 0.08 * box.height }, "da-gate");
    door.firstElementChild.style.translate = "0 -50%";
    sound("door");
    play(door, [{ transform: "none" }, { transform: "perspective(700px) rotateY(-18deg)", offset: 0.3 }, { transform: "perspective(700px) rotateY(-104deg)", opacity: 1, offset: 0.9 }, { transform: "perspective(700px) rotateY(-110deg)", opacity: 0 }], 700, { delay: 200, easing: "ease-in" });
    play(arena.foe, [{ transform: "scale(.55)", filter: "brightness(.15)" }, { transform: "scale(.6)", filter: "brightness(.2)", offset: 0.4 }, { transform: "none", filter: "none" }], 900, { easing: "ease-out" });
    arena.room.append(door);
  }

  const words = () => Object.assign(document.createElement("p"), { textContent: byId("telling")?.textContent ?? "" });

  async function fighting(_, square) {
    show(1, words());
    const room = at(find(`#spot-${square}`)), glow = put(document.createElement("i"), room, "da-glow");
    glow.style.setProperty("--wide", `${room.width}px`);
    glow.style.setProperty("--high", `${room.height}px`);
    await play(glow, [{ opacity: 0 }, { opacity: 1 }, { opacity: 0.4 }, { opacity: 1 }], 420);
    glow.remove();
  }

  async function revealed(square) {
    show(1, words());
    if (open(square, true)) await wait(1100);
  }

  // A die falls, bounces and lies still. The total grows towards the number of the foe.
  async function rolled(seat, sides, value, counted) {
    show(1, words());
    if (!arena && !open(null)) return;
    const box = at(find(".da-picture")), size = Math.min(76, box.width / 8);
    const earlier = arena.dice.findIndex(each => each.sides === sides), k = earlier < 0 ? arena.dice.length : earlier;
    if (earlier >= 0) {
      play(arena.dice[k].place, [{}, { opacity: 0, transform: "translateY(60px) rotate(90deg)" }], 200);
      arena.sum -= arena.dice[k].counted;
    }
    const drawing = die(seat, sides, value, size), x = box.x + 1.35 * size * (k - (arena.count - 1) / 2), y = box.y + 0.3 * box.height;
    const turn = document.createElement("div");
    turn.append(drawing);
    const place = put(turn, { x, y });
    arena.room.append(place);
    sound("dice");
    play(turn, [{ transform: "rotate(-560deg) scale(1.3)" }, { transform: "none" }], 560, { easing: "cubic-bezier(.2, .6, .4, 1)" });
    play(drawing.querySelector("text"), [{ opacity: 0 }, { opacity: 0, offset: 0.8 }, { opacity: 1 }], 560);
    await play(place, [{ transform: `translate(-60px, ${-0.7 * box.height}px)` }, { transform: "none", offset: 0.55, easing: "ease-out" }, { transform: "translateY(-22px)", offset: 0.72, easing: "ease-in" }, { transform: "none" }], 560, { easing: "ease-in" });
    if (counted > value) place.append(Object.assign(document.createElement("b"), { className: "da-counted", textContent: counted }));
    arena.dice[k] = { place, sides, counted };
    arena.sum += counted;
    arena.total.textContent = `${arena.sum} / ${arena.needs}`;
    play(arena.total, [{ transform: "scale(1.5)" }, { transform: "none" }], 200);
    await wait(140);
  }

  // A spell: its crystal shines over the fight.
  const casts = item => async () => {
    show(1, words());
    if (!arena && !open(null)) return;
    const light = put(drawn(`da-item-${item}`, 90), at(find(".da-picture"), 0.5, 0.6));
    sound("crystal");
    arena.room.append(light);
    await play(light, [{ opacity: 0, transform: "scale(.3)" }, { opacity: 1, transform: "scale(1.2)", offset: 0.4 }, { opacity: 0, transform: "translateY(-40px)" }], 560);
  };

  async function defeats(_, square, gold) {
    show(1, words());
    if (!arena && !open(square)) return;
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
    await close(350);
  }

  async function fails(_, square) {
    show(1, words());
    if (!arena && !open(square)) return;
    sound("roar");
    for (const each of arena.dice) if (each) play(each.place, [{}, { transform: "translateY(70px) rotate(50deg)", opacity: 0.2 }], 320, { easing: "ease-in" });
    await play(arena.foe, [{ transform: "none" }, { transform: "scale(1.35)", offset: 0.35 }, { transform: "none" }], 520);
    await close(250);
  }

  async function hammers(_, square) {
    show(1, words());
    if (!arena && !open(square, true)) return tellOf(1)();
    await wait(700);
    sound("thunder");
    const hammer = put(drawn("da-item-4", 150), at(find(".da-picture"), 0.5, 0.42));
    arena.room.append(hammer);
    await play(hammer, [{ transform: "translateY(-300px) rotate(-40deg)", opacity: 0 }, { transform: "none", opacity: 1, offset: 0.6, easing: "ease-out" }, { transform: "scale(1.6)", opacity: 0 }], 600, { easing: "ease-in" });
    if (scenes[0]?.dataset.place === "1") scenes.shift();
    play(arena.foe, [{ transform: "none", opacity: 1 }, { transform: "scaleY(.1) translateY(300%)", opacity: 0 }], 260, { easing: "ease-in" });
    await close(350);
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
    if (!card) return;
    card.hidden = true;
    byId("da-board").append(card);
    paused = false;
    byId("animation-pause").setAttribute("aria-pressed", "false");
  }

  const told = Object.fromEntries(Object.entries({
    round: 1, gains: 2, order: 2, loots: 3, guarded: 3, trained: 4, training_forfeit: 4, follower_joins: 5, tavern_forfeit: 5,
    frees: 6, prisoner_forfeit: 6, prisoner_declined: 6, trades: 7, buys: 8, declines: 8, cannot_pay: 8,
  }).map(([kind, place]) => [kind, tellOf(place)]));
  stage.acts({ ...told, before, cleared, placed, fights: fighting, revealed, rolled, rerolled: rolled, enhances: casts(3), blesses: casts(2), defeats, fails, hammers });
})();
