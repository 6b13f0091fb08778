// The sounds of the stage. Nothing is loaded before the first click or key, and what is chosen is kept by this browser: sounds, their
// captions, and the volume.
(() => {
  const stored = key => { try { return localStorage.getItem(`sound-${key}`); } catch { return null; } };
  const store = (key, value) => { try { localStorage.setItem(`sound-${key}`, value); } catch { /* a private window */ } };
  const sheet = document.getElementById("sound"), known = document.getElementById("stage-sounds").content;
  const [on, captions, volume] = ["on", "captions", "volume"].map(name => sheet.querySelector(`[name=sound-${name}]`));
  const usual = document.querySelector("meta[name=meadhall-notifications]").dataset.volume;
  on.checked = stored("on") !== "no";
  captions.checked = stored("captions") === "yes";
  volume.value = stored("volume") ?? usual;

  let context = null;
  const files = new Map(), buffers = new Map();  // by address: what was loaded, and what was played at least once
  const load = url => fetch(url).then(answer => answer.arrayBuffer());
  const decoded = async url => context.decodeAudioData(await files.get(url));
  const STEPS = [0, 2, 4, 7, 9, 12];  // the notes of AxxA, from the 1s to the 6s
  const soundOf = name => [...known.children].find(each => each.dataset.sound === name.split("-")[0]);
  const pitch = name => (name.startsWith("note-") ? 2 ** (STEPS[name.slice(5) - 1] / 12) : 1);

  let gain = null;
  function wake() {
    if (context || !on.checked) return;
    context = new AudioContext();
    gain = context.createGain();
    gain.connect(context.destination);
    setVolume();
    for (const { dataset: { url } } of known.children) if (!files.has(url)) files.set(url, load(url));
  }
  const setVolume = () => { if (gain) gain.gain.value = 0.7 * (volume.value / 100) ** 1.5; };
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, wake, true);

  async function play(name) {
    caption(name);
    const { url, rate, times } = soundOf(name)?.dataset ?? {};
    if (!url || !context || !on.checked || document.hidden) return;
    if (!buffers.has(url)) buffers.set(url, decoded(url));
    const buffer = await buffers.get(url).catch(() => null);
    if (!buffer) return;
    for (let k = 0; k < times; k++) {
      const source = context.createBufferSource();
      source.buffer = buffer;
      source.playbackRate.value = rate * pitch(name);
      source.connect(gain);
      source.start(context.currentTime + 0.07 * k);
    }
  }
  let timer = 0;
  function caption(name) {
    const words = soundOf(name)?.textContent;
    const box = document.getElementById("sound-caption");
    if (!captions.checked || !words) return;
    box.textContent = `♪ ${words}`;
    box.hidden = false;
    clearTimeout(timer);
    timer = setTimeout(() => { box.hidden = true; }, 1600);
  }

  const button = document.getElementById("sound-button");
  function show() {
    button.setAttribute("aria-pressed", String(on.checked));
  }
  function changed() {
    store("on", on.checked ? "yes" : "no");
    store("captions", captions.checked ? "yes" : "no");
    store("volume", volume.value);
    wake();
    setVolume();
    show();
    play(known.firstElementChild.dataset.sound);
  }
  sheet.addEventListener("change", changed);
  // A click mutes. A long press opens the sheet, as the arrow does, and isn't a click then.
  const LONG = 500;
  let pressed = Infinity, isLong = false;
  button.addEventListener("pointerdown", e => { pressed = e.timeStamp; });
  button.addEventListener("pointerup", e => {
    isLong = e.timeStamp - pressed > LONG;
    if (isLong) setTimeout(() => { isLong = false; sheet.showPopover(); }, 50);  // after the click, which some browsers send
  });
  button.addEventListener("contextmenu", e => e.preventDefault());
  button.addEventListener("keydown", e => { if (e.key === "ArrowDown") { e.preventDefault(); sheet.showPopover(); } });
  button.addEventListener("click", () => {
    if (isLong) return;
    on.checked = !on.checked;
    changed();
  });
  show();
  document.addEventListener("meadhall:sound", e => play(e.detail));
})();
