// The page without a connection: load the wanted page again as soon as it can be reached.
(() => {
  const { dataset } = document.getElementById("again");
  const wanted = location.pathname === dataset.self ? dataset.root : location.href;  // someone may look at this page itself
  document.getElementById("again").href = wanted;
  if (wanted !== location.href) return;
  const again = () => fetch(wanted, { method: "HEAD", cache: "no-store", signal: AbortSignal.timeout(15000) }).then(answer => { if (answer.status < 500) location.reload(); }, () => {});
  for (const name of ["online", "pageshow", "focus"]) addEventListener(name, again);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) again(); });
  setInterval(() => { if (!document.hidden) again(); }, 5000);
})();
