// What happens on the board of AxxA: see js/stage.js.
(() => {
  const { play, wait, at, put, copy, sound, over } = stage;
  const SVG = "http://www.w3.org/2000/svg";
  // Row and column of each space, as in pieces.html.
  const PLACES = [];
  for (let row = -2; row <= 2; row++) for (let column = -2; column <= 2; column++) PLACES.push([row, column]);
  for (const column of [-1, 0, 1]) PLACES.push([-3, column]);
  for (const row of [-1, 0, 1]) PLACES.push([row, 3]);
  for (const column of [1, 0, -1]) PLACES.push([3, column]);
  for (const row of [1, 0, -1]) PLACES.push([row, -3]);

  const board = () => document.getElementById("axxa-board");
  const unit = () => at(board()).width / 920;
  const point = (x, y) => { const box = at(board(), 0, 0); return { x: box.x + (460 + x) * unit(), y: box.y + (460 + y) * unit() }; };
  const place = space => point(120 * PLACES[space][1], 120 * PLACES[space][0]);
  const onBoard = (space, root = document) => [...root.querySelectorAll("#axxa-board .axxa-stack")].find(each => each.getAttribute("transform") === `translate(${120 * PLACES[space][1]} ${120 * PLACES[space][0]})`);
  const hide = element => play(element, [{ opacity: 0 }, { opacity: 0 }], 1);

  let stacks = new Map();  // by space, what has been put over the board: a piece of the layer
  const stackOn = space => stacks.get(space) ?? onBoard(space);
  const stonesOf = element => (element ? [...element.querySelectorAll(".stone")].filter(each => !each.dataset.gone) : []);

  // A drawing of the size of a space, whose middle is the middle of its place.
  function drawing(children, spot, className = "axxa-piece") {
    const picture = document.createElementNS(SVG, "svg");
    picture.setAttribute("viewBox", "-60 -60 120 120");
    picture.setAttribute("width", 120 * unit());
    picture.setAttribute("height", 120 * unit());
    picture.append(...children);
    return put(picture, spot, className);
  }

  function stone(number, level) {
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("class", `stone n-${number}`);
    group.setAttribute("transform", `translate(0 ${5 - 20 * level})`);
    for (const name of ["edge", "face", `studs-${number}`]) group.append(Object.assign(document.createElementNS(SVG, "use")));
    ["edge", "face", `studs-${number}`].forEach((name, k) => group.children[k].setAttribute("href", `#axxa-${name}`));
    const text = document.createElementNS(SVG, "text");
    for (const [name, value] of [["class", "axxa-numeral"], ["y", 15], ["text-anchor", "middle"]]) text.setAttribute(name, value);
    text.textContent = number;
    group.append(text);
    return group;
  }

  // Lift a stack off the board: from here on a piece of the layer stands for it.
  function lift(space) {
    if (stacks.has(space)) return stacks.get(space);
    const from = onBoard(space);
    if (!from) return null;
    hide(from);
    const same = copy(from);
    same.removeAttribute("transform");
    const piece = drawing([...same.childNodes], place(space));
    stacks.set(space, piece);
    return piece;
  }

  const before = () => { stacks = new Map(); };

  // The stack slides along its route: heavy at first, and it settles with a knock.
  async function moved(_, start, end) {
    const piece = lift(start);
    if (!piece) return;
    const drawn = (stage.news.find(".axxa-trail path")?.getAttribute("d") ?? "").match(/-?\d+/g)?.map(Number) ?? [];
    const from = place(start), line = [];
    for (let k = 2; k + 1 < drawn.length; k += 2) line.push(point(drawn[k], drawn[k + 1] - 14));
    const to = place(end), last = line.at(-1);
    const route = last && Math.hypot(last.x - to.x, last.y - to.y) < 3 ? line : [to];
    over().append(piece);
    sound("slide");
    let here = from;
    for (const [k, stop] of route.entries()) {
      const far = Math.hypot(stop.x - here.x, stop.y - here.y) / (120 * unit());
      const easing = route.length === 1 ? "cubic-bezier(.5, 0, .3, 1)" : k ? "cubic-bezier(.2, .3, .3, 1)" : "cubic-bezier(.6, 0, .8, .7)";
      await play(piece, [{ transform: `translate(${here.x - from.x}px, ${here.y - from.y}px)` }, { transform: `translate(${stop.x - from.x}px, ${stop.y - from.y}px)` }], 120 + 75 * far, { easing });
      here = stop;
    }
    stacks.delete(start);
    stacks.set(end, piece);
    sound("stone");
    await play(piece.firstElementChild, [{ transform: "none" }, { transform: "scale(1.05, .93)" }, { transform: "none" }], 110);
  }

  // The stack is turned over in the air. It comes down with another piece on top.
  async function turned(_, space, number) {
    const piece = lift(space);
    if (!piece) return;
    sound("turn");
    await play(piece.firstElementChild, [{ transform: "none" }, { transform: "translateY(-40%) scaleY(.04)" }], 220, { easing: "ease-in" });
    const top = stonesOf(piece).at(-1), level = stonesOf(piece).length - 1;
    if (top) top.replaceWith(stone(number, level));
    await play(piece.firstElementChild, [{ transform: "translateY(-40%) scaleY(.04)" }, { transform: "none" }], 220, { easing: "cubic-bezier(.3, 1.4, .6, 1)" });
    sound("stone");
  }

  // Take the top stone off: it becomes a piece of its own.
  function pick(space, number) {
    const stack = lift(space), all = stonesOf(stack), spot = place(space);
    if (all.length) {
      all.at(-1).dataset.gone = "";
      hide(all.at(-1));
      if (all.length === 1) hide(stack.querySelector(".axxa-shade"));
    }
    return drawing([stone(number, Math.max(0, all.length - 1))], spot);
  }

  // A triplet rings, rises and dissolves. The note grows from the 1s to the 6s.
  async function removed(_, number, ...spaces) {
    const size = 120 * unit();
    sound(`note-${number}`);
    await Promise.all(spaces.map(async (space, k) => {
      const piece = pick(space, number);
      const ring = document.createElement("i");
      ring.className = "axxa-shine";
      ring.style.cssText = `position: absolute; width: ${size}px; height: ${size}px; margin: ${-size / 2}px`;
      const place = put(ring, at(piece.firstElementChild));
      await wait(70 * k);
      play(place, [{ opacity: 0, transform: "scale(.5)" }, { opacity: 1, transform: "scale(.95)", offset: 0.5 }, { opacity: 0, transform: "scale(1.5)" }], 480, { easing: "ease-out" });
      await play(piece, [{ transform: "none" }, { transform: `translateY(${-0.14 * size}px) scale(1.08)` }], 300, { easing: "ease-out" });
      for (let spark = 0; spark < 6; spark++) {
        const turn = (spark / 6) * 2 * Math.PI, dot = put(document.createElement("i"), at(piece.firstElementChild));
        dot.firstElementChild.className = "axxa-spark";
        dot.firstElementChild.style.position = "absolute";
        play(dot, [{ opacity: 1, transform: "none" }, { opacity: 0, transform: `translate(${0.7 * size * Math.cos(turn)}px, ${0.7 * size * Math.sin(turn) - 0.3 * size}px) scale(.3)` }], 340, { easing: "ease-out" });
      }
      await play(piece, [{ opacity: 1, transform: `translateY(${-0.14 * size}px) scale(1.08)` }, { opacity: 0, transform: `translateY(${-0.5 * size}px) scale(1.25)` }], 300, { easing: "ease-in" });
    }));
    await play(document.querySelectorAll("ol.axxa-sidebar > li")[number - 1], [{ transform: "none" }, { transform: "scale(1.12)" }, { transform: "none" }], 160);
  }

  async function paid(_, space, number) {
    const piece = pick(space, number), size = 120 * unit();
    sound("pay");
    await play(piece, [{ opacity: 1, transform: "none" }, { opacity: 1, transform: `translateY(${-0.12 * size}px)`, offset: 0.35 }, { opacity: 0, transform: `translateY(${0.5 * size}px) rotate(24deg) scale(.6)` }], 480, { easing: "ease-in" });
  }

  async function exposed(space, number) {
    const stack = lift(space), all = stonesOf(stack);
    if (!all.length) return;
    const face = stone(number, all.length - 1);
    all.at(-1).replaceWith(face);
    await play(face, [{ opacity: 0 }, { opacity: 1 }], 120);
  }

  stage.acts({ before, moved, turned, removed, paid, exposed });
})();
