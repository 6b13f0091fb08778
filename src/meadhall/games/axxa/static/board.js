// What AxxA's page can't do with HTML alone: arrow keys walk the board, Escape lets a stack go, a space out of reach is asked
// about, and the reminder of covered pieces can be put away. Without this file the game is played all the same.
(() => {
  const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const SPACES = 37;
  const byId = id => document.getElementById(id);
  const on = (name, act) => document.addEventListener(name, act);
  const spots = () => document.querySelector(".axxa-spots");
  const chosen = () => document.querySelector(".axxa-chooser:checked");
  const moment = () => document.querySelector("#controls input[name=n]")?.value;

  let place = null;    // the space that Tab leads to, from which the arrows go on
  let held = false;    // whether the focus is, or was before it vanished, among the controls
  let choice = null;   // the chosen stack, and the moment in which it was chosen

  // Of a chosen stack's goal the goal stands for the space, else what lies there.
  const standing = space => byId(`go-${chosen()?.value}-${space}`) ?? byId(`space-${space}`);

  function settle() {
    for (const each of spots()?.querySelectorAll("[data-space]") ?? []) each.tabIndex = -1;
    place ??= document.querySelector(".axxa-chooser, .axxa-price")?.dataset.space ?? "12";
    const here = standing(place);
    if (here) here.tabIndex = 0;
  }

  function choose(chooser) {
    const again = choice?.id === chooser.id;
    chooser.checked = !again;
    choice = again ? null : { id: chooser.id, moment: moment() };
    settle();
  }

  function walk(from, [down, right]) {
    const [row, column] = ["r", "c"].map(name => +new RegExp(`\\b${name}(\\d)`).exec(from.className)[1]);
    const next = spots().querySelector(`[data-space].r${row + down}.c${column + right}`);
    if (next) standing(next.dataset.space).focus();
  }

  function alongside(button, forward) {
    const all = [...button.parentElement.querySelectorAll("button")];
    all[(all.indexOf(button) + (forward ? 1 : all.length - 1)) % all.length].focus();
  }

  on("focusin", e => {
    held = !!e.target.closest(".axxa-spots");
    if (!e.target.dataset.space) return;
    place = e.target.dataset.space;
    settle();
  });

  on("click", e => {
    if (e.target.matches(".axxa-chooser")) choose(e.target);
    const from = chosen();
    if (from && e.target.matches(".axxa-idle")) e.target.value = SPACES * from.value + +e.target.dataset.space;
    if (e.target.closest("#memory")) remind(byId("memory").getAttribute("aria-pressed") !== "true");
  });

  on("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey || !e.target.closest(".axxa-spots")) return;
    if (STEPS[e.key]) {
      e.preventDefault();
      if (e.target.dataset.space) walk(e.target, STEPS[e.key]);
      else alongside(e.target, e.key === "ArrowRight" || e.key === "ArrowDown");
    } else if (e.key === "Enter" && e.target.matches(".axxa-chooser")) {
      e.preventDefault();
      choose(e.target);
    } else if (e.key === "Escape" && chosen()) {
      const chooser = chosen();
      choose(chooser);
      chooser.focus();
    }
  });

  // A frame that shows the same moment again leaves the chosen stack chosen; whose button has gone keeps the place.
  on("htmx:after:swap", () => {
    const chooser = choice && choice.moment === moment() ? byId(choice.id) : null;
    if (chooser) chooser.checked = true;
    else choice = null;
    settle();
    remind(reminded());
    if (held && document.activeElement === document.body) (document.querySelector(".axxa-act, .axxa-take") ?? standing(place))?.focus({ preventScroll: true });
  });

  function reminded() {
    try { return localStorage.getItem("axxa-memory") !== "off"; } catch { return true; }
  }
  function remind(wanted) {
    document.documentElement.dataset.axxaMemory = wanted ? "on" : "off";
    try { localStorage.setItem("axxa-memory", wanted ? "on" : "off"); } catch { /* remembered until the page is left */ }
    byId("memory")?.setAttribute("aria-pressed", String(wanted));
    byId("memory")?.removeAttribute("hidden");
  }

  settle();
  remind(reminded());
})();
