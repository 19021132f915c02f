import assert from 'node:assert/strict';
import fc from 'fast-check';
import { atOnce } from '#base/time/steps.ts';
import type { PolicyRule } from '#schema/generated/rbac.authorization.v1.ts';
import { resourceAttributes } from '../../api/attributes.ts';
import { TooManyRightsError, uncovered as uncoveredInSteps } from './covers.ts';
import { ruleAllows } from './rule-matching.ts';

const some = (...values: string[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 });

const rule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: some('get', 'list', '*'),
  apiGroups: some('', 'apps', '*'),
  resources: some('pods', 'pods/log', '*/log', '*'),
  resourceNames: fc.uniqueArray(fc.constantFrom('a', 'b')),
});

const questions = ['get', 'list'].flatMap((verb) =>
  ['', 'apps'].flatMap((group) =>
    [
      ['pods', ''],
      ['pods', 'log'],
      ['jobs', 'log'],
    ].flatMap(([resource = '', subresource = '']) =>
      ['', 'a', 'c'].map((name) => resourceAttributes(undefined, { verb, group, resource, subresource, name })),
    ),
  ),
);

function uncovered(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return atOnce(uncoveredInSteps(held, wanted));
}

describe('uncovered', () => {
  /** A rule with a few texts that means 100 million rights. All of them have a prefix. */
  const wide = (prefix: string): PolicyRule => {
    const hundred = Array.from({ length: 100 }, (_, i) => `${prefix}${i}`);
    return { verbs: hundred, apiGroups: hundred, resources: hundred, resourceNames: hundred };
  };

  it('returns the first of very many missing rights', () => {
    assert.equal(uncovered([], [wide('a')]).length, 10_000);
  });

  it('finds a rule that another one covers as a whole, without a look at each right', () => {
    assert.deepEqual(uncovered([wide('b'), wide('a')], [wide('a')]), []);
  });

  const { verbs: all, ...about } = wide('a');
  const halves = [(all ?? []).slice(0, 50), (all ?? []).slice(50)].map((half) => ({ ...about, verbs: half }));

  it('gives up if several rules cover very many rights together', () => {
    assert.throws(() => uncovered(halves, [wide('a')]), TooManyRightsError);
  });

  it('pauses', () => {
    const steps = uncoveredInSteps(halves, [wide('a')]);
    assert.equal(steps.next().done, false);
  });

  it('returns missing rights separately by verb, group, resource and name', () => {
    const held: PolicyRule[] = [{ verbs: ['get'], apiGroups: [''], resources: ['pods', '*/scale'] }];
    assert.deepEqual(
      uncovered(held, [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'jobs/scale'] }]),
      [
        { verbs: ['list'], apiGroups: [''], resources: ['pods'] },
        { verbs: ['list'], apiGroups: [''], resources: ['jobs/scale'] },
      ],
    );
    assert.deepEqual(
      uncovered(held, [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['x'] }]),
      [],
    );
    assert.deepEqual(uncovered([], [{ verbs: ['get'], nonResourceURLs: ['/a', '/b'] }]), [
      { verbs: ['get'], nonResourceURLs: ['/a'] },
      { verbs: ['get'], nonResourceURLs: ['/b'] },
    ]);
  });

  it('returns nothing for a rule that the user has', () => {
    fc.assert(fc.property(rule, (one) => assert.deepEqual(uncovered([one], [one]), [])));
  });

  it('returns nothing only if all wanted requests are allowed', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 4 }), rule, (held, wanted) => {
        if (uncovered(held, [wanted]).length > 0) return;
        for (const asked of questions) {
          if (ruleAllows(wanted, asked)) assert.ok(held.some((one) => ruleAllows(one, asked)));
        }
      }),
    );
  });
});
