// The service worker: the page without a connection, push messages, and clicks on them. It keeps no page of the hall, so none is
// ever out of date. The hall puts ROOT (its path), OFFLINE (the page) and KEPT (the files of that page) before this text; when one
// of them changes, browsers install it again. It takes over at once, because open pages need nothing of the one before.
"use strict";
const CACHE = "meadhall-offline";
const BAD_GATEWAY = [502, 504];  // of a proxy whose hall is closed for a moment

// One after the other: an answer in an earlier language must not replace a later one.
let keeping = Promise.resolve();
const keepOfflinePage = () => (keeping = keeping.catch(() => {}).then(replaceOfflinePage));
async function replaceOfflinePage() {
  const fresh = new Map(await Promise.all([OFFLINE, ...KEPT].map(async url => {
    const answer = await fetch(url, { cache: "no-store" });
    if (!answer.ok) throw new Error(`status ${answer.status} of ${url}`);
    return [url, answer];
  })));
  const cache = await caches.open(CACHE);
  await Promise.all([...fresh].map(([url, answer]) => cache.put(url, answer)));
  const kept = new Set([...fresh.keys()].map(url => new URL(url, location.href).href));
  for (const request of await cache.keys()) if (!kept.has(request.url)) await cache.delete(request);
}
const offlinePage = async () => (await (await caches.open(CACHE)).match(OFFLINE)) ?? Response.error();

self.addEventListener("install", event => {
  self.skipWaiting();
  event.waitUntil(keepOfflinePage());
});
self.addEventListener("activate", event => {
  event.waitUntil(Promise.all([self.registration.navigationPreload?.enable(), self.clients.claim()]));
});
self.addEventListener("message", event => {  // a page has another language or theme than the kept one
  if (event.data === "keep") event.waitUntil(keepOfflinePage().catch(() => {}));
});
self.addEventListener("fetch", event => {
  const { request } = event;
  if (request.method !== "GET") return;
  if (request.mode === "navigate") event.respondWith(navigate(event));
  else if (new URL(request.url).searchParams.has("offline")) {
    event.respondWith(caches.open(CACHE).then(cache => cache.match(request.url)).then(kept => kept ?? fetch(request)));
  }
});
async function navigate(event) {
  try {
    const answer = (await event.preloadResponse) || (await fetch(event.request));
    return BAD_GATEWAY.includes(answer.status) ? await offlinePage() : answer;
  } catch {
    return offlinePage();
  }
}

self.addEventListener("push", event => {
  let message;
  try { message = event.data.json(); } catch { return; }
  event.waitUntil(show(message));
});
// A message that was sent again after a lost answer doesn't ring again.
async function show({ id, tag, title, body, url, language }) {
  const before = await self.registration.getNotifications({ tag });
  const isRepeated = before.some(each => each.data?.id === id);
  await self.registration.showNotification(title, {
    body, tag, lang: language, icon: ICON, badge: BADGE, renotify: !isRepeated, silent: isRepeated, data: { id, url },
  });
  await showBadge();
}
const showBadge = async () => self.navigator.setAppBadge?.((await self.registration.getNotifications()).length).catch(() => {});

self.addEventListener("notificationclick", event => {
  event.notification.close();
  const url = new URL(event.notification.data?.url ?? ROOT, location.href).href;
  event.waitUntil(Promise.all([openPage(url), showBadge()]));
});
async function openPage(url) {
  const pages = await self.clients.matchAll({ type: "window" });
  const open = pages.find(page => page.url.split("#")[0] === url);
  if (open) return open.focus();
  return self.clients.openWindow(url);
}

self.addEventListener("pushsubscriptionchange", event => event.waitUntil(renew(event)));
// The push service has ended the subscription, or replaced it.
async function renew({ oldSubscription, newSubscription }) {
  const { key } = await (await fetch(ROOT + "settings/notifications/key")).json();
  const bytes = Uint8Array.from(atob(key.replace(/-/g, "+").replace(/_/g, "/")), letter => letter.charCodeAt(0));
  const subscription = newSubscription ?? (await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes }));
  await fetch(ROOT + "settings/notifications/devices", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...subscriptionOf(subscription), old: oldSubscription?.endpoint ?? "" }),
  });
}
function subscriptionOf(subscription) {
  const { endpoint, keys } = subscription.toJSON();
  return { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } };
}
