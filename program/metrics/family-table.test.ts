import assert from 'node:assert/strict';
import { RELEASE } from '../flags/release.ts';
import { familyTable } from './family-table.ts';
import { lifeStage } from './life-cycle.ts';

/** Families whose last name part is their unit, as clients expect. */
const SUFFIX: Readonly<Record<string, RegExp>> = {
  histogram: /_(seconds|sizes|time|bytes|counts|seats|enqueue|utilization|requests|attempts|victims)$/,
};

describe('the table of metrics', () => {
  for (const definition of familyTable.values()) {
    it(`${definition.name} follows the naming rules of Prometheus`, () => {
      const { name, type, labels = [], buckets, help } = definition;
      assert.match(name, /^[a-z][a-z0-9_]*$/);
      if (SUFFIX[type] !== undefined) assert.match(name, SUFFIX[type]);
      assert.deepEqual(labels, [...labels].sort(), 'labels are shown in this order');
      assert.equal(buckets !== undefined, type === 'histogram');
      assert.deepEqual(
        buckets ?? [],
        [...(buckets ?? [])].sort((a, b) => a - b),
      );
      assert.doesNotMatch(help, /\n|^\[/);
      assert.notEqual(lifeStage(definition, RELEASE), 'deleted', 'its entry goes');
    });
  }
});
