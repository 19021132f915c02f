import assert from 'node:assert/strict';
import type { Selection } from '../api/selection.ts';
import type { Reading } from '../api/stored-reading.ts';
import { CachedResource } from '../cache/cached-resource.ts';
import { itemOf } from '../cache/item.ts';
import type { CacheSubscription } from '../cache/subscription.ts';
import { pod } from '../cache/testing/objects.ts';
import type { CacheHost } from '../cache/watcher-group.ts';
import type { EventEncoder } from '../codecs/watch-events.ts';
import { LiveEvents, type WatchedEvents } from './live-events.ts';

/** A time in milliseconds that is longer than a turn may last. */
const LATE = 20;

const EVERYTHING = { everything: true } as Selection;

/** Events as short texts. The test compares which of them arrive, and in which order. */
const ENCODER: EventEncoder = {
  contentType: 'text/plain',
  event: ({ type, item, revision }) => Buffer.from(`${type[0]}${item.key}@${revision}`),
  bookmark: (revision) => Buffer.from(`B@${revision}`),
  error: ({ reason }) => Buffer.from(String(reason)),
};

/** A client that reads only when the test asks for it. `room` is the number of bytes that may wait for it. */
class Client {
  readonly written: string[] = [];
  readonly mayWait: number;
  writableLength = 0;
  writableNeedDrain = false;

  constructor(room: number) {
    this.mayWait = room;
  }

  write(chunk: Buffer | string): boolean {
    this.written.push(String(chunk));
    this.writableLength += chunk.length;
    this.writableNeedDrain ||= this.writableLength > this.mayWait;
    return !this.writableNeedDrain;
  }

  cork(): void {}
  uncork(): void {}
}

/** A watch whose changes and turns are controlled by the test. */
class Bench implements CacheHost {
  frontier = 0;
  turns = 0;
  readonly client: Client;
  readonly live: LiveEvents;
  readonly #queue: CacheSubscription[] = [];
  readonly #resource = new CachedResource(this);

  /** `isLate` decides for each reading of the clock whether much time has passed since the previous reading. */
  constructor({ there = 0, marks = false, converts = false, room = 1 << 20, isLate = (_look: number) => false }) {
    for (let n = 0; n < there; n++) this.change(n);
    const { items: initial, revision: start, subscription } = this.#resource.snapshotAndSubscribe({ scope: '' });
    let time = 0;
    let look = 0;
    const clock = () => {
      time += isLate(look++) ? LATE : 0;
      return time;
    };
    const read = {} as Reading;
    const reading = converts ? { ready: async () => read } : { now: read, ready: () => read };
    const of = { initial, marksInitial: marks, selected: EVERYTHING, start, served: { reading } };
    const owner = { ended: (error: unknown) => assert.ifError(error) };
    this.client = new Client(room);
    this.live = new LiveEvents(this.client, of as unknown as WatchedEvents, subscription, ENCODER, owner, clock);
    this.live.begin();
  }

  notify(subscription: CacheSubscription): void {
    this.#queue.push(subscription);
  }

  notifyGroup(subscriptions: Iterable<CacheSubscription>): void {
    this.#queue.push(...subscriptions);
  }

  change(n: number): void {
    const revision = ++this.frontier;
    const item = itemOf(`ns/${n}`, Buffer.from(pod(`ns/${n}`, n)), revision)!;
    this.#resource.apply(revision, item.key, item, revision);
  }

  /** Gives turns until no watcher asks for one, and lets the client read the waiting data. */
  async run(): Promise<void> {
    for (let idle = 0; idle < 2; idle++) {
      while (this.#queue.length > 0) {
        idle = 0;
        assert.ok(this.turns++ < 1000, 'turns without end');
        this.#queue.shift()!.signal();
      }
      // Prepared objects are ready by then.
      await new Promise((resolve) => setImmediate(resolve));
      if (!this.client.writableNeedDrain) continue;
      idle = 0;
      [this.client.writableLength, this.client.writableNeedDrain] = [0, false];
      this.live.resume();
    }
  }
}

/** When time passes between two looks at the clock. */
const CLOCKS: [string, (look: number) => boolean][] = [
  ['that stands still', () => false],
  ...Array.from({ length: 12 }, (_, n): [string, (look: number) => boolean] => [
    `that jumps before look ${n}`,
    (look) => look === n,
  ]),
  ...Array.from({ length: 4 }, (_, n): [string, (look: number) => boolean] => [
    `that jumps before look ${n} of four`,
    (look) => look % 4 === n,
  ]),
  ['that jumps before every look', () => true],
];

const WATCHES = {
  'changes one by one': {},
  'what is there at first': { there: 3 },
  'what is there at first, and where it ends': { there: 3, marks: true },
  'where nothing ends': { marks: true },
  'objects that are converted': { there: 3, converts: true },
  'as much as its client takes': { there: 3, marks: true, room: 10 },
};

describe('events of a watch', () => {
  for (const [clockName, isLate] of CLOCKS) {
    it(`all arrive, and in order, with a clock ${clockName}`, async () => {
      for (const [what, watch] of Object.entries(WATCHES)) {
        const bench = new Bench({ ...watch, isLate });
        const { there = 0, marks = false } = watch as { there?: number; marks?: boolean };
        const expected = Array.from({ length: there }, (_, n) => `Ans/${n}@${n + 1}`);
        if (marks) expected.push(`B@${there}`);
        // The events come in pieces, so that the watch becomes idle between them.
        for (const many of [0, 1, 1, 70, 1]) {
          for (let n = 0; n < many; n++) bench.change(100 + bench.frontier);
          await bench.run();
          for (let n = many; n > 0; n--) expected.push(`Ans/${100 + bench.frontier - n}@${bench.frontier - n + 1}`);
          assert.deepEqual(bench.client.written, expected, what);
        }
        assert.equal(bench.live.behind, false);
      }
    });
  }

  it('come after the initial objects, even if the client starts to read again meanwhile', async () => {
    const bench = new Bench({ there: 3, room: 10 });
    bench.client.uncork = () => {
      bench.client.writableNeedDrain = false;
      bench.client.writableLength = 0;
    };
    bench.change(100);
    await bench.run();
    bench.live.resume();
    await bench.run();
    assert.deepEqual(bench.client.written, ['Ans/0@1', 'Ans/1@2', 'Ans/2@3', 'Ans/100@4']);
  });
});
