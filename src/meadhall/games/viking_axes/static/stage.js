// What happens at the table of Viking Axes: see js/stage.js.
(() => {
  const { play, wait, at, put, drawn, copy, fly, dim, sound, over } = stage;
  const find = query => document.querySelector(`#va-board ${query}`);
  const crest = seat => find(`#place-${seat} .va-crest > svg`);
  const number = (seat, query) => +(find(`#place-${seat} ${query}`)?.textContent ?? 0);
  const wide = () => at(find(".va-pile")).width / 0.66;
  const pile = () => at(find(".va-pile")), discarded = () => at(find("#discarded"));
  const middle = () => {
    const ring = at(find(".va-field")), here = find("#in-play");
    return here ? at(here) : { x: ring.x, y: ring.y + parseFloat(getComputedStyle(find(".va-field")).getPropertyValue("--play-y") || 0) };
  };
  const front = seat => at(find(`#place-${seat}`), 0.6, 0.62);
  const face = name => `va-${name.replace(/\d/, "-$&")}`;
  const SMALL = 0.45, PILE = 0.66;
  let inPlay = null, name = "", deadly = false, dark = null, axes = [], drop = {};

  const card = (picture, size = 1) => drawn(picture, size * wide(), 1.4 * size * wide());

  function before() {
    inPlay = dark = null;
    axes = [];
    drop = {};
    name = find("#in-play use")?.getAttribute("href").slice(4) ?? "";
  }

  // Move the card in the middle away; the board's own card is hidden meanwhile.
  function take() {
    const here = find("#in-play");
    if (inPlay) inPlay.remove();
    else play(here, [{ opacity: 0 }, { opacity: 0 }], 1);
    inPlay = null;
  }

  async function move(picture, from, to, { size = 1, end = 1, ms = 420, arc = 0.12, ...more } = {}) {
    sound("card");
    return fly(card(picture, size), from, to, { ms, arc, scale: end / size, className: "stage-card", ...more });
  }

  async function shuffled() {
    sound("shuffle");
    await Promise.all([0, 1, 2, 3].map(async k => {
      const back = await fly(card("va-back", PILE), discarded(), pile(), { ms: 300 + 70 * k, arc: 0.3, spin: 360 });
      back.remove();
    }));
  }

  // A card from the pile turns over in the middle and can be read.
  async function drew(_, drawnCard) {
    take();
    name = face(drawnCard);
    const flip = document.createElement("div"), back = card("va-back");
    flip.className = "va-flip";
    back.setAttribute("class", "va-reverse");
    flip.append(card(name), back);
    sound("card");
    play(flip, [{ transform: "rotateY(-180deg) scale(.66)" }, { transform: "rotateY(0) scale(1)" }], 480);
    inPlay = await fly(flip, pile(), middle(), { ms: 480, arc: 0.15, className: "stage-card" });
    await wait(500);
  }

  async function plays(seat, played) {
    take();
    name = face(played);
    inPlay = await move(name, front(seat), middle(), { size: SMALL });
    await wait(350);
  }

  async function away(to, end, seat) {
    const from = inPlay || find("#in-play") ? middle() : front(seat ?? 0), shown = !!(inPlay || find("#in-play"));
    take();
    return move(name, from, to, { size: shown ? 1 : SMALL, end });
  }

  async function discards(seat, thrown) {
    const held = !(inPlay || (find("#in-play") && name));
    name = face(thrown);
    if (held) await move(name, front(seat), discarded(), { size: SMALL, end: PILE });
    else await away(discarded(), PILE, seat);
    name = "";
  }

  const places = seat => away(front(seat), 0.42);

  // ------------------------------------------------------------------------------------------------------------------- axes
  async function throws(seat, target, count) {
    const limit = find(`#place-${target} .va-tally`).querySelectorAll("path").length;
    const through = count - number(target, ".va-unused b");
    deadly = through > 0 && number(target, ".va-hits b") + through >= limit;
    if (deadly) dark = dim([crest(seat), crest(target)]);
    take();
    const from = at(crest(seat)), to = at(crest(target)), size = 0.62 * to.width;
    if (deadly) await wait(350);
    await Promise.all(Array.from({ length: count }, async (_, k) => {
      await wait(110 * k);
      sound("axe");
      const near = { x: to.x + 0.22 * to.width * (k - (count - 1) / 2) - 0.08 * (to.x - from.x), y: to.y - 0.1 * to.width - 0.08 * (to.y - from.y) };
      axes[k] = await fly(drawn("axe", size), from, near, { ms: deadly ? 620 : 420, spin: 720, turn: -60, arc: 0.2, className: "stage-axe" });
    }));
    if (deadly) await wait(500);  // a breath
  }

  const shake = (element, far) => play(element, [{ translate: "0 0" }, { translate: `${far}px ${far / 2}px` }, { translate: `${-far / 2}px 0` }, { translate: "0 0" }], 180);

  // A sign that rises over a place.
  async function sign(kind, seat, picture, count = "") {
    const box = document.createElement("i");
    box.append(drawn(picture, 24));
    if (count) box.append(Object.assign(document.createElement("b"), { textContent: count }));
    const low = 40 * (drop[seat] = (drop[seat] ?? -1) + 1), { x, y } = at(crest(seat));
    const place = put(box, { x: x + 40, y: y + low }, `va-effect ${kind}`);
    await play(place, [{ opacity: 0, transform: "scale(.3)" }, { opacity: 1, transform: "scale(1.15)", offset: 0.25 }, { opacity: 1, transform: "none", offset: 0.4 }, { opacity: 1, transform: "translateY(-6px)" }], 480, { easing: "ease-out" });
    play(place, [{ opacity: 1 }, { opacity: 0 }], 300, { delay: 400 });
  }

  async function blocked(target, count) {
    sound("clang");
    for (const each of axes.splice(0, count)) play(each.firstElementChild, [{}, { transform: "translate(40%, 160%) rotate(200deg)", opacity: 0 }], 420, { easing: "ease-in" });
    shake(find(`#place-${target} .va-front`), 7);
    await sign("blocked", target, "va-shield-sign", count);
  }

  // The axes stick where they hit.
  async function hits(target, count) {
    const to = at(crest(target)), limit = find(`#place-${target} .va-tally`).querySelectorAll("path").length;
    sound("thud");
    for (const each of axes) {
      const here = at(each);
      play(each, [{}, { transform: `${getComputedStyle(each).transform} translate(${0.35 * (to.x - here.x)}px, ${0.35 * (to.y - here.y)}px)` }], 90, { easing: "ease-in" });
    }
    await wait(90);
    shake(crest(target), 8);
    if (limit - number(target, ".va-hits b") - count === 1) sound("drum");
    await sign("hits", target, "i-attack", count);
  }

  async function shields_spent(target) {
    const wall = find(`#place-${target} .va-wall`);
    if (!wall) return;
    sound("break");
    for (const [k, each] of [...wall.querySelectorAll(":scope > .va-slot")].entries()) {
      const here = at(each), same = copy(each.querySelector("svg"));
      same.setAttribute("width", here.width);
      same.setAttribute("height", here.height);
      play(put(same, here), [{ opacity: 1, transform: "none" }, { opacity: 1, transform: "rotate(-4deg) scale(1.06)", offset: 0.3 }, { opacity: 0, transform: `translate(${12 * (k - 1)}px, 60px) rotate(${18 * (k % 2 ? 1 : -1)}deg)` }], 480, { easing: "ease-in" });
    }
    for (const each of [wall, find(`#place-${target} .va-unused`)]) play(each, [{ opacity: 0 }, { opacity: 0 }], 1);
    await wait(480);
  }

  // The crest breaks along a line.
  async function out(seat) {
    const to = at(crest(seat)), size = 0.76 * to.width;
    const line = "29% 4%, 44% 29%, 32% 46%, 54% 65%, 46% 97%", back = line.split(", ").reverse().join(", ");
    sound("break");
    for (const [shape, fallen] of [[`polygon(0 0, 29% 0, ${line}, 46% 100%, 0 100%)`, "translate(-10px, 6px) rotate(-14deg)"], [`polygon(100% 0, 100% 100%, 46% 100%, ${back}, 29% 0)`, "translate(9px, 14px) rotate(20deg)"]]) {
      const half = put(drawn(`shield-${seat}`, size), to, `va-half seat-${seat}`);
      half.firstElementChild.style.clipPath = shape;
      play(half, [{ transform: "none" }, { transform: fallen }], 450, { easing: "cubic-bezier(.5, 0, .9, .6)" });
    }
    for (const each of axes) over().append(each);
    play(crest(seat).querySelector(".va-crest-shield"), [{ opacity: 0 }, { opacity: 0 }], 1);
    await wait(450);
    dark?.light();
    await sign("out", seat, "i-skull");
  }

  // -------------------------------------------------------------------------------------------------------- armory and wench
  async function cashes_in(seat) {
    const armory = find(`#place-${seat} .va-armory`);
    play(armory, [{ opacity: 0 }, { opacity: 0 }], 1);
    sound("coins");
    await move("va-armory", armory ? at(armory) : front(seat), discarded(), { size: 0.42, end: PILE });
  }

  async function disarms(_, target) {
    const wench = await away(at(crest(target)), 0.6);
    await wait(150);
    wench.remove();
    const armory = find(`#place-${target} .va-armory`);
    play(armory, [{ opacity: 0 }, { opacity: 0 }], 1);
    await Promise.all([move("va-armory", armory ? at(armory) : front(target), discarded(), { size: 0.42, end: PILE }), move("va-wench", at(crest(target)), discarded(), { size: 0.6, end: PILE })]);
  }

  async function skips(_, target) {
    const wench = await away(at(crest(target)), 0.6);
    wench.remove();
    sound("mug");
    sign("missed", target, "va-mug");
    await wait(250);
    await move("va-wench", at(crest(target)), discarded(), { size: 0.6, end: PILE });
  }

  async function turn_skipped(seat) {
    sound("mug");
    await sign("missed", seat, "va-mug");
  }

  // With secret hands, a card goes from the pile to each hand that has grown.
  async function after() {
    const hands = (found, seat) => found(`#place-${seat} .va-backs > *`).length;
    const seats = Array.from(document.querySelectorAll("#va-board .va-place"), each => +each.id.slice(6));
    await Promise.all(seats.filter(seat => hands(query => stage.news.findAll(query), seat) > hands(query => document.querySelectorAll(query), seat)).map(seat => move("va-back", pile(), front(seat), { size: PILE, end: 0.3 })));
  }

  stage.acts({ before, shuffled, drew, plays, discards, throws, blocked, hits, shields_spent, out, places, cashes_in, disarms, skips, turn_skipped, after });
})();
