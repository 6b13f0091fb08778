// The picture of a match's end goes to another app where the browser can share files. Elsewhere the link does what it does without
// this file: it downloads the picture, and meadhall.js copies the link to the table.
document.addEventListener("click", async e => {
  const button = e.target.closest("#share-picture");
  const sample = new File([], "match.png", { type: "image/png" });
  if (!button || button.dataset.sharing || !navigator.canShare?.({ files: [sample] })) return;
  e.preventDefault();
  e.stopPropagation();
  button.dataset.sharing = "";
  try {
    const picture = await fetch(button.href).then(answer => (answer.ok ? answer.blob() : Promise.reject(new Error(answer.status))));
    const files = [new File([picture], "match.png", { type: "image/png" })];
    await navigator.share({ files, title: document.title, url: document.querySelector("#table-url:not([data-closed])")?.value });
  } catch (error) {
    if (error.name !== "AbortError") button.click();  // the browser refuses after all: download it
  } finally {
    delete button.dataset.sharing;
  }
}, true);
