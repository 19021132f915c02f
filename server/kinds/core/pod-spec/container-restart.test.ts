import assert from 'node:assert/strict';
import { FieldPath } from '#base/errors/field-error.ts';
import { latestRelease } from '#base/release/release.ts';
import type { Container } from '#schema/generated/core.v1.ts';
import { createFeatureGates } from '../../../config/feature-gates.ts';
import { validateContainerRestart, validateInitRestart } from './container-restart.ts';

const RULES = 'ContainerRestartRules';
const WHOLE_POD = 'RestartAllContainersOnContainerExits';

describe('container restart rules', () => {
  const rule = { action: 'Restart', exitCodes: { operator: 'In', values: [1] } };
  const table: [what: string, container: Partial<Container>, gates: Record<string, boolean>, errors: string[]][] = [
    ['no policy and no rule', {}, {}, []],
    ['a policy and a rule', { restartPolicy: 'Never', restartPolicyRules: [rule] }, {}, []],
    [
      'a policy if the gate is disabled',
      { restartPolicy: 'Always' },
      { [RULES]: false },
      ['c.restartPolicy: Forbidden: may not be set for non-init containers'],
    ],
    [
      'a rule without a policy',
      { restartPolicyRules: [rule] },
      {},
      ['c.restartPolicy: Required value: must specify restartPolicy when restart rules are used'],
    ],
    [
      'unknown values',
      { restartPolicy: 'Sometimes', restartPolicyRules: [{ action: 'Stop', exitCodes: { operator: 'Is' } }] },
      {},
      [
        'c.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "Never", "OnFailure"',
        'c.restartPolicyRules[0].action: Unsupported value: "Stop": supported values: "Restart", "RestartAllContainers"',
        'c.restartPolicyRules[0].exitCodes.operator: Unsupported value: "Is": supported values: "In", "NotIn"',
      ],
    ],
    [
      'a rule with action RestartAllContainers if its gate is disabled',
      { restartPolicy: 'Never', restartPolicyRules: [{ ...rule, action: 'RestartAllContainers' }] },
      { [WHOLE_POD]: false },
      ['c.restartPolicyRules[0].action: Unsupported value: "RestartAllContainers": supported values: "Restart"'],
    ],
    [
      'a rule without exit codes',
      { restartPolicy: 'Never', restartPolicyRules: [{ action: 'Restart' }] },
      {},
      ['c.restartPolicyRules[0].exitCodes: Required value: must be specified'],
    ],
    [
      'too many rules',
      { restartPolicy: 'Never', restartPolicyRules: Array.from({ length: 21 }, () => rule) },
      {},
      ['c.restartPolicyRules: Too many: 21: must have at most 20 items'],
    ],
  ];
  const textsOf = (check: typeof validateContainerRestart, container: object, gates: Record<string, boolean>) =>
    check(
      { name: 'c', ...container } as Container,
      { gates: createFeatureGates(new Map(Object.entries(gates)), latestRelease) },
      new FieldPath('c'),
    ).map(({ text }) => text);

  for (const [what, container, gates, errors] of table) {
    it(`are ${errors.length === 0 ? 'accepted' : 'refused'} with ${what}`, () =>
      assert.deepEqual(textsOf(validateContainerRestart, container, gates), errors));
  }

  it('are refused for init containers with policy Always if the gate RestartAllContainers is disabled', () => {
    const container = { restartPolicy: 'Always', restartPolicyRules: [rule] };
    assert.deepEqual(textsOf(validateInitRestart, container, {}), []);
    assert.deepEqual(textsOf(validateInitRestart, container, { [WHOLE_POD]: false }), [
      'c.restartPolicyRules: Forbidden: restartPolicyRules are not allowed for init containers with restart policy Always',
    ]);
  });

  it('allow only policy Always for init containers if the gate is disabled', () => {
    assert.deepEqual(textsOf(validateInitRestart, { restartPolicy: 'Never' }, { [RULES]: false }), [
      'c.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ]);
  });
});
