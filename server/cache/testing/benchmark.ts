/**
 * Measures the costs of the cache, without the network of a store: `node server/cache/testing/benchmark.ts`. Prints the
 * time to load 20,000 objects of 3 KB, their memory before and after 60,000 updates, and the cost of an event with 500
 * subscriptions.
 */
import { setImmediate as turn } from 'node:timers/promises';
import type { Batch, Change, Feed, FeedOptions, Page, PageRequest } from '#storage/object-store.ts';
import type { ItemChange } from '../item.ts';
import { WatchCache } from '../watch-cache.ts';
import { MemoryStore } from './memory-store.ts';
import { quietLog } from './objects.ts';

const OBJECTS = 20_000;
const NAMESPACES = 100;
const UPDATES = 60_000;
const SUBSCRIPTIONS = 500;
const EVENTS = 2000;

/** A store that makes its objects at a request and keeps no changes, so that only the cache's copies are in memory. */
class GeneratedStore extends MemoryStore {
  #now = 1;
  #changes: Change[] = [];
  #resume = () => {};

  override get revision(): number {
    return this.#now;
  }

  override async currentRevision(): Promise<number> {
    await turn();
    return this.#now;
  }

  override async list(_prefix: string, request: PageRequest): Promise<Page> {
    const start = request.after === undefined ? 0 : Number(request.after.slice(-5)) + 1;
    const end = Math.min(OBJECTS, start + (request.limit ?? OBJECTS));
    const items = [];
    for (let i = start; i < end; i++) items.push({ key: key(i), value: value(i, 0), revision: 1 });
    return { items, revision: 1, remaining: OBJECTS - end, more: end < OBJECTS };
  }

  override feed(_prefix: string, _after: number, { signal }: FeedOptions): Feed {
    signal.addEventListener('abort', () => this.#resume());
    return { requestProgress: () => {}, [Symbol.asyncIterator]: () => this.#follow(signal) };
  }

  write(at: number, n: number): void {
    this.#now++;
    this.#changes.push({
      key: key(at),
      revision: this.#now,
      value: value(at, n),
      createRevision: 1,
      previous: undefined,
    });
    this.#resume();
  }

  async *#follow(signal: AbortSignal): AsyncGenerator<Batch, void, undefined> {
    while (!signal.aborted) {
      const changes = this.#changes;
      this.#changes = [];
      if (changes.length > 0) yield { changes, revision: this.#now };
      else {
        await new Promise<void>((resolve) => {
          this.#resume = resolve;
        });
      }
    }
  }
}

function relative(i: number): string {
  const namespace = Math.floor(i / (OBJECTS / NAMESPACES));
  return `namespace-${String(namespace).padStart(3, '0')}/pod-${String(i).padStart(5, '0')}`;
}

function key(i: number): string {
  return `/registry/core/pods/${relative(i)}`;
}

const filler = Array.from({ length: 26 }, (_, i) => ({
  name: `VARIABLE_${i}`,
  value: `some value that takes some room, like the others ${i}`,
}));

function value(i: number, n: number): Buffer {
  const [namespace, name] = relative(i).split('/');
  const labels = { app: `app-${i % 50}`, 'pod-template-hash': `hash-${i % 200}` };
  const metadata = { name, namespace, uid: `0000-${i}`, labels, creationTimestamp: '2026-01-01T00:00:00Z' };
  const spec = {
    containers: [{ name: 'main', image: 'registry.example/image:1', env: filler }],
    nodeName: `node-${i % 100}`,
  };
  return Buffer.from(
    JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata, spec, status: { phase: 'Running', n } }),
  );
}

function rss(): string {
  globalThis.gc?.();
  globalThis.gc?.();
  const { rss: bytes, heapUsed, arrayBuffers } = process.memoryUsage();
  const mb = (n: number) => Math.round(n / 1e6);
  return `RSS ${mb(bytes)} MB (heap ${mb(heapUsed)}, buffers ${mb(arrayBuffers)})`;
}

async function timed(what: string, per: number, run: () => Promise<void>): Promise<void> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await run();
  const used = process.cpuUsage(cpu);
  const ms = (used.user + used.system) / 1000;
  console.log(`${what}: ${(performance.now() - start).toFixed(0)} ms, ${((ms * 1000) / per).toFixed(2)} µs CPU each`);
}

console.log(`empty: ${rss()}, object of ${value(0, 0).length} bytes`);
const store = new GeneratedStore();
const cache = new WatchCache({
  store,
  prefix: '/registry',
  resources: [
    {
      group: '',
      plural: 'pods',
      extract: (object) => {
        const { spec, status } = object as unknown as { spec: { nodeName: string }; status: { phase: string } };
        return { 'spec.nodeName': spec.nodeName, 'status.phase': status.phase };
      },
    },
  ],
  log: quietLog,
});
await timed('load, generating included', OBJECTS, () => cache.start());
console.log(`loaded: ${rss()}`);
const pods = cache.resource('', 'pods');

await timed('get', 200_000, async () => {
  for (let i = 0; i < 200_000; i++) pods.get(relative((i * 7919) % OBJECTS));
});
await timed('range of everything', 50, async () => {
  for (let i = 0; i < 50; i++) pods.range('');
});
await timed('fresh, 16 at a time', 16_000, async () => {
  for (let i = 0; i < 1000; i++) await Promise.all(Array.from({ length: 16 }, () => cache.fresh()));
});

let written = 0;
async function update(count: number, together: number): Promise<void> {
  for (let i = 1; i <= count; i++) {
    store.write((written * 7919) % OBJECTS, ++written);
    if (i % together === 0) await turn();
  }
  await cache.waitFor(store.revision, 10_000);
}
await timed('updates, generating included', UPDATES, () => update(UPDATES, 20));
console.log(`after ${UPDATES} updates: ${rss()}`);
console.log(cache.stats);

await timed('page of 500 from before 1,000 changes', 20, async () => {
  for (let i = 0; i < 20; i++) pods.rangeAt(cache.frontier - 1000, '', relative(9999), 500);
});
await timed('events one by one without subscriptions', EVENTS, () => update(EVENTS, 1));
let delivered = 0;
function subscribe(scope: string): () => void {
  const { subscription } = pods.snapshotAndSubscribe({ scope });
  subscription.onReady(() => {
    let changes: readonly ItemChange[];
    do {
      changes = subscription.next(100);
      delivered += changes.length;
    } while (changes.length > 0);
  });
  return () => subscription.close();
}
async function withSubscriptions(what: string, scope: (i: number) => string): Promise<void> {
  const close = Array.from({ length: SUBSCRIPTIONS }, (_, i) => subscribe(scope(i)));
  delivered = 0;
  await timed(`events with ${SUBSCRIPTIONS} subscriptions ${what}`, EVENTS, () => update(EVENTS, 1));
  await turn();
  console.log(`  ${delivered} delivered`);
  for (const end of close) end();
}
await withSubscriptions('to everything', () => '');
await withSubscriptions('to a namespace each', (i) => `${relative((i * 200) % OBJECTS).split('/')[0]}/`);
await withSubscriptions('to a namespace without changes', (i) => `quiet-${i}/`);
await cache.stop();
