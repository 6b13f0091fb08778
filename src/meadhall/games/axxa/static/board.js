// Enhancements of AxxA's page: arrow keys move around the board, Escape deselects a stack, pressing a space out of reach asks for
// the reason, which appears beside it until the next click or key, and a button hides the remembered pieces. The game can be played without this file.
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
  }

  function choose(chooser) {
    const again = choice?.id === chooser.id;
    chooser.checked = !again;
    choice = again ? null : { id: chooser.id, step: stepNumber() };
    updateTabStop();
  }

  function moveFocus(from, [down, right]) {
    const [row, column] = ["r", "c"].map(name => +new RegExp(`\\b${name}(\\d)`).exec(from.className)[1]);
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
    const from = chosen();
    if (from && e.target.matches(".axxa-idle")) e.target.value = SPACES * from.value + +e.target.dataset.space;
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
