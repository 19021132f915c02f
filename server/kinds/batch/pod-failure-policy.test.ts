import assert from 'node:assert/strict';
import { FieldPath } from '#base/errors/field-error.ts';
import { type ReleaseName, releaseOf } from '#base/release/release.ts';
import { validatePodFailurePolicy } from './pod-failure-policy.ts';

describe('validatePodFailurePolicy with the action', () => {
  const words = (...values: string[]) => values.map((value) => JSON.stringify(value)).join(', ');
  const cases: readonly [release: ReleaseName, limit: number | undefined, action: string, error: string | undefined][] =
    [
      ['1.37', 1, 'FailIndex', undefined],
      ['1.28', 0, 'FailIndex', undefined],
      ['1.37', undefined, 'FailIndex', 'Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set'],
      ['1.37', 1, 'x', `Unsupported value: "x": supported values: ${words('Count', 'FailIndex', 'FailJob', 'Ignore')}`],
      ['1.37', 1, '', 'Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]'],
      [
        '1.27',
        undefined,
        'FailIndex',
        `Unsupported value: "FailIndex": supported values: ${words('Count', 'FailJob', 'Ignore')}`,
      ],
    ];
  for (const [release, limit, action, error] of cases)
    it(`${action || 'none'} in ${release} with ${limit === undefined ? 'no limit' : `a limit of ${limit}`}`, () => {
      const rules = [
        { action, onExitCodes: { containerName: null, operator: 'In', values: [42] }, onPodConditions: null },
      ];
      const spec = {
        template: {},
        podFailurePolicy: { rules },
        ...(limit === undefined ? {} : { backoffLimitPerIndex: limit }),
      };
      const found = validatePodFailurePolicy(spec, new FieldPath('spec'), releaseOf(release));
      assert.deepEqual(
        found.map(({ text }) => text),
        error === undefined ? [] : [`spec.rules[0].action: ${error}`],
      );
    });
});
