// What happens at the table of Viking Axes: see js/stage.js.
(() => {
  const { play, wait, at, put, keep, count, drawn, copy, fly, dim, sound, over } = stage;
  const find = query => document.querySelector(`#va-board ${query}`);
  const crest = seat => find(`#place-${seat} .va-crest > svg`);
  const number = query => +(find(query)?.textContent ?? 0);
  const unused = seat => find(`#shields-${seat} .va-unused b`);
  const lying = seat => document.querySelectorAll(`#shields-${seat} .va-wall .va-slot`).length;  // shields, and axes on them
  const hasArmory = seat => !!find(`#armory-${seat}:not(.off)`);
  const limit = () => +find("").dataset.limit;
  const wide = () => at(find(".va-pile")).width / 0.66;
  const pile = () => at(find(".va-pile")), discarded = () => at(find("#discarded")), middle = () => at(find(".va-play"));
  const SMALL = 0.45, PILE = 0.66;
  let coming = [], laid = {}, heap = [], passing = [], lights = new Map();
  let inPlay = null, name = "", deadly = false, through = 0, dark = null, axes = [];

  // ------------------------------------------------------------------------------------------------------- what events change
  const HEAP = ["top-*", "thrown*"], PLAYED = ["in-play*"];
  const held = seat => [`back-${seat}-*`, `facts-${seat}`, "hand"];
  const changes = {
    shuffled: () => ["left", "pile", ...HEAP],
    drew: () => ["left", "pile", ...PLAYED, "light"],
    plays: seat => [...held(seat), ...PLAYED],
    discards: seat => [...held(seat), ...PLAYED, ...HEAP],
    throws: () => ["trail", ...PLAYED],
    blocked: target => [`shields-${target}`, `facts-${target}`],
    shields_spent: target => [`shields-${target}`, `facts-${target}`, ...HEAP],
    hits: target => [`hits-${target}`, `marks-${target}`, `facts-${target}`],
    out: seat => [`place-${seat}`, `due-${seat}`, `shields-${seat}`, `armory-${seat}`, `marks-${seat}`, `facts-${seat}`, ...HEAP],
    places: seat => [`shields-${seat}`, `armory-${seat}`, `facts-${seat}`, ...PLAYED],
    cashes_in: seat => [`armory-${seat}`, `facts-${seat}`, ...HEAP],
    disarms: (_, target) => [`armory-${target}`, `facts-${target}`, ...PLAYED, ...HEAP],
    skips: (_, target) => [`due-${target}`, `facts-${target}`, ...PLAYED, ...HEAP],
    turn_skipped: seat => [`due-${seat}`, `facts-${seat}`],
    won: seat => [`place-${seat}`, "victory", "light"],
  };
  // Whether a later event of the play changes a region, so that its pieces must stay until then.
  const again = region => coming.some(event => changes[event.kind]?.(...event.values).includes(region));
  // Change something when the next event begins: by then the regions of this one are shown.
  const later = change => passing.push(change);
  const pass = () => passing.splice(0).forEach(change => change());
  const show = names => stage.news.show(names.flatMap(each => stage.news.match(each)));

  function before(events) {
    laid = {};
    coming = events;
    inPlay = dark = null;
    axes = [];
    name = find("#in-play").getAttribute("href")?.slice(1) ?? "";
    play(find("#trail"), [{ opacity: 0 }, { opacity: 0 }], 1, { stays: !events.some(({ kind }) => kind === "throws") });  // the old one
  }

  // The light goes to a seat whose turn begins. For the one before, a turn has ended: it may be skipped again.
  function light(seat) {
    const lit = find("#va-light"), last = /at-(\d)/.exec(lit.className)?.[1];
    if (+last === seat) return;
    const plates = document.querySelectorAll(".plates > .plate");
    for (const each of [lit, ...plates]) if (!lights.has(each)) lights.set(each, [each.className, stage.news.match(each.id).length > 0]);
    lit.className = `va-light at-${seat}`;
    for (const plate of plates) plate.classList.toggle("active", plate.id === `plate-${seat}`);
    if (last && !again(`due-${last}`)) show([`due-${last}`, ...(again(`facts-${last}`) ? [] : [`facts-${last}`])]);
  }

  function cleared() {
    pass();
    for (const [each, [shown, isNew]] of lights) if (!isNew || stage.news.match(each.id).length) each.className = shown;
    lights.clear();
    delete find(".va-play")?.dataset.taken;
    delete find("#discarded")?.dataset.empty;
    heap = [];
  }

  // ------------------------------------------------------------------------------------------------------------------- cards
  const card = (picture, size = 1) => drawn(picture, size * wide(), 1.4 * size * wide());
  const isTaken = () => !inPlay && (!name || "taken" in find(".va-play").dataset);

  // Move the card in the middle away; the board's own card is hidden meanwhile.
  function take() {
    inPlay?.remove();
    inPlay = null;
    find(".va-play").dataset.taken = "";
  }

  // A card is in the middle, until the board shows it there.
  function bring(piece) {
    inPlay = keep(piece);
    if (again("in-play*")) return;
    later(() => {
      piece.remove();
      inPlay = null;
      delete find(".va-play").dataset.taken;
    });
  }

  async function move(picture, from, to, { size = 1, end = 1, ms = 420, arc = 0.12, ...more } = {}) {
    sound("card");
    return fly(card(picture, size), from, to, { ms, arc, scale: end / size, className: "stage-card", ...more });
  }

  // A card comes to lie on the discard pile.
  async function discard(picture, from, size) {
    const piece = await move(picture, from, discarded(), { size, end: PILE });
    count("#thrown", 1);
    for (const each of heap.splice(0)) each.remove();
    if (again("thrown*")) heap.push(keep(piece));
  }

  // The place of a player's hand: the viewer's is beside the table. And where the next card in front of a player will lie.
  const hand = seat => {
    const backs = find(`#place-${seat} .va-backs > :nth-child(2)`);
    return at(backs?.getClientRects().length ? backs : document.getElementById("hand") ?? find(`#place-${seat} .va-front`));
  };
  // A card leaves a hand: from its place in the viewer's.
  function leaves(seat, picture) {
    const own = document.querySelector(`#frame.you-${seat} #hand .act:has([href="#${picture}"])`);
    play(own ?? find(`#place-${seat} .va-backs > :nth-child(3)`), [{ opacity: 0 }, { opacity: 0 }], 1);
    return own ? at(own) : hand(seat);
  }
  function front(seat, isArmory) {
    const { x, y, width, height } = at(find(`#place-${seat} .va-front`)), em = width / 11.6;
    const cards = document.querySelectorAll(`#shields-${seat} .va-wall > .va-slot`).length + (laid[seat] ?? 0);
    return { x: x - width / 2 + em * (isArmory ? 9.85 : 4.45 + 3.6 * Math.min(cards, 1.3)), y: y - height / 2 + 2.8 * em, size: (3.5 * em) / wide() };
  }

  async function shuffled(cards) {
    sound("shuffle");
    for (const each of heap.splice(0)) each.remove();
    find("#discarded").dataset.empty = "";
    if (!again("thrown*")) later(() => { delete find("#discarded").dataset.empty; });
    count("#thrown", -number("#thrown"));
    count("#left", cards - number("#left"));
    await Promise.all([0, 1, 2, 3].map(async k => {
      const back = await fly(card("va-back", PILE), discarded(), pile(), { ms: 300 + 70 * k, arc: 0.3, spin: 360 });
      back.remove();
    }));
  }

  // A card from the pile turns over in the middle and can be read.
  async function drew(seat, drawnCard) {
    light(seat);
    take();
    name = `va-${drawnCard}`;
    const flip = document.createElement("div"), back = card("va-back");
    flip.className = "va-flip";
    back.setAttribute("class", "va-reverse");
    flip.append(card(name), back);
    sound("card");
    count("#left", -1);
    play(flip, [{ transform: "rotateY(-180deg) scale(.66)" }, { transform: "rotateY(0) scale(1)" }], 480);
    bring(await fly(flip, pile(), middle(), { ms: 480, arc: 0.15, className: "stage-card" }));
    await wait(500);
  }

  async function plays(seat, played) {
    take();
    name = `va-${played}`;
    bring(await move(name, leaves(seat, name), middle(), { size: SMALL }));
    await wait(350);
  }

  async function discards(seat, thrown) {
    const isHeld = isTaken();
    if (!isHeld) take();
    await discard(`va-${thrown}`, isHeld ? leaves(seat, `va-${thrown}`) : middle(), isHeld ? SMALL : 1);
    name = "";
  }

  async function places(seat, placed) {
    const isArmory = placed === "armory", { size, ...to } = front(seat, isArmory);
    take();
    const piece = await move(`va-${placed}`, middle(), to, { end: size });
    name = "";
    if (!again(`shields-${seat}`)) return;
    keep(piece);
    laid[seat] = (laid[seat] ?? 0) + 1;
  }

  // ------------------------------------------------------------------------------------------------------------------- axes
  async function throws(seat, target, thrown) {
    through = thrown - (+unused(target)?.textContent || 0);
    deadly = through > 0 && number(`#hits-${target}`) + through >= limit();
    if (deadly) dark = dim([crest(seat), crest(target)]);
    take();
    name = "";
    const from = at(crest(seat)), to = at(crest(target)), size = 0.62 * to.width;
    if (deadly) await wait(350);
    await Promise.all(Array.from({ length: thrown }, async (_, k) => {
      await wait(110 * k);
      sound("axe");
      const near = { x: to.x + 0.22 * to.width * (k - (thrown - 1) / 2) - 0.08 * (to.x - from.x), y: to.y - 0.1 * to.width - 0.08 * (to.y - from.y) };
      axes[k] = await fly(drawn("axe", size), from, near, { ms: deadly ? 620 : 420, spin: 720, turn: -60, arc: 0.2, className: "stage-axe" });
      keep(axes[k]);
    }));
    if (deadly) await wait(500);  // a breath
  }

  const shake = (element, far) => play(element, [{ translate: "0 0" }, { translate: `${far}px ${far / 2}px` }, { translate: `${-far / 2}px 0` }, { translate: "0 0" }], 180);

  // A sign on a crest, no wider than it: names stay in view. It goes with its event.
  async function sign(kind, seat, picture, words = "") {
    const box = document.createElement("i"), { x, y, width } = at(crest(seat));
    box.append(drawn(picture, 0.29 * width));
    if (words) box.append(Object.assign(document.createElement("b"), { textContent: words }));
    const place = put(box, { x, y }, `va-effect ${kind}`);
    place.style.fontSize = `${0.29 * width}px`;
    await play(place, [{ opacity: 0, transform: "scale(.3)" }, { opacity: 1, transform: "scale(1.15)", offset: 0.25 }, { opacity: 1, transform: "none", offset: 0.4 }, { opacity: 1, transform: "none" }], 480, { easing: "ease-out" });
  }

  async function blocked(target, stopped) {
    sound("clang");
    count(unused(target), -stopped);
    for (const each of axes.splice(0, stopped)) {
      play(each.firstElementChild, [{}, { transform: "translate(40%, 160%) rotate(200deg)", opacity: 0 }], 420, { easing: "ease-in" });
      later(() => each.remove());
    }
    shake(find(`#place-${target} .va-front`), 7);
    await sign("blocked", target, "va-shield-sign", stopped);
  }

  // The axes stick where they hit.
  async function hits(target, landed) {
    const to = at(crest(target)), left = limit() - number(`#hits-${target}`) - landed, stuck = axes.map(each => [each, at(each), getComputedStyle(each).transform]);
    sound("thud");
    for (const [each, here, way] of stuck) play(each, [{}, { transform: `${way} translate(${0.35 * (to.x - here.x)}px, ${0.35 * (to.y - here.y)}px)` }], 90, { easing: "ease-in" });
    await wait(90);
    count(`#hits-${target}`, landed);
    show([`cut-${target}`]);  // the notches, with their number
    shake(crest(target), 8);
    if (left === 1) sound("drum");
    if (left > 0) later(() => stuck.forEach(([each]) => each.remove()));
    await sign("hits", target, "i-attack", landed);
  }

  async function shields_spent(target) {
    const wall = find(`#shields-${target} .va-wall`);
    if (!wall) return;
    sound("break");
    count("#thrown", lying(target) + (through > 0 ? 0 : 1));  // the card of the axes comes, too, if none of them hits
    const cards = Array.from(wall.querySelectorAll(":scope > .va-slot"), each => [each, at(each)]);
    for (const [k, [each, here]] of cards.entries()) {
      const same = copy(each.querySelector("svg"));
      same.setAttribute("width", here.width);
      same.setAttribute("height", here.height);
      play(put(same, here), [{ opacity: 1, transform: "none" }, { opacity: 1, transform: "rotate(-4deg) scale(1.06)", offset: 0.3 }, { opacity: 0, transform: `translate(${12 * (k - 1)}px, 60px) rotate(${18 * (k % 2 ? 1 : -1)}deg)` }], 480, { easing: "ease-in" });
    }
    const gone = find(`#shields-${target}`), stays = again(`shields-${target}`);
    for (const each of gone.children) play(each, [{ opacity: 0 }, { opacity: 0 }], 1, { stays });
    await wait(480);
  }

  // The crest breaks along a line.
  async function out(seat) {
    const to = at(crest(seat)), size = 0.76 * to.width;
    const line = "29% 4%, 44% 29%, 32% 46%, 54% 65%, 46% 97%", back = line.split(", ").reverse().join(", ");
    sound("break");
    count("#thrown", document.querySelectorAll(`#marks-${seat} > use`).length + 1 + (hasArmory(seat) ? 1 : 0));
    for (const [shape, fallen] of [[`polygon(0 0, 29% 0, ${line}, 46% 100%, 0 100%)`, "translate(-10px, 6px) rotate(-14deg)"], [`polygon(100% 0, 100% 100%, 46% 100%, ${back}, 29% 0)`, "translate(9px, 14px) rotate(20deg)"]]) {
      const half = put(drawn(`shield-${seat}`, size), to, `va-half seat-${seat}`);
      half.firstElementChild.style.clipPath = shape;
      play(half, [{ transform: "none" }, { transform: fallen }], 450, { easing: "cubic-bezier(.5, 0, .9, .6)" });
    }
    for (const each of axes) {
      over().append(each);
      later(() => each.remove());
    }
    play(crest(seat).querySelector(".va-crest-shield"), [{ opacity: 0 }, { opacity: 0 }], 1);
    await wait(450);
    dark?.light();
    await sign("out", seat, "i-skull");
  }

  // -------------------------------------------------------------------------------------------------------- armory and wench
  function takeArmory(seat) {
    const armory = find(`#armory-${seat}`), from = hasArmory(seat) ? at(armory) : front(seat, true);
    play(armory, [{ opacity: 0 }, { opacity: 0 }], 1);
    return discard("va-armory", from, 0.42);
  }

  async function cashes_in(seat) {
    sound("coins");
    await takeArmory(seat);
  }

  // The wench goes from the middle to a player, and from there to the discard pile.
  async function visits(target) {
    take();
    name = "";
    const wench = await move("va-wench", middle(), at(crest(target)), { end: 0.6 });
    await wait(150);
    wench.remove();
    return () => discard("va-wench", at(crest(target)), 0.6);
  }

  async function disarms(_, target) {
    const leave = await visits(target);
    await Promise.all([takeArmory(target), leave()]);
  }

  async function skips(_, target) {
    const leave = await visits(target);
    sound("mug");
    sign("missed", target, "va-mug");
    await wait(250);
    await leave();
  }

  async function turn_skipped(seat) {
    sound("mug");
    await sign("missed", seat, "va-mug");
  }

  // What no event tells: with secret hands a card goes from the pile to each hand that grows, and the light to the next player.
  async function after() {
    show(["trail"]);
    pass();
    const comes = id => stage.news.part(id)?.getAttribute("href") ?? stage.news.parts.get(id)?.href;
    const grown = seat => !find(`#back-${seat}-2`).getAttribute("href") && comes(`back-${seat}-2`);
    const seats = Array.from(document.querySelectorAll("#va-board .va-backs"), each => +each.parentNode.id.slice(6)).filter(grown);
    await Promise.all(seats.map(seat => move("va-back", pile(), hand(seat), { size: PILE, end: 0.3 })));
    show(["left", "pile", "back-*", "va-light", "plate-*", "due-*", "facts-*"]);
  }

  // Each event knows the ones that come after it.
  const inOrder = acts => Object.fromEntries(Object.entries(acts).map(([kind, act]) => [kind, (...values) => {
    pass();
    coming = coming.slice(coming.findIndex(event => event.kind === kind) + 1);
    return act(...values);
  }]));

  stage.changes(changes, "va-light");
  stage.sounds({
    shuffled: "shuffle", drew: "card", plays: "card", discards: "card", throws: "axe", blocked: "clang", hits: "thud", shields_spent: "break",
    out: "break", places: "card", cashes_in: "coins", disarms: "card", skips: "mug", turn_skipped: "mug",
  });
  stage.acts({ before, after, cleared, ...inOrder({ shuffled, drew, plays, discards, throws, blocked, hits, shields_spent, out, places, cashes_in, disarms, skips, turn_skipped }) });
})();
