// Development mode: pages follow the files of games, and the debug panel beside a table. Without this file the panel is a page.
(() => {
  const problems = document.getElementById("dev-problems");
  live.follow(problems.dataset.stream, {
    hear: (_name, data) => {
      const told = JSON.parse(data);
      problems.textContent = told.problems;
      problems.hidden = !told.problems;
      if (told.build !== problems.dataset.build) location.reload();  // another start of the hall has made it
    },
  });

  const drawer = document.getElementById("dev-drawer"), toggle = document.getElementById("dev-toggle");
  if (!drawer) return;
  const load = async () => {
    const answer = await fetch(drawer.dataset.url);
    if (!answer.ok) return;
    const top = drawer.scrollTop;
    drawer.innerHTML = await answer.text();
    drawer.scrollTop = top;
  };
  const show = isOpen => {
    sessionStorage.setItem("dev-open", isOpen);
    drawer.hidden = !isOpen;
    document.body.classList.toggle("dev-open", isOpen);
    toggle?.setAttribute("aria-expanded", isOpen);
    if (isOpen) load();
  };
  show(sessionStorage.getItem("dev-open") === "true");
  document.addEventListener("htmx:after:swap", () => { if (!drawer.hidden) load(); });
  toggle?.addEventListener("click", event => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    show(drawer.hidden);
  });
  addEventListener("keydown", event => {
    const isTyped = event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea");
    if (event.key === "." && !isTyped && !document.querySelector(":popover-open")) show(drawer.hidden);
  });
})();
