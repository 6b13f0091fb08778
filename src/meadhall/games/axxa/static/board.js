// Enhancements of AxxA's page: arrow keys move around the board, Escape deselects a stack, pressing a space out of reach asks for
// the reason, which appears beside it until the next click or key, a goal shows its route, and a button hides the remembered pieces. The game can be played without this file.
(() => {
  const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const SPACES = 37;
  const byId = id => document.getElementById(id);
  const on = (name, act) => document.addEventListener(name, act);
  const spots = () => document.querySelector(".axxa-spots");
  const chosen = () => document.querySelector(".axxa-chooser:checked");
  const stepNumber = () => document.querySelector("#controls input[name=n]")?.value;

  let tabStop = null;    // the space that Tab focuses and where the arrow keys start
  let hasFocus = false;  // whether the focus is among the controls, or was before a swap removed it
  let choice = null;     // the chosen stack, and the step at which it was chosen

  // The control of a space: if the chosen stack can move there, its goal; otherwise whatever is on the space.
  const controlOf = space => byId(`go-${chosen()?.value}-${space}`) ?? byId(`space-${space}`);

  function updateTabStop() {
    for (const each of spots()?.querySelectorAll("[data-space]") ?? []) each.tabIndex = -1;
    tabStop ??= document.querySelector(".axxa-chooser, .axxa-price")?.dataset.space ?? "12";
    const here = controlOf(tabStop);
    if (here) here.tabIndex = 0;
    byId("trail")?.classList.toggle("faint", !!chosen());
  }

  function choose(chooser) {
    const again = choice?.id === chooser.id;
    chooser.checked = !again;
    choice = again ? null : { id: chooser.id, step: stepNumber() };
    updateTabStop();
  }

  const placeOf = element => ["r", "c"].map(name => +new RegExp(`\\b${name}(\\d)`).exec(element.className)[1]);

  // Draw the route to a goal from the rim of its stack: straight, or around a corner.
  function showRoute(goal) {
    const route = byId("axxa-route");
    route?.classList.toggle("shown", !!goal);
    if (!route || !goal) return;
    const spaces = [goal.id.split("-")[1], ...(goal.dataset.corner ? [goal.dataset.corner] : []), goal.dataset.space];
    const [first, ...rest] = spaces.map(space => placeOf(byId(`space-${space}`)).map(each => 120 * (each - 3)));
    const rim = first.map((each, axis) => each + 56 * Math.sign(rest[0][axis] - each));
    for (const path of route.children) path.setAttribute("d", `M${[rim, ...rest].map(([y, x]) => `${x} ${y + 14}`).join(" ")}`);
  }
  const goalAt = e => e.target.closest?.(".axxa-goal");
  for (const name of ["mouseover", "focusin"]) on(name, e => goalAt(e) && showRoute(goalAt(e)));
  for (const name of ["mouseout", "focusout"]) on(name, e => goalAt(e) && showRoute(document.querySelector(".axxa-goal.pending")));

  function moveFocus(from, [down, right]) {
    const [row, column] = placeOf(from);
    const next = spots().querySelector(`[data-space].r${row + down}.c${column + right}`);
    if (next) controlOf(next.dataset.space).focus();
  }

  function focusNeighbour(button, forward) {
    const all = [...button.parentElement.querySelectorAll("button")];
    all[(all.indexOf(button) + (forward ? 1 : all.length - 1)) % all.length].focus();
  }

  on("focusin", e => {
    hasFocus = !!e.target.closest(".axxa-spots");
    if (!e.target.dataset.space) return;
    tabStop = e.target.dataset.space;
    updateTabStop();
  });

  function hideAnswer() {
    const answer = byId("refused");
    if (answer) answer.hidden = true;
  }

  on("click", e => {
    hideAnswer();
    if (e.target.matches(".axxa-chooser")) choose(e.target);
    if (e.target.matches(".waiting .axxa-idle")) e.preventDefault();
    if (e.target.matches(".axxa-idle")) e.target.value = SPACES * (chosen()?.value ?? e.target.dataset.space) + +e.target.dataset.space;
    if (e.target.closest("#memory")) showMemory(byId("memory").getAttribute("aria-pressed") !== "true");
  });

  on("keydown", e => {
    hideAnswer();
    if (e.ctrlKey || e.metaKey || e.altKey || !e.target.closest(".axxa-spots")) return;
    if (STEPS[e.key]) {
      e.preventDefault();
      if (e.target.dataset.space) moveFocus(e.target, STEPS[e.key]);
      else focusNeighbour(e.target, e.key === "ArrowRight" || e.key === "ArrowDown");
    } else if (e.key === "Enter" && e.target.matches(".axxa-chooser")) {
      e.preventDefault();
      choose(e.target);
    } else if (e.key === "Escape" && chosen()) {
      const chooser = chosen();
      choose(chooser);
      chooser.focus();
    }
  });

  // A new frame of the same step keeps the chosen stack. If the focused button has gone, focus moves to a control nearby.
  on("htmx:after:swap", () => {
    const chooser = choice && choice.step === stepNumber() ? byId(choice.id) : null;
    if (chooser) chooser.checked = true;
    else choice = null;
    updateTabStop();
    showRoute(null);
    showMemory(memoryShown());
    if (hasFocus && document.activeElement === document.body) (document.querySelector(".axxa-act, .axxa-take") ?? controlOf(tabStop))?.focus({ preventScroll: true });
  });

  function memoryShown() {
    try { return localStorage.getItem("axxa-memory") !== "off"; } catch { return true; }
  }
  function showMemory(wanted) {
    document.documentElement.dataset.axxaMemory = wanted ? "on" : "off";
    try { localStorage.setItem("axxa-memory", wanted ? "on" : "off"); } catch { /* lasts until the page is closed */ }
    byId("memory")?.setAttribute("aria-pressed", String(wanted));
    byId("memory")?.removeAttribute("hidden");
  }

  updateTabStop();
  showMemory(memoryShown());
})();
