import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { meant, raced } from './workloads/meant.ts';
import { type Outcome, runScenarios } from './workloads/run-scenarios.ts';
import { scenarios } from './workloads/scenarios.ts';

/** The program to compare with. Machines do not have it by default. */
const OTHER = process.env['UPSTREAM_MANAGER'];

/** All differences in the form `scenario: step: object: what`, with both values. */
function differences(own: ReadonlyMap<string, Outcome>, other: ReadonlyMap<string, Outcome>) {
  return [...own].flatMap(([name, here]) => {
    const there = other.get(name) ?? new Map<string, string>();
    return [...new Set([...here.keys(), ...there.keys()])]
      .filter((key) => here.get(key) !== there.get(key))
      .map((key) => ({ of: `${name}: ${key}`, here: here.get(key), there: there.get(key) }));
  });
}

describe('workloads under two controller managers', function () {
  this.timeout(900_000);

  before(function () {
    if (OTHER !== undefined) return;
    console.log('    skipped: UPSTREAM_MANAGER names no controller manager to compare with');
    this.skip();
  });

  it('have the same states at each step, except intended differences', async () => {
    const chosen = process.env['SCENARIOS']?.split(',');
    const some = scenarios.filter(({ name }) => chosen?.includes(name) ?? true);
    const [own, other] = await Promise.all([runScenarios(some, undefined), runScenarios(some, OTHER)]);
    const all = differences(own, other);
    const file = process.env['DIFFERENCES'];
    if (file !== undefined) writeFileSync(file, JSON.stringify(all, undefined, 1));
    const used = new Set(all.flatMap(({ of }) => meant.filter((one) => one.of.test(of))));
    const unmeant = all.filter(({ of }) => ![...meant, ...raced].some((one) => one.of.test(of)));
    const text = unmeant.map(({ of, here, there }) => `${of}\n  here:  ${here}\n  there: ${there}`).join('\n');
    console.log(`    ${[...own.values()].reduce((sum, one) => sum + one.size, 0)} values, ${all.length} differ`);
    assert.equal(unmeant.length, 0, text);
    if (chosen === undefined)
      assert.deepEqual(
        meant.filter((one) => !used.has(one)).map(({ of }) => String(of)),
        [],
      );
  });
});
