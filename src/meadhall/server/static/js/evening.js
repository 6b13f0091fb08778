// Lead people to their table: from the page of an evening when they get one while it is open, and from the page of a match that
// has ended when they have another one. A frame between the seating and the start of a match has the round, but no table yet.
document.addEventListener("DOMContentLoaded", () => {
  const frame = () => document.getElementById("frame").dataset;
  let { table } = frame();
  document.addEventListener("htmx:after:swap", () => {
    const next = document.querySelector("#last-table[data-go]")?.dataset.go, now = frame();
    if (next ? document.querySelector("#frame.over") : now.table && now.table !== table) location.assign(next || now.table);
    table = now.table;
  });
});
