// Proposals: the sheet of what can be proposed, keys to answer, and the time that is left. And in small windows the sheets over the table.
// Without this file the button leads to a page, the banner tells the time until when one can answer, and sheets stay.
(() => {
  const byId = id => document.getElementById(id);
  const sheet = byId("propose-sheet"), stream = byId("stream");
  document.addEventListener("click", e => {
    const opener = e.target.closest("#propose, #note");
    if (!opener || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    open(opener.href);
  });
  async function open(address) {
    // Its own source: requests of one source wait for each other, and the page may be loading its frame.
    await htmx.ajax("GET", address, { source: sheet, target: "#propose-offers", select: "#propose-offers", swap: "outerHTML" });
    if (!sheet.matches(":popover-open")) sheet.showPopover();
  }
  sheet.addEventListener("submit", e => {
    if (e.target.id === "note-form") stream.classList.toggle("noted", !!byId("note-text").value.trim());
    sheet.hidePopover();
  });
  const press = element => { element?.click(); return !!element; };
  window.addEventListener("keydown", e => {
    if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input:not([type=radio]), select, textarea")) return;
    const chosen = { y: "agree", n: "decline", p: "propose" }[shortcut(e)];
    if (chosen && press(byId(chosen))) e.preventDefault();
  });
  // Another script may call the player, who looks elsewhere.
  let known = byId("proposal")?.dataset.number;
  function call() {
    const { number } = byId("proposal")?.dataset ?? {};
    if (number === known) return;
    known = number;
    stream.classList.remove("low");
    if (!document.querySelector(".proposal.asks")) return;
    const text = document.querySelector(".proposal-text").textContent.trim();
    document.dispatchEvent(new CustomEvent("meadhall:proposal", { detail: { id: number, text } }));
  }
  document.addEventListener("htmx:after:swap", call);

  // In small windows hints, a proposal and the goal are sheets. A tap outside or on their words or Escape puts them down: of a proposal its
  // words stay, the hint's button shows hints again, and the goal is told once for each game.
  const isSheet = part => !!part && /sticky|absolute/.test(getComputedStyle(part).position);
  function putDown(tapped) {
    const hints = byId("hints"), goal = byId("goal");
    if (isSheet(hints) && !tapped?.closest("#hints, #hint")) hints.open = false;
    if (isSheet(goal) && !tapped?.closest("#goal a")) stream.classList.add("known");
    if (!isSheet(byId("told")) || tapped?.closest("#told :is(button, a)")) return;
    stream.classList.toggle("low", !(tapped?.closest("#told") && stream.matches(".low")));
  }
  document.addEventListener("click", e => {
    if (e.target.closest("#hint[aria-controls]")) byId("hints").open = true;
    if (e.target.closest("#notices > .notice:not(form)")) byId("notices").querySelector(".notice").remove();
    putDown(e.target);
  });
  window.addEventListener("keydown", e => { if (e.key === "Escape" && !document.querySelector(":popover-open")) putDown(null); });

  // The goal is told until the first decision, and not again: after a take-back, or in the next match of the game.
  let told = null;
  function tellGoal() {
    const game = byId("goal")?.dataset.game, key = `meadhall:goal:${game}`;
    if (!game) return told && stream.classList.add("known");
    try {
      if (!told && localStorage.getItem(key)) stream.classList.add("known");
      localStorage.setItem(key, "told");
    } catch { /* no storage: once on this page */ }
    told = game;
  }
  tellGoal();
  document.addEventListener("htmx:after:swap", tellGoal);
  function tick() {
    for (const part of document.querySelectorAll("[data-until][data-words]")) {
      const seconds = Math.max(0, Math.round((Date.parse(part.dataset.until) - window.hallNow()) / 1000));
      const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
      const two = number => String(number).padStart(2, "0");
      const words = hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
      const told = part.dataset.words.replace("%s", words);
      if (part.textContent !== told) part.textContent = told;
    }
  }
  tick();
  setInterval(tick, 500);
  document.addEventListener("htmx:after:swap", tick);
})();
