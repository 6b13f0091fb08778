// Whose pressed button has gone with its decision keeps the place: the focus is on the first choice, or waits where it will be.
(() => {
  let acting = false;
  const inside = () => !!document.activeElement?.closest("#controls");
  document.addEventListener("focusin", () => { acting = inside(); });
  document.addEventListener("htmx:after:swap", () => {
    const waiting = document.getElementById("acts");
    if (!acting || ![document.body, waiting].includes(document.activeElement)) return;
    (document.querySelector("#controls .act:not([aria-disabled])") ?? waiting)?.focus({ preventScroll: true });
  });
})();
