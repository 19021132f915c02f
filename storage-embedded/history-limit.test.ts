import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type EmbeddedStore, openEmbeddedStore } from './embedded-store.ts';
import { HistoryLimit } from './history-limit.ts';

const MIB = 1024 * 1024;
const KEYS = 2_000;
const BYTES = 1_000;
const WRITERS = 50;

describe('HistoryLimit', () => {
  const cases: readonly [
    what: string,
    leastMib: number,
    writtenMib: number,
    usedMib: number,
    dropsUpTo: number | undefined,
  ][] = [
    ['keeps history below the minimum size', 10, 9, 10, undefined],
    ['drops half of the minimum size if more was written', 10, 12, 13, 7],
    ['keeps history up to two fifths of the live data', 10, 12, 112, undefined],
    ['drops half of the allowed history if more was written', 10, 41, 141, 21],
  ];
  for (const [what, least, written, used, expected] of cases)
    it(what, () => {
      const limit = new HistoryLimit(least * MIB, 0);
      const value = Buffer.alloc(MIB);
      for (let revision = 1; revision <= written; revision++)
        limit.note([{ id: revision * 256, previous: 0, created: revision, key: 'a', value }], revision);
      assert.equal(limit.mayBeOver, written > least);
      assert.equal(limit.excess(used * MIB), expected);
      if (expected === undefined) return;
      limit.dropped(expected);
      assert.equal(limit.excess(used * MIB), undefined);
    });
});

describe('the history of a file with constant writes', function () {
  this.timeout(60_000);
  let folder: string;
  let store: EmbeddedStore | undefined;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'store-'));
  });

  afterEach(async () => {
    await store?.close();
    rmSync(folder, { recursive: true });
  });

  /** Writes all keys many times. Resolves to the largest size of the file, as a multiple of the live data. */
  async function largest(historyBytes: number, updates: number): Promise<number> {
    const file = path.join(folder, 'store');
    const own = await openEmbeddedStore({ file, historyBytes });
    store = own;
    const revisions = new Array<number>(KEYS).fill(0);
    let most = 0;
    const write = async (key: number) => {
      const result = await own.update(`/registry/${key}`, revisions[key]!, Buffer.alloc(BYTES, `${key} `));
      assert.equal(result.outcome, 'written');
      if (result.outcome === 'written') revisions[key] = result.revision;
    };
    for (let done = 0; done < KEYS + updates; done += WRITERS) {
      // Each round of updates writes other keys, and they are not in order.
      const keys = Array.from({ length: WRITERS }, (_, i) => (done < KEYS ? done + i : ((done + i) * 7_919) % KEYS));
      await Promise.all(keys.map(write));
      most = Math.max(most, statSync(file).size / (KEYS * BYTES));
    }
    return most;
  }

  it('is limited without a compactor: the file stays below three times the live data', async () => {
    const most = await largest(MIB / 2, 8_000);
    assert.ok(most < 3, `${most.toFixed(1)} times`);
    assert.ok((await store!.oldestRevision()) > 1);
  });

  it('is kept completely if no limit is set', async () => {
    const most = await largest(0, 8_000);
    assert.ok(most > 4, `only ${most.toFixed(1)} times`);
    assert.equal(await store!.oldestRevision(), 1);
  });
});
