import assert from 'node:assert/strict';
import { podWith, trying } from '../testing/try-plugin.ts';
import { runtimeClass } from './runtime-class.ts';

const classes = [
  { metadata: { name: 'vm' }, handler: 'h', overhead: { podFixed: { cpu: '250m' } } },
  { metadata: { name: 'plain' }, handler: 'h' },
  {
    metadata: { name: 'far' },
    handler: 'h',
    scheduling: { nodeSelector: { zone: 'a' }, tolerations: [{ key: 'far', operator: 'Exists' }] },
  },
];
const attempt = trying(runtimeClass, { objects: { 'node/runtimeclasses': classes } });

const cases: readonly [string, object, object | string][] = [
  ['without a class', {}, {}],
  ['with overhead', { runtimeClassName: 'vm' }, { overhead: { cpu: '250m' } }],
  ['with the same overhead', { runtimeClassName: 'vm', overhead: { cpu: '0.25' } }, { overhead: { cpu: '250m' } }],
  [
    'with another overhead',
    { runtimeClassName: 'vm', overhead: { cpu: '1' } },
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
  ],
  [
    'with an overhead but a class without one',
    { runtimeClassName: 'plain', overhead: { cpu: '1' } },
    'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
  ],
  ['of an unknown class', { runtimeClassName: 'ghost' }, 'pod rejected: RuntimeClass "ghost" not found'],
  [
    'of a class with a node selector',
    { runtimeClassName: 'far' },
    { nodeSelector: { zone: 'a' }, tolerations: [{ key: 'far', operator: 'Exists' }] },
  ],
  [
    'with a node selector that conflicts with the class',
    { runtimeClassName: 'far', nodeSelector: { zone: 'b' } },
    'conflict: runtimeClass.scheduling.nodeSelector[zone] = a; pod.spec.nodeSelector[zone] = b',
  ],
];

describe('RuntimeClass', () => {
  for (const [what, spec, expected] of cases) {
    it(`pods ${what}`, async () => {
      const { refused, object } = await attempt({ object: podWith(spec) });
      if (typeof expected === 'string') assert.equal(refused, expected);
      else {
        const { containers: _containers, runtimeClassName: _name, ...rest } = object.spec;
        assert.deepEqual(rest, expected);
      }
    });
  }
});
