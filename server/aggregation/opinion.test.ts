import assert from 'node:assert/strict';
import type { APIServiceCondition } from '#schema/generated/apiregistration.v1.ts';
import { type Finding, failedCheck, PASSED } from './conditions.ts';
import { Opinion } from './opinion.ts';

function condition(finding: Finding): APIServiceCondition {
  return { type: 'Available', ...finding };
}

describe('Opinion of a replica about an extension server', () => {
  it('reports a finding once', () => {
    const opinion = new Opinion();
    assert.ok(opinion.maySay(failedCheck('a'), undefined, 0));
    assert.ok(!opinion.maySay(failedCheck('b'), condition(failedCheck('a')), 1));
    assert.ok(opinion.maySay(PASSED, condition(failedCheck('a')), 2));
    assert.ok(!opinion.maySay(PASSED, condition(PASSED), 3));
    assert.ok(opinion.maySay(failedCheck('a'), condition(PASSED), 4));
  });

  it('does not alternate if only some replicas can reach the server', () => {
    const findings = [PASSED, failedCheck('refused'), failedCheck('no route')];
    const opinions = findings.map(() => new Opinion());
    let current: APIServiceCondition | undefined;
    let writes = 0;
    for (let second = 0; second < 500; second++) {
      const which = second % findings.length;
      if (!opinions[which]!.maySay(findings[which]!, current, second * 1000)) continue;
      current = condition(findings[which]!);
      writes++;
    }
    assert.equal(current?.status, 'True');
    assert.ok(writes <= 5, String(writes));
  });

  it('reports a failure that all replicas see, even if replicas contradicted each other before', () => {
    const passing = new Opinion();
    const failing = new Opinion();
    assert.ok(failing.maySay(failedCheck('x'), condition(PASSED), 0));
    assert.ok(passing.maySay(PASSED, condition(failedCheck('x')), 1));
    assert.ok(!failing.maySay(failedCheck('x'), condition(PASSED), 2));
    assert.ok(passing.maySay(failedCheck('y'), condition(PASSED), 3));
    assert.ok(!failing.maySay(failedCheck('x'), condition(failedCheck('y')), 4));
  });

  it('reports again after a failed write', () => {
    const opinion = new Opinion();
    assert.ok(opinion.maySay(failedCheck('x'), condition(PASSED), 0));
    opinion.forget();
    assert.ok(opinion.maySay(failedCheck('x'), condition(PASSED), 1));
  });

  it('reports again after ten minutes, in case the replica that reached the server has stopped', () => {
    const opinion = new Opinion();
    assert.ok(opinion.maySay(failedCheck('x'), condition(PASSED), 0));
    opinion.maySay(failedCheck('x'), condition(failedCheck('x')), 1);
    assert.ok(!opinion.maySay(failedCheck('x'), condition(PASSED), 2));
    assert.ok(!opinion.maySay(failedCheck('x'), condition(PASSED), 599_000));
    assert.ok(opinion.maySay(failedCheck('x'), condition(PASSED), 601_000));
  });
});
