import assert from 'node:assert/strict';
import { StatusError } from '#base/errors/status-error.ts';
import { latestRelease, releaseOf } from '#base/release/release.ts';
import { countOperations } from '../testing/count-operations.ts';
import { rulesOf } from './testing/every-kind.ts';
import { KindTester } from './testing/kind-tester.ts';
import { longLists } from './testing/long-lists.ts';

const LENGTH = 1_000;

/**
 * The largest factor of the operations for twice the length. Twice the length should take twice the operations. Four
 * times as many would mean that they grow with the square.
 */
const MOST_GROWTH = 2.3;

describe('work for long lists grows with their length', () => {
  for (const { what, kind, body, before, view, isTable, gates, release: name } of longLists) {
    it(what, () => {
      const release = name === undefined ? latestRelease : releaseOf(name);
      const [identity, version, kindName] = kind;
      const rules = rulesOf(release).get(identity);
      assert.ok(rules !== undefined);
      const tester = new KindTester(rules, version, kindName, gates, release);
      const work = (length: number) => {
        const object = body(length);
        const old = before?.(length);
        return countOperations(() => {
          try {
            if (isTable === true) tester.cells(object);
            else if (old === undefined) tester.errors(object);
            else tester.updateErrors(old, object, view);
          } catch (error) {
            // Some rules refuse an object before all others.
            if (!(error instanceof StatusError)) throw error;
          }
        });
      };
      work(1);
      const [once, twice] = [work(LENGTH), work(2 * LENGTH)];
      assert.ok(twice < once * MOST_GROWTH, `${once} operations for ${LENGTH} items, ${twice} for twice as many`);
    });
  }
});
