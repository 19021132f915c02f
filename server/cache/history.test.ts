import assert from 'node:assert/strict';
import { History, trimHistories } from './history.ts';
import type { Item } from './item.ts';

function item(revision: number, bytes: number): Item {
  const body = Buffer.alloc(bytes);
  return {
    key: 'a',
    namespace: '',
    name: 'a',
    revision,
    body,
    apiVersion: 'v1',
    labels: undefined,
    fields: undefined,
    uid: '',
    readable: true,
  };
}

/** A history of updates at the revisions 1, 2, 3 … whose replaced items have this many bytes. */
function updates(count: number, bytes: number): History {
  const history = new History(0);
  for (let r = 1; r <= count; r++) history.push({ revision: r, item: item(r, bytes), previous: item(r - 1, bytes) }, r);
  return history;
}

describe('History', () => {
  it('finds changes by revision, including several changes of one revision', () => {
    const history = new History(4);
    for (const revision of [5, 7, 7, 7, 9]) history.push({ revision, item: item(revision, 1), previous: undefined }, 0);
    const after = (revision: number) => history.after(revision);
    assert.deepEqual([4, 5, 6, 7, 8, 9, 10].map(after), [0, 1, 1, 4, 4, 5, 5]);
  });

  it('keeps sequence numbers while it is trimmed', () => {
    const history = updates(100, 10);
    for (let second = 1; second <= 101; second++) {
      history.trimToSecond(second);
      assert.equal(history.first, second - 1);
      assert.equal(history.end, 100);
      assert.equal(history.start, second - 1);
      assert.equal(history.at(99)?.revision, second === 101 ? undefined : 100);
    }
    assert.equal(history.bytes, 0);
    history.push({ revision: 200, item: undefined, previous: item(100, 10) }, 200);
    assert.equal(history.at(100)?.revision, 200);
  });

  it('counts the bytes of replaced items, but not of live items', () => {
    const history = new History(0);
    history.push({ revision: 1, item: item(1, 1_000_000), previous: undefined }, 0);
    assert.ok(history.bytes < 1000);
    history.push({ revision: 2, item: undefined, previous: item(1, 1_000_000) }, 0);
    assert.ok(history.bytes > 1_000_000 && history.bytes < 1_002_000);
  });

  it('starts after the last change that was trimmed', () => {
    const history = updates(10, 1000);
    history.trimToBytes(history.bytes / 2);
    assert.equal(history.start, 5);
    assert.equal(history.at(history.first)?.revision, 6);
    history.restart(8);
    assert.deepEqual([history.start, history.length, history.bytes], [8, 0, 0]);
  });
});

describe('trimHistories', () => {
  it('does not change histories that are within the bound', () => {
    const histories = [updates(10, 1000), updates(10, 1000)];
    trimHistories(histories, 1_000_000);
    assert.deepEqual(
      histories.map((history) => history.length),
      [10, 10],
    );
  });

  it('trims the largest histories first', () => {
    const histories = [updates(10, 1000), updates(400, 1000), updates(200, 1000)];
    const [small, large, medium] = histories;
    trimHistories(histories, 200_000);
    assert.equal(small!.length, 10);
    assert.ok(Math.abs(large!.length - medium!.length) <= 1);
    const bytes = histories.reduce((sum, history) => sum + history.bytes, 0);
    assert.ok(bytes <= 200_000 && bytes > 170_000, String(bytes));
    assert.equal(large!.end, 400);
  });

  it('trims only the history that is too large', () => {
    const histories = [updates(50, 1000), updates(400, 1000), updates(50, 1000)];
    trimHistories(histories, 400_000);
    assert.deepEqual([histories[0]!.length, histories[2]!.length], [50, 50]);
    assert.ok(histories[1]!.length > 140);
  });
});
