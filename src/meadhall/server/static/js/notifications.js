// Being called: sounds, notifications and a badge for what happens while you look elsewhere; push messages; the service worker.
// Other scripts say what happens by events of the document: meadhall:turn, -chat, -short-time, -proposal and -end. Their detail.id
// is the same in all tabs that show the event, so that only one of them tells it.
(() => {
  const words = document.querySelector("meta[name=meadhall-notifications]").dataset;
  const stored = key => { try { return localStorage.getItem(key); } catch { return null; } };
  const store = (key, value) => { try { localStorage.setItem(key, value); } catch { /* a private window */ } };
  const wants = (channel, kind) => words[channel].split(" ").includes(kind);

  // -------------------------------------------------------------------------------------------------------------- events
  const KINDS = { turn: "turn", chat: "chat", "short-time": "short", proposal: "proposal", end: "end" };
  for (const [name, kind] of Object.entries(KINDS)) document.addEventListener("meadhall:" + name, event => happen(kind, event.detail ?? {}));
  const isWatched = () => !document.hidden && document.hasFocus();
  const decision = () => document.querySelector("#frame .prompt-question")?.id ?? "";
  async function happen(kind, { id = decision(), text = "", lines = 1, own = true }) {
    if (!own) return;  // the clock of another seat
    if (kind === "chat" && !isWatched()) showUnread(unread + lines);
    const sound = wants("sounds", kind) && (kind === "short" || !isWatched());
    const notice = wants("notices", kind) && !isWatched();
    if (!sound && !notice) return;
    if (!(await isFirst(`${kind} ${location.pathname} ${id}`))) return;
    if (sound) play(words["sound" + kind[0].toUpperCase() + kind.slice(1)], words.volume);
    if (notice) showNotice(kind, text);
  }
  // Of several tabs, the one that gets a lock tells the event, and holds it until hidden tabs have heard of the event, too. Without
  // HTTPS there are no locks: then the last tab that writes its name tells it, and later ones find that it has been told.
  const me = Math.random().toString(36).slice(2);
  const isFirst = event => (navigator.locks ? new Promise(resolve => {
    navigator.locks.request(`told ${event}`, { ifAvailable: true }, lock => {
      resolve(!!lock);
      return lock && new Promise(release => setTimeout(release, 90000));
    });
  }) : isLastWriter(event));
  async function isLastWriter(event) {
    const told = () => { try { return JSON.parse(stored("told") ?? "[]"); } catch { return []; } };
    const known = told();
    const claim = known.find(each => each.event === event);
    if (claim && Date.now() - claim.at > 150) return false;
    store("told", JSON.stringify([...known.filter(each => each.event !== event), { event, by: claim && claim.by > me ? claim.by : me, at: claim?.at ?? Date.now() }].slice(-30)));
    await new Promise(resolve => setTimeout(resolve, 200));
    return (told().find(each => each.event === event)?.by ?? me) === me;
  }
  function play(url, volume) {
    const sound = new Audio(url);
    sound.volume = volume / 100;
    sound.play().catch(() => {});  // the browser wants a click on the page first
  }
  async function showNotice(kind, text) {
    if (window.Notification?.permission !== "granted") return;
    const title = document.querySelector("h1")?.textContent ?? document.title;
    const table = location.pathname.split("/").pop();
    const options = { body: text || words["words" + kind[0].toUpperCase() + kind.slice(1)], tag: `${kind}:${table}`, lang: document.documentElement.lang, icon: words.icon, silent: true, data: { url: location.pathname } };
    const worker = await registered();
    if (worker) return worker.showNotification(title, options);
    const shown = new Notification(title, options);
    shown.onclick = () => { focus(); shown.close(); };
  }

  // ------------------------------------------------------------------------------------- title, badge of the app and of the tab
  let unread = 0;
  function showUnread(count) {
    unread = count;
    const plain = document.title.replace(/^\(\d+\) /, "");
    document.title = unread ? `(${unread}) ${plain}` : plain;
  }
  new MutationObserver(() => { if (unread && !document.title.startsWith(`(${unread}) `)) showUnread(unread); }).observe(document.querySelector("title"), { childList: true });
  async function look() {
    if (!isWatched()) return;
    showUnread(0);
    navigator.clearAppBadge?.().catch(() => {});
    const table = location.pathname.split("/").pop();
    const worker = await registered();  // what the notifications say is now on the page
    for (const each of (await worker?.getNotifications?.()) ?? []) if (each.tag.endsWith(":" + table)) each.close();
  }
  addEventListener("focus", look);
  document.addEventListener("visibilitychange", look);
  document.addEventListener("meadhall:turn", () => { if (!isWatched()) navigator.setAppBadge?.(1).catch(() => {}); });

  // ------------------------------------------------------------------------------------------------------- service worker
  const workers = window.isSecureContext ? navigator.serviceWorker : undefined;
  const registered = async () => (workers ? await workers.getRegistration(words.root) : undefined);
  async function register() {
    const worker = await workers.register(words.root + "service-worker.js", { scope: words.root, updateViaCache: "none" });
    const look = `${document.documentElement.lang} ${words.theme} ${words.person}`;
    if (stored("kept") !== look) {
      (await workers.ready).active.postMessage("keep");
      store("kept", look);
    }
    await keepSubscribed(worker);
  }
  if (workers) addEventListener("load", () => setTimeout(() => register().catch(() => {}), 500));

  // --------------------------------------------------------------------------------------------------------- push messages
  const canPush = workers && "PushManager" in window;
  const bytes = key => Uint8Array.from(atob(key.replace(/-/g, "+").replace(/_/g, "/")), letter => letter.charCodeAt(0));
  const keyOf = async () => bytes((await (await fetch(words.root + "settings/notifications/key")).json()).key);
  const isMadeFor = (subscription, key) => {
    const used = new Uint8Array(subscription.options.applicationServerKey ?? []);
    return used.length === key.length && used.every((byte, k) => byte === key[k]);
  };
  const told = () => `${words.person} ${words.device} ${new Date().toDateString()}`;
  async function tellHall(subscription, old = "") {
    const { endpoint, keys } = subscription.toJSON();
    const answer = await fetch(words.root + "settings/notifications/devices", {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify({ endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth }, old }),
    });
    const body = await answer.json();
    if (!answer.ok) throw new Error(body.reason);
    store("push-told", told());
    return body;
  }
  async function subscribe(worker) {
    const key = await keyOf();
    let subscription = await worker.pushManager.getSubscription();
    const old = subscription?.endpoint ?? "";
    if (subscription && !isMadeFor(subscription, key)) {
      await subscription.unsubscribe();
      subscription = null;
    }
    subscription ??= await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
    return tellHall(subscription, old);
  }
  // A browser that gets push messages tells the hall so once a day, as the hall's key may be new, and when it has signed in: with a
  // session the hall forgets the browser.
  async function keepSubscribed(worker) {
    if (!canPush || !words.person || stored("push-told") === told()) return;
    if (Notification.permission === "granted" && (await worker.pushManager.getSubscription())) await subscribe(worker);
  }

  // -------------------------------------------------------------------------------- turned on: at a slow table, in the settings
  const panel = document.getElementById("notifications") ?? document.getElementById("push-ask");
  if (!panel) return;
  const say = text => {
    const box = document.getElementById("toast");
    Object.assign(box, { textContent: text, hidden: false });
    setTimeout(() => { box.hidden = true; }, 8000);
  };
  const isAllowed = async () => (await window.Notification?.requestPermission()) === "granted";
  const subscribed = async () => (canPush ? (await registered())?.pushManager.getSubscription() : null);
  async function turn(button, on) {
    button.disabled = true;
    const waiting = setTimeout(say, 3000, panel.dataset.waiting);  // some browsers never answer in a private window
    try {
      const worker = (await registered()) ?? (await workers.register(words.root + "service-worker.js", { scope: words.root, updateViaCache: "none" }));
      if (on) {
        if (!(await isAllowed())) return say(panel.dataset.denied);
        await workers.ready;
        await subscribe(worker);
      } else {
        const subscription = await worker.pushManager.getSubscription();
        const { id } = await tellHall(subscription);  // its name at the hall
        await fetch(`${words.root}settings/notifications/devices/${id}/remove`, { method: "POST" });
        await subscription.unsubscribe();
      }
      return true;
    } catch (error) {
      say(error instanceof DOMException ? panel.dataset.failed : error.message);
    } finally {
      clearTimeout(waiting);
      button.disabled = false;
    }
  }
  if (panel.id === "push-ask") {  // once in a browser
    const [yes, no] = panel.querySelectorAll("button");
    let isAnswered = !!stored("push-asked");
    const answer = () => { isAnswered = true; store("push-asked", "yes"); panel.hidden = true; };
    yes.addEventListener("click", async () => {
      if (await turn(yes, true)) { answer(); say(panel.dataset.on); }
      ask();
    });
    no.addEventListener("click", answer);
    // The page stays the same when its reader sits down, when the host chooses a clock of days, and when the match begins.
    const isMine = frame => (frame.matches(".lobby") ? !!frame.querySelector(".chair.mine") : !frame.matches(".watching, .over"));
    const mayAsk = frame => canPush && Notification.permission !== "denied" && isMine(frame) && !!frame.querySelector("[data-slow]");
    const ask = async () => {
      const isKnown = !!(await subscribed());
      panel.hidden = isAnswered || isKnown || !mayAsk(document.getElementById("frame"));
    };
    document.addEventListener("htmx:after:swap", ask);
    return ask();
  }
  panel.addEventListener("change", async ({ target }) => {
    if (target.matches("#volume")) play(words.soundTurn, target.value);
    if (!target.checked) return;
    if (target.dataset.try) play(target.dataset.try, document.getElementById("volume").value);
    if (target.name.startsWith("notice-") && !(await isAllowed())) {
      target.checked = false;
      say(panel.dataset.denied);
    }
  });
  const here = document.getElementById("push-here");
  if (!here) return;  // the hall sends no push messages
  const [state, button] = [here.querySelector("p"), here.querySelector("button")];
  async function showPush() {
    here.hidden = false;
    button.hidden = !canPush;
    const unable = window.isSecureContext ? panel.dataset.unsupported : panel.dataset.insecure;
    const known = await subscribed();
    state.textContent = canPush ? (known ? panel.dataset.on : panel.dataset.off) : unable;
    button.querySelector("span").textContent = known ? panel.dataset.turnOff : panel.dataset.turnOn;
  }
  button.addEventListener("click", async () => { if (await turn(button, !(await subscribed()))) location.reload(); });
  showPush();
})();
