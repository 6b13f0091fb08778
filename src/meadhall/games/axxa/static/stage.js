// What happens on the board of AxxA: see js/stage.js. What an event changes, it changes on the board at once; the regions bring the same.
(() => {
  const { play, wait, at, put, copy, count, sound, over } = stage;
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
  const stackOn = space => document.querySelector(`.axxa-stack.s-${space}`);
  const heapOn = space => stackOn(space)?.firstElementChild;
  const hide = element => play(element, [{ opacity: 0 }, { opacity: 0 }], 1);

  // ------------------------------------------------------------------------------------------------------------------ stones
  function drawn(tag, attributes, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }
  const rise = level => 8 - 16 * level;  // as in pieces.html
  const stone = (number, level) => drawn("use", { class: `stone n-${number}`, href: `#axxa-stone-${number}`, y: rise(level) });
  const covered = (number, level) => drawn("use", { class: `stone n-${number} covered`, href: "#axxa-edge", y: rise(level) });
  const tag = (number, level) => drawn("g", { class: `axxa-tag n-${number}`, transform: `translate(41 ${38 - 33 * level})` }, drawn("use", { href: "#axxa-tag" }), drawn("text", { y: 9.5, "text-anchor": "middle" }, number));
  const piecesOf = heap => Array.from(heap.querySelectorAll(".stone"), each => +/n-(\d)/.exec(each.getAttribute("class"))[1]);

  // Draw a stack from the bottom; 0 is an unseen piece.
  function fill(heap, pieces, top = pieces.length - 1) {
    const stones = pieces.map((number, level) => (level === top ? stone : covered)(number, level));
    const tags = pieces.flatMap((number, level) => (number && level !== top ? [tag(number, level)] : []));
    heap.replaceChildren(...(pieces.length ? [drawn("use", { class: "axxa-shade", href: "#axxa-hex", y: 29 })] : []), ...stones, ...tags);
  }

  // A drawing of the size of a space, whose middle is the middle of its place.
  function piece(children, spot) {
    return put(drawn("svg", { viewBox: "-60 -60 120 120", width: 120 * unit(), height: 120 * unit() }, ...children), spot, "axxa-piece");
  }

  // Lift a stack off the board: a piece of the layer stands for it.
  function lift(space) {
    const stack = stackOn(space);
    if (!stack) return null;
    hide(stack);
    return piece(copy(stack.firstElementChild).childNodes, place(space));
  }

  // Take the top stone off: it becomes a piece of its own.
  function pick(space, number) {
    const heap = heapOn(space), pieces = heap ? piecesOf(heap).slice(0, -1) : [];
    if (heap) fill(heap, pieces, -1);
    return piece([stone(number, pieces.length)], place(space));
  }

  // After the last triplet of a number the next one shines.
  function want(number) {
    const stacks = document.getElementById("stacks");
    if (stacks.matches(`.wants-${number}`)) stacks.setAttribute("class", `axxa-stacks wants-${(number + 1) % 7}`);
  }

  // ------------------------------------------------------------------------------------------------------------------ events
  // The stack slides along its route: heavy at first, and it settles with a knock.
  async function moved(_, start, end) {
    const moving = lift(start), stack = stackOn(start);
    if (!moving) return;
    const numbers = (stage.news.part("trail")?.querySelector("path")?.getAttribute("d") ?? "").match(/-?\d+/g)?.map(Number) ?? [];
    const from = place(start), line = [];
    for (let k = 2; k + 1 < numbers.length; k += 2) line.push(point(numbers[k], numbers[k + 1] - 14));
    const to = place(end), last = line.at(-1);
    const route = last && Math.hypot(last.x - to.x, last.y - to.y) < 3 ? line : [to];
    over().append(moving);
    sound("slide");
    let here = from;
    for (const [k, stop] of route.entries()) {
      const far = Math.hypot(stop.x - here.x, stop.y - here.y) / (120 * unit());
      const easing = route.length === 1 ? "cubic-bezier(.5, 0, .3, 1)" : k ? "cubic-bezier(.2, .3, .3, 1)" : "cubic-bezier(.6, 0, .8, .7)";
      await play(moving, [{ transform: `translate(${here.x - from.x}px, ${here.y - from.y}px)` }, { transform: `translate(${stop.x - from.x}px, ${stop.y - from.y}px)` }], 120 + 75 * far, { easing });
      here = stop;
    }
    sound("stone");
    await play(moving.firstElementChild, [{ transform: "none" }, { transform: "scale(1.05, .93)" }, { transform: "none" }], 110);
    stack.setAttribute("transform", `translate(${120 * PLACES[end][1]} ${120 * PLACES[end][0]})`);
    stack.setAttribute("class", `axxa-stack s-${end}`);
  }

  // The stack is turned over in the air. It comes down with another piece on top.
  async function turned(_, space, number) {
    const turning = lift(space), heap = heapOn(space);
    if (!turning) return;
    const pieces = piecesOf(heap), after = [pieces.at(-1), ...pieces.slice(0, -2), number];
    sound("turn");
    await play(turning.firstElementChild, [{ transform: "none" }, { transform: "translateY(-40%) scaleY(.04)" }], 220, { easing: "ease-in" });
    fill(turning.firstElementChild, after);
    await play(turning.firstElementChild, [{ transform: "translateY(-40%) scaleY(.04)" }, { transform: "none" }], 220, { easing: "cubic-bezier(.3, 1.4, .6, 1)" });
    sound("stone");
    fill(heap, after);
  }

  // A triplet rings, rises and dissolves. The note grows from the 1s to the 6s.
  async function removed(seat, number, ...spaces) {
    const size = 120 * unit();
    sound(`note-${number}`);
    const spots = spaces.map(place);
    await Promise.all(spaces.map(async (space, k) => {
      const gone = pick(space, number), spot = spots[k];
      const ring = document.createElement("i");
      ring.className = "axxa-shine";
      ring.style.cssText = `position: absolute; width: ${size}px; height: ${size}px; margin: ${-size / 2}px`;
      const shine = put(ring, spot);
      await wait(70 * k);
      play(shine, [{ opacity: 0, transform: "scale(.5)" }, { opacity: 1, transform: "scale(.95)", offset: 0.5 }, { opacity: 0, transform: "scale(1.5)" }], 480, { easing: "ease-out" });
      await play(gone, [{ transform: "none" }, { transform: `translateY(${-0.14 * size}px) scale(1.08)` }], 300, { easing: "ease-out" });
      for (let spark = 0; spark < 6; spark++) {
        const turn = (spark / 6) * 2 * Math.PI, dot = put(document.createElement("i"), { x: spot.x, y: spot.y - 0.14 * size });
        dot.firstElementChild.className = "axxa-spark";
        dot.firstElementChild.style.position = "absolute";
        play(dot, [{ opacity: 1, transform: "none" }, { opacity: 0, transform: `translate(${0.7 * size * Math.cos(turn)}px, ${0.7 * size * Math.sin(turn) - 0.3 * size}px) scale(.3)` }], 340, { easing: "ease-out" });
      }
      await play(gone, [{ opacity: 1, transform: `translateY(${-0.14 * size}px) scale(1.08)` }, { opacity: 0, transform: `translateY(${-0.5 * size}px) scale(1.25)` }], 300, { easing: "ease-in" });
    }));
    want(number);
    count(`#score-${seat % 2}`, document.querySelector(".axxa-standing[data-by=number]") ? number : 1);
    await play(document.getElementById(`number-${number}`), [{ transform: "none" }, { transform: "scale(1.12)" }, { transform: "none" }], 160);
  }

  async function paid(_, space, number) {
    const gone = pick(space, number), size = 120 * unit();
    sound("pay");
    await play(gone, [{ opacity: 1, transform: "none" }, { opacity: 1, transform: `translateY(${-0.12 * size}px)`, offset: 0.35 }, { opacity: 0, transform: `translateY(${0.5 * size}px) rotate(24deg) scale(.6)` }], 480, { easing: "ease-in" });
  }

  async function exposed(space, number) {
    const heap = heapOn(space);
    if (!heap) return;
    fill(heap, [...piecesOf(heap).slice(0, -1), number]);
    await play(heap.querySelector(".stone:not(.covered)"), [{ opacity: 0 }, { opacity: 1 }], 120);
  }

  const stack_gone = space => { const stack = stackOn(space); if (stack) stack.setAttribute("class", "axxa-stack off"); };
  const skipped = number => want(number);

  const statusOf = (...numbers) => numbers.flatMap(number => [`number-${number}`, `art-${number}`, `says-${number}`]);
  const all = [...statusOf("*"), "stacks", "light"], ending = () => [...all, "axxa-ending"];
  stage.changes({
    moved: () => ["stack-*", "trail", "praise", "on-*"],
    turned: () => ["heap-*", "on-*"],
    removed: (seat, number) => [...statusOf(number, number + 1), "stacks", "score-*", `facts-${seat}`, "heap-*", "on-*", "light"],
    paid: () => [...all, "heap-*", "on-*"],
    exposed: () => ["heap-*", "on-*", "light"],
    stack_gone: () => ["stack-*", "heap-*", "on-*", "light"],
    skipped: number => [...statusOf(number, number + 1), "stacks", "light"],
    praise: () => ["praise", "light"],
    won: () => ["stacks", "axxa-ending", "light"], lost: ending, side_won: ending, drawn: ending,
  }, "turn", "side-*");
  stage.sounds({ moved: "slide", turned: "turn", removed: (_, number) => `note-${number}`, paid: "pay" });
  stage.acts({ moved, turned, removed, paid, exposed, stack_gone, skipped });
})();
