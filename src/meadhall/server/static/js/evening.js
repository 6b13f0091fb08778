// Lead people to their table: from the page of an evening when a round begins while it is open, and from the page of a match that
// has ended when they have another table.
document.addEventListener("DOMContentLoaded", () => {
  const frame = () => document.getElementById("frame").dataset;
  let { round } = frame();
  document.addEventListener("htmx:after:swap", () => {
    const next = document.querySelector("#last-table[data-go]")?.dataset.go, now = frame();
    if (next ? document.querySelector("#frame.over") : now.table && now.round !== round) location.assign(next || now.table);
    round = now.round;
  });
});
