import assert from 'node:assert/strict';
import { FieldPath } from '#base/errors/field-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { defaultRelease } from '#base/release/release.ts';
import type { PodSpec, PodTemplateSpec } from '#schema/generated/core.v1.ts';
import { createFeatureGates } from '../../../config/feature-gates.ts';
import { podTemplateWarnings } from './template.ts';

const naming = createNaming('orch');
const context = { naming, gates: createFeatureGates(), release: defaultRelease };
const TEMPLATE = new FieldPath('spec').child('template');
const arch = naming.key('beta/arch');

describe('warnings of a pod template', () => {
  const cases: [title: string, spec: Partial<PodSpec>, warnings: string[]][] = [
    ['do not exist for a valid template', {}, []],
    [
      'name deprecated node labels',
      {
        nodeSelector: { [arch]: 'x' },
        topologySpreadConstraints: [{ maxSkew: 1, topologyKey: arch, whenUnsatisfiable: 'DoNotSchedule' }],
      },
      [
        `spec.template.spec.nodeSelector[${arch}]: deprecated since v1.14; use "${naming.key('arch')}" instead`,
        `spec.template.spec.topologySpreadConstraints[0].topologyKey: ${arch} is deprecated since v1.14; use "${naming.key('arch')}" instead`,
      ],
    ],
    [
      'name deprecated volumes',
      { volumes: [{ name: 'v', gitRepo: { repository: 'r' } }] },
      ['spec.template.spec.volumes[0].gitRepo: deprecated in v1.11'],
    ],
    [
      'name duplicate volumes',
      { volumes: [{ name: 'v' }, { name: 'v' }] },
      ['spec.template.spec.volumes[1].name: duplicate name "v"'],
    ],
    [
      'name duplicate and empty pull secrets',
      { imagePullSecrets: [{ name: '' }, { name: 'a' }, { name: 'a' }, {}] },
      [
        'spec.template.spec.imagePullSecrets[2].name: duplicate name "a"',
        'spec.template.spec.imagePullSecrets[3].name: duplicate name ""',
        'spec.template.spec.imagePullSecrets[0].name: invalid empty name ""',
        'spec.template.spec.imagePullSecrets[3].name: invalid empty name ""',
      ],
    ],
    [
      'name duplicate variables and fractions of bytes',
      { containers: [{ name: 'c', env: [{ name: 'A' }, { name: 'A' }], resources: { limits: { memory: '1m' } } }] },
      [
        'spec.template.spec.containers[0].resources.limits[memory]: fractional byte value "1m" is invalid, must be an integer',
        'spec.template.spec.containers[0].env[1].name: duplicate name "A"',
      ],
    ],
  ];
  for (const [title, spec, warnings] of cases) {
    it(title, () => {
      const template: PodTemplateSpec = { spec: { containers: [{ name: 'c' }], ...spec } };
      assert.deepEqual(podTemplateWarnings(template, TEMPLATE, context), warnings);
    });
  }
});
