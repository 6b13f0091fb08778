// After a button was pressed and has disappeared, move the focus to the first choice, or to the empty controls until there is one.
(() => {
  let acting = false;
  const inside = () => !!document.activeElement?.closest("#controls");
  document.addEventListener("focusin", () => { acting = inside(); });
  document.addEventListener("htmx:after:swap", () => {
    const waiting = document.getElementById("acts");
    if (!acting || ![document.body, waiting].includes(document.activeElement)) return;
    (document.querySelector("#controls .act:not([aria-disabled], .ahead)") ?? waiting)?.focus({ preventScroll: true });
  });
})();
