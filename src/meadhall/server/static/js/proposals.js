// Proposals: the sheet of what can be proposed, keys to answer, and the time that is left.
// Without this file the button leads to a page, and the banner tells the time until when one can answer.
(() => {
  const byId = id => document.getElementById(id);
  const sheet = byId("propose-sheet");
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
    if (e.target.id === "note-form") byId("stream").classList.toggle("noted", !!byId("note-text").value.trim());
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
    if (!document.querySelector(".proposal.asks")) return;
    const text = document.querySelector(".proposal-text").textContent.trim();
    document.dispatchEvent(new CustomEvent("meadhall:proposal", { detail: { id: number, text } }));
  }
  document.addEventListener("htmx:after:swap", call);
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
