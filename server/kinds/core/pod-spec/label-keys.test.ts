import assert from 'node:assert/strict';
import { FieldPath } from '#base/errors/field-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { defaultRelease, latestRelease, type Release } from '#base/release/release.ts';
import type { Pod, PodAffinityTerm } from '#schema/generated/core.v1.ts';
import { createFeatureGates } from '../../../config/feature-gates.ts';
import { mergeLabelKeys, validateLabelKeys } from './label-keys.ts';

function merged(release: Release): Pod {
  const term: PodAffinityTerm = {
    topologyKey: 'zone',
    labelSelector: { matchLabels: { app: 'a' } },
    matchLabelKeys: ['version', 'missing'],
    mismatchLabelKeys: ['tenant'],
  };
  const pod: Pod = {
    metadata: { labels: { version: '1', tenant: 't' } },
    spec: {
      containers: [],
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: {},
          matchLabelKeys: ['version'],
        },
      ],
    },
  };
  mergeLabelKeys(pod, { naming: createNaming('orch'), gates: createFeatureGates(new Map(), release), release });
  return pod;
}

describe('matchLabelKeys and mismatchLabelKeys', () => {
  it('are merged into the selector with the label values of a new pod', () => {
    const { affinity, topologySpreadConstraints } = merged(latestRelease).spec!;
    const version = { key: 'version', operator: 'In', values: ['1'] };
    assert.deepEqual(topologySpreadConstraints?.[0]?.labelSelector, { matchExpressions: [version] });
    const [term] = affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const tenant = { key: 'tenant', operator: 'NotIn', values: ['t'] };
    assert.deepEqual(term?.labelSelector, { matchLabels: { app: 'a' }, matchExpressions: [version, tenant] });
  });

  it('are not merged in the first release', () => {
    assert.deepEqual(merged(defaultRelease).spec?.topologySpreadConstraints?.[0]?.labelSelector, {});
  });

  const selecting = (...keys: string[]) => ({ matchExpressions: keys.map((key) => ({ key, operator: 'Exists' })) });
  const tried: [title: string, keyed: Parameters<typeof validateLabelKeys>[0], errors: string[]][] = [
    [
      'can be in the selector once, as the result of merging',
      { labelSelector: selecting('v'), matchLabelKeys: ['v'] },
      [],
    ],
    [
      'cannot be in the selector twice',
      { labelSelector: selecting('v', 'v'), matchLabelKeys: ['v'] },
      ['at[0]: Invalid value: "v": exists in both matchLabelKeys and labelSelector'],
    ],
    [
      'need a selector',
      { matchLabelKeys: ['v'] },
      ['at.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set'],
    ],
    [
      'cannot contain the same key',
      { labelSelector: {}, matchLabelKeys: ['v'], mismatchLabelKeys: ['v'] },
      ['at.matchLabelKeys[0]: Invalid value: "v": exists in both matchLabelKeys and mismatchLabelKeys'],
    ],
  ];
  for (const [title, keyed, errors] of tried) {
    it(title, () => {
      assert.deepEqual(
        validateLabelKeys(keyed, new FieldPath('at')).map(({ text }) => text),
        errors,
      );
    });
  }
});
