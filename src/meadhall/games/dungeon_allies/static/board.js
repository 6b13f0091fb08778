// What the page of Dungeon Allies can't do with HTML alone: arrow keys walk over the boards, Escape lets a chosen die go, a bid is
// made with two buttons. Without this file the game is played all the same.
(() => {
  const STEPS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
  const on = (name, act) => document.addEventListener(name, act);
  const moment = () => document.querySelector("#controls input[name=n]")?.value;
  const chosen = () => document.querySelector(".da-slot input:checked");
  const visible = element => element.checkVisibility();
  const root = document.documentElement;  // data-kept: the focus is where nobody has put it, and what is there needn't tell about itself

  let place = "0";     // the target that Tab leads to, from which the arrows go on
  let held = false;    // whether the focus is, or was before it vanished, on the boards or among the controls
  let choice = null;   // the chosen die, and the moment in which it was chosen

  // At every target what can be chosen there, or else what tells about it.
  function stations() {
    const found = new Map();
    for (const each of document.querySelectorAll("#da-board .da-spot")) found.set(each.dataset.target, each);
    for (const each of document.querySelectorAll("#controls .act[data-target]")) if (visible(each)) found.set(each.dataset.target, each);
    return found;
  }

  function settle() {
    const all = stations();
    if (!all.has(place)) return;
    for (const each of document.querySelectorAll(".da [data-target]")) each.tabIndex = -1;
    all.get(place).tabIndex = 0;
  }

  // The nearest station in a direction: what lies straight ahead is nearer than what lies aslant.
  function walk(from, [right, down]) {
    const middle = element => { const box = element.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
    const [x, y] = middle(from);
    let best = null, least = Infinity;
    for (const each of stations().values()) {
      const [dx, dy] = [middle(each)[0] - x, middle(each)[1] - y];
      const ahead = dx * right + dy * down, aside = Math.abs(dx * down) + Math.abs(dy * right);
      if (ahead > 4 && ahead + 3 * aside < least) [best, least] = [each, ahead + 3 * aside];
    }
    best?.focus();
  }

  function choose(input, checked) {
    input.checked = checked;
    choice = checked ? { id: input.id, moment: moment() } : null;
    settle();
  }

  on("focusin", e => {
    held = !!e.target.closest(".da");
    if (!e.target.dataset.target) return;
    place = e.target.dataset.target;
    settle();
  });

  on("click", e => {
    e.target.closest(".da-spot")?.focus();  // Safari focuses no button on a tap: the focus is what shows what is there
    if (e.target.matches(".da-slot input")) choose(e.target, choice?.id !== e.target.id || choice.moment !== moment());
    const bid = e.target.closest("[data-bid]");
    if (bid) {
      const amount = document.getElementById("bid");
      amount.selectedIndex = Math.min(amount.length - 1, Math.max(0, amount.selectedIndex + +bid.dataset.bid));
    }
  });

  on("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (STEPS[e.key] && e.target.dataset.target) {
      e.preventDefault();
      walk(e.target, STEPS[e.key]);
    } else if (e.key === "Escape" && chosen() && choice) choose(chosen(), false);
    else if (e.key === "Enter" && e.target.matches(".da-slot input")) {
      e.preventDefault();
      e.target.click();
    }
  });

  // A frame that shows the same moment again leaves the chosen die chosen; whose button has gone keeps the place.
  function renew() {
    const input = choice && choice.moment === moment() ? document.getElementById(choice.id) : null;
    if (input) input.checked = true;
    else choice = null;
    for (const each of document.querySelectorAll("[data-bid]")) each.hidden = false;
    settle();
    if (!held || document.activeElement !== document.body) return;
    (document.querySelector(".da-acts .act:not([aria-disabled])") ?? stations().get(place))?.focus({ preventScroll: true });
    root.toggleAttribute("data-kept", true);
  }
  for (const name of ["pointerdown", "keydown"]) on(name, () => root.toggleAttribute("data-kept", false));
  on("htmx:after:swap", renew);
  renew();
})();
