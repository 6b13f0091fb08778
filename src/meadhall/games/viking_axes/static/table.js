// Whose pressed button has gone with its decision keeps the place: the focus waits among the controls.
(() => {
  let acting = false;
  const inside = () => !!document.activeElement?.closest("#controls");
  document.addEventListener("focusin", () => { acting = inside(); });
  document.addEventListener("htmx:after:swap", () => {
    if (acting && document.activeElement === document.body) document.getElementById("acts")?.focus({ preventScroll: true });
  });
})();
