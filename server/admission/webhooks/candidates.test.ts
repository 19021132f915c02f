import assert from 'node:assert/strict';
import type { RuleWithOperations } from '#schema/generated/admissionregistration.v1.ts';
import { type RuleTarget, ruleMatches } from './candidates.ts';

const POD: RuleTarget = {
  operation: 'CREATE',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespaced: true,
};
const STATUS: RuleTarget = { ...POD, operation: 'UPDATE', subresource: 'status' };
const NODE: RuleTarget = { ...POD, resource: 'nodes', namespaced: false };
const SCALE: RuleTarget = { ...STATUS, group: 'apps', resource: 'deployments', subresource: 'scale' };

const EVERYTHING: RuleWithOperations = {
  operations: ['*'],
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: ['*/*'],
};

describe('ruleMatches', () => {
  const rows: [rule: Partial<RuleWithOperations>, pod: boolean, status: boolean, node: boolean, scale: boolean][] = [
    [{}, true, true, true, true],
    [{ resources: ['*'] }, true, false, true, false],
    [{ resources: ['pods'] }, true, false, false, false],
    [{ resources: ['pods/*'] }, true, true, false, false],
    [{ resources: ['pods/status'] }, false, true, false, false],
    [{ resources: ['*/status'] }, false, true, false, false],
    [{ resources: ['nodes', '*/scale'] }, false, false, true, true],
    [{ operations: ['CREATE'] }, true, false, true, false],
    [{ operations: ['DELETE', 'UPDATE'] }, false, true, false, true],
    [{ apiGroups: [''] }, true, true, true, false],
    [{ apiGroups: ['apps'] }, false, false, false, true],
    [{ apiVersions: ['v2'] }, false, false, false, false],
    [{ scope: 'Namespaced' }, true, true, false, true],
    [{ scope: 'Cluster' }, false, false, true, false],
    [{ resources: [] }, false, false, false, false],
  ];
  for (const [rule, ...wanted] of rows) {
    it(`accepts ${wanted.filter(Boolean).length} of four requests for ${JSON.stringify(rule)}`, () => {
      assert.deepEqual(
        [POD, STATUS, NODE, SCALE].map((target) => ruleMatches({ ...EVERYTHING, ...rule }, target)),
        wanted,
      );
    });
  }
});
