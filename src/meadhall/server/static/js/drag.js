// Drag a piece to where it may go, beside clicks and keys, with mouse, pen or finger. An element with `data-drag` can be dragged; the value
// selects the places for it. `data-piece` selects the drawing that follows the pointer, if it is not the element itself. Dropped on a button,
// a piece presses that button; on any other place it presses the element that was dragged. A radio button in the element is chosen first.
(() => {
  const FAR = 6;  // pixels that a pointer moves before a click becomes a drag
  let held = null;  // what the pointer has pressed, and the places for it as soon as it is dragged
  let silent = false;  // whether the browser's click at the end of a drag is still to come

  const middle = ({ x, y, width, height }) => [x + width / 2, y + height / 2];
  const isIn = ({ x, y }, { left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom;
  const places = ({ origin }) => [...document.querySelectorAll(origin.dataset.drag)].filter(each => each.checkVisibility({ visibilityProperty: true }) && !each.matches("[aria-disabled=true]"));
  const rests = origin => typeof stage !== "undefined" && stage.isPlaying() && !origin.matches(".ahead");  // what the board shows is old
  const chooser = origin => (origin.matches("input") ? origin : origin.querySelector("input[type=radio]"));

  function lift({ origin }) {
    const drawing = document.querySelector(origin.dataset.piece) ?? origin, { x, y, width, height } = drawing.getBoundingClientRect();
    const input = chooser(origin);
    held.chose = !!input && !input.checked;
    if (held.chose) input.click();
    const piece = document.createElement("div"), same = drawing.cloneNode(true);
    for (const each of [same, ...same.querySelectorAll("[id]")]) each.removeAttribute("id");
    piece.className = "dragged";
    piece.popover = "manual";  // above everything
    piece.append(same instanceof SVGElement && !(same instanceof SVGSVGElement) ? framed(drawing, same) : same);
    for (const [name, value] of Object.entries({ left: x, top: y, width, height })) piece.style[name] = `${value}px`;
    document.body.append(piece);
    piece.showPopover();
    drawing.classList.add("lifted");
    Object.assign(held, { piece, drawing, goals: places(held), own: origin.getBoundingClientRect() });
    held.goals.forEach(each => each.classList.add("goal"));
  }

  // A part of a drawing needs a drawing around it.
  function framed(part, same) {
    const { x, y, width, height } = part.getBBox(), picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    picture.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    same.removeAttribute("transform");
    picture.append(same);
    return picture;
  }

  function over(point) {
    if (isIn(point, held.own)) return null;
    const far = each => { const [x, y] = middle(each.getBoundingClientRect()); return Math.hypot(x - point.x, y - point.y); };
    return held.goals.filter(each => each.isConnected && isIn(point, each.getBoundingClientRect())).sort((a, b) => far(a) - far(b))[0] ?? null;
  }

  function end({ cancelled }) {
    const { origin, piece, drawing, goals, goal, chose } = held;
    held = null;
    if (!piece) return;
    piece.remove();
    drawing.classList.remove("lifted");
    goals.forEach(each => each.classList.remove("goal", "over"));
    silent = true;
    if (!cancelled && goal?.isConnected && origin.isConnected && !rests(origin)) (goal.matches("button") ? goal : origin).click();
    else if (chose) chooser(origin)?.click();
  }

  addEventListener("pointerdown", e => {
    if (held) return end({ cancelled: true });  // another finger
    silent = false;
    const origin = e.target.closest?.("[data-drag]");
    if (!origin || e.button || !e.isPrimary || rests(origin)) return;
    held = { origin, id: e.pointerId, start: { x: e.clientX, y: e.clientY } };
  });
  addEventListener("pointermove", e => {
    if (!held || e.pointerId !== held.id) return;
    if (e.buttons > 1) return end({ cancelled: true });  // another button
    const point = { x: e.clientX, y: e.clientY };
    if (!held.piece) {
      if (Math.hypot(point.x - held.start.x, point.y - held.start.y) < FAR) return;
      lift(held);
      held.origin.setPointerCapture?.(held.id);
    }
    held.piece.style.transform = `translate(${point.x - held.start.x}px, ${point.y - held.start.y}px)`;
    held.goal?.classList.remove("over");
    held.goal = over(point);
    held.goal?.classList.add("over");
  });
  addEventListener("pointerup", e => {
    if (held && e.pointerId === held.id) end({});
    setTimeout(() => { silent = false; });
  });
  addEventListener("pointercancel", () => { if (held) end({ cancelled: true }); });
  addEventListener("blur", () => { if (held) end({ cancelled: true }); });
  addEventListener("contextmenu", e => { if (held?.piece || silent) e.preventDefault(); });
  addEventListener("dragstart", e => { if (e.target.closest?.("[data-drag]")) e.preventDefault(); });
  addEventListener("keydown", e => {
    if (!held?.piece || e.key !== "Escape") return;
    e.preventDefault();
    e.stopImmediatePropagation();
    end({ cancelled: true });
  }, true);
  addEventListener("click", e => {
    if (!silent || !e.isTrusted) return;
    silent = false;
    e.preventDefault();
    e.stopImmediatePropagation();
  }, true);
})();
