// Keeps the page for use offline: the network comes first, and what it gave last is there without it.
const CACHE = 'abbe';
const worker = /** @type {any} */ (self);

// files.json is written where the page is put together; it names every file.
worker.addEventListener('install', event => {
    event.waitUntil(
        (async () => {
            const cache = await caches.open(CACHE),
                files = await (await fetch('files.json')).json();
            await cache.addAll(['./', 'files.json', ...files]);
            await worker.skipWaiting();
        })(),
    );
});

worker.addEventListener('activate', event => event.waitUntil(worker.clients.claim()));

worker.addEventListener('fetch', event => {
    if (event.request.method !== 'GET' || new URL(event.request.url).origin !== location.origin) return;
    event.respondWith(
        (async () => {
            const cache = await caches.open(CACHE);
            try {
                const answer = await fetch(event.request);
                if (answer.ok) await cache.put(event.request, answer.clone());
                return answer;
            } catch (error) {
                const kept = await cache.match(event.request, { ignoreSearch: true });
                if (kept) return kept;
                throw error;
            }
        })(),
    );
});
