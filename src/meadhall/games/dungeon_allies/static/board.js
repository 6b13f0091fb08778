// Extras of the page: arrow keys move around the boards, Escape deselects a die, and two buttons change a bid. The game can be
// played without this file.
(() => {
  const STEPS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
  const on = (name, act) => document.addEventListener(name, act);
  const moment = () => document.querySelector("#controls input[name=n]")?.value;
  const chosen = () => document.querySelector(".da-slot input:checked");
  const visible = element => element.checkVisibility();
  const slots = () => document.querySelector(".da-slots");
  const root = document.documentElement;  // data-kept: a script has moved the focus, so no tooltip should open there

  let place = "0";     // the target that Tab reaches and from which the arrow keys continue
  let held = false;    // whether the focus is on the boards or the controls, or was there before its element vanished
  let choice = null;   // the selected die, and the moment in which it was selected
  let digit = false;   // whether a key with a digit is down: it selects a die

  // Return the element for each target: the button that can be chosen there, or else the spot with its tooltip.
  function targets() {
    const found = new Map();
    for (const each of document.querySelectorAll("#da-board .da-spot")) found.set(each.dataset.target, each);
    for (const each of document.querySelectorAll("#controls .act[data-target]")) if (visible(each)) found.set(each.dataset.target, each);
    return found;
  }

  function settle() {
    const all = targets();
    if (!all.has(place)) return;
    for (const each of document.querySelectorAll(".da [data-target]")) each.tabIndex = -1;
    all.get(place).tabIndex = 0;
  }

  // Focus the nearest target in a direction. A sideways distance counts three times.
  function move(from, [right, down]) {
    const middle = element => { const box = element.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
    const [x, y] = middle(from);
    let best = null, least = Infinity;
    for (const each of targets().values()) {
      const [dx, dy] = [middle(each)[0] - x, middle(each)[1] - y];
      const ahead = dx * right + dy * down, aside = Math.abs(dx * down) + Math.abs(dy * right);
      if (ahead > 4 && ahead + 3 * aside < least) [best, least] = [each, ahead + 3 * aside];
    }
    best?.focus();
  }

  // Write on the targets what there is to know before a die is placed. The page has it once, and each message in one attribute.
  let noted = null;
  function note() {
    const notes = document.querySelector(".da.mine")?.dataset.notes ?? "[]";
    if (notes === noted) return;
    noted = notes;
    for (const each of document.querySelectorAll("#controls .da-to[name=first]")) {
      each.className = "act da-to";
      for (const name of ["aria-description", "aria-disabled"]) each.removeAttribute(name);
    }
    for (const [marks, words, targets] of JSON.parse(notes)) {
      for (const each of targets.map(target => document.getElementById(`to-${target}`))) {
        each.className += ` ${marks}`;
        each.setAttribute("aria-description", words);
        if (marks === "no") each.setAttribute("aria-disabled", "true");
      }
    }
  }

  // A target that is refused for the selected die says so.
  function refuse() {
    for (const each of document.querySelectorAll("#controls .da-to[class*=' x']")) {
      if (chosen() && each.matches(`.x${chosen().value}`)) each.setAttribute("aria-disabled", "true");
      else each.removeAttribute("aria-disabled");
    }
  }

  function choose(input, checked) {
    input.checked = checked;
    refuse();
    if (checked) for (const line of document.querySelectorAll(".da-spot .da-hint")) line.remove();  // it asked for a die
    choice = checked ? { id: input.id, moment: moment() } : null;
    settle();
  }

  // While a die is selected, a button covers each spot. Give the button the spot's explanation, and what it says about itself.
  function explain(button) {
    const about = document.getElementById(`about-${button.dataset.target}`);
    if (!about) return;
    const tip = button.querySelector(".tip") ?? button.appendChild(document.createElement("span"));
    tip.className = about.className;
    tip.setAttribute("aria-hidden", "true");  // the button is named by the original
    tip.replaceChildren(...about.cloneNode(true).childNodes);
    if (button.ariaDescription) hint(tip, button.ariaDescription, "da-aside");
    button.dataset.explained = "";
  }
  const goal = e => e.target.closest?.("#controls .da-to[data-target]");
  for (const name of ["pointerover", "focusin"]) on(name, e => { if (goal(e) && !goal(e).contains(e.relatedTarget)) explain(goal(e)); });

  // A tap on a spot while no die is selected: say what to do first.
  function askForDie(spot) {
    if (!slots()?.querySelector("input:enabled") || chosen()) return;
    const tip = spot.querySelector(".tip"), words = slots().dataset.first;
    if (!tip.querySelector(".da-hint")) hint(tip, words);
    document.getElementById("live").textContent = words;
    slots().classList.remove("first");
    void slots().offsetWidth;  // restarts the animation
    slots().classList.add("first");
  }

  function hint(tip, words, kind = "da-hint") {
    const line = document.createElement("span");
    line.className = kind;
    line.textContent = words;
    tip.append(line);
  }

  // A finger can't hover: the first tap on a placement with a caution shows the caution, the second one places the die.
  document.addEventListener("click", e => {
    const button = goal(e);
    if (e.pointerType !== "touch" || !button?.matches(`.c, .c${chosen()?.value}`) || "warned" in button.dataset) return;
    e.preventDefault();
    e.stopPropagation();
    for (const other of document.querySelectorAll("[data-warned]")) delete other.dataset.warned;
    button.dataset.warned = "";
    explain(button);
    hint(button.querySelector(".tip"), slots().dataset.again);
    button.focus();
    document.getElementById("live").textContent = button.querySelector(".tip").textContent;
  }, true);

  on("focusin", e => {
    held = !!e.target.closest(".da");
    if (!e.target.dataset.target) return;
    place = e.target.dataset.target;
    settle();
  });

  on("click", e => {
    const spot = e.target.closest(".da-spot");
    spot?.focus();  // Safari doesn't focus a button on a tap, and the tooltip needs the focus
    if (spot) askForDie(spot);
    if (e.target.matches(".da-slot input")) {
      choose(e.target, choice?.id !== e.target.id || choice.moment !== moment());
      if (digit && e.target.checked) [...targets().values()].find(each => each.matches(".da-to"))?.focus();
    }
    const bid = e.target.closest("[data-bid]");
    if (bid) {
      const amount = document.getElementById("bid");
      amount.selectedIndex = Math.min(amount.length - 1, Math.max(0, amount.selectedIndex + +bid.dataset.bid));
    }
  });

  on("keyup", () => { digit = false; });
  on("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    digit = /^[1-9]$/.test(shortcut(e));
    if (STEPS[e.key] && e.target.dataset.target) {
      e.preventDefault();
      move(e.target, STEPS[e.key]);
    } else if (e.key === "Escape" && chosen() && choice) choose(chosen(), false);
    else if (e.key === "Enter" && e.target.matches(".da-slot input")) {
      e.preventDefault();
      e.target.click();
    }
  });

  // After a new frame: if it shows the same moment, keep the die selected; if the focused button is gone, focus the target instead.
  function renew() {
    const dice = [...document.querySelectorAll(".da-slot input")], free = dice.filter(each => !each.disabled);
    const input = free.length === 1 ? free[0] : choice && choice.moment === moment() ? free.find(each => each.id === choice.id) : null;
    for (const each of dice) each.checked = each === input;
    if (choice?.moment !== moment()) for (const each of document.querySelectorAll("[data-warned]")) delete each.dataset.warned;
    if (!input || choice?.moment !== moment()) choice = null;
    note();
    refuse();
    for (const each of document.querySelectorAll("[data-bid]")) each.hidden = false;
    settle();
    if (!held || document.activeElement !== document.body) return;
    (document.querySelector(".da-acts .act:not([aria-disabled])") ?? targets().get(place))?.focus({ preventScroll: true });
    root.toggleAttribute("data-kept", true);
  }
  for (const name of ["pointerdown", "keydown"]) on(name, () => root.toggleAttribute("data-kept", false));
  on("htmx:after:swap", renew);
  renew();
})();
