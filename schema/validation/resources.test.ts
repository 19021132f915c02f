import assert from 'node:assert/strict';
import { FieldPath } from '#base/errors/field-error.ts';
import { resourceNames } from './resource-names.ts';
import { type ResourceRequirements, validateResourceRequirements } from './resources.ts';

const names = resourceNames({ domains: ['product.test'] });

const STANDARD = 'must be a standard resource type or fully qualified';
const CONTAINER = 'must be a standard resource for containers';

/** The case, limits and requests, and the errors. */
const ROWS: [what: string, requirements: ResourceRequirements | undefined, errors: string[]][] = [
  ['none', undefined, []],
  ['requests within limits', { limits: { cpu: '1' }, requests: { cpu: '500m', memory: '1Gi' } }, []],
  [
    'requests above limits',
    { limits: { cpu: '1' }, requests: { cpu: '1500m' } },
    ['r.requests: Invalid value: "1500m": must be less than or equal to cpu limit'],
  ],
  [
    'a negative amount',
    { limits: { cpu: '-1' } },
    ['r.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
  ],
  [
    'an unknown resource',
    { limits: { foo: '1' } },
    [`r.limits[foo]: Invalid value: "foo": ${STANDARD}`, `r.limits[foo]: Invalid value: "foo": ${CONTAINER}`],
  ],
  [
    'a resource name of quotas',
    { limits: { 'requests.cpu': '1' } },
    [`r.limits[requests.cpu]: Invalid value: "requests.cpu": ${CONTAINER}`],
  ],
  ['extended resources', { limits: { 'example.com/gpu': '1' }, requests: { 'example.com/gpu': '1' } }, []],
  [
    'extended resources with a request that differs from the limit',
    { limits: { 'example.com/gpu': '2' }, requests: { 'example.com/gpu': '1' } },
    ['r.requests: Invalid value: "1": must be equal to example.com/gpu limit'],
  ],
  [
    'extended resources without a limit',
    { requests: { 'example.com/gpu': '1' } },
    ['r.limits: Required value: Limit must be set for non overcommitable resources'],
  ],
  [
    'a fraction of an extended resource',
    { limits: { 'example.com/gpu': '1500m' } },
    ['r.limits[example.com/gpu]: Invalid value: "1500m": must be an integer'],
  ],
  ['a resource name with the domain of the product', { limits: { 'product.test/x': '1500m' } }, []],
  [
    'an extended resource with the prefix requests.',
    { limits: { 'requests.example.com/x': '1' } },
    [
      'r.limits[requests.example.com/x]: Invalid value: "requests.example.com/x": doesn\'t follow extended resource name standard',
    ],
  ],
  ['huge pages', { limits: { 'hugepages-2Mi': '4Mi', memory: '1Gi' }, requests: { 'hugepages-2Mi': '4Mi' } }, []],
  [
    'huge pages without other resources',
    { limits: { 'hugepages-2Mi': '4Mi' } },
    ['r: Forbidden: HugePages require cpu or memory'],
  ],
  [
    'a fraction of a huge page',
    { limits: { 'hugepages-2Mi': '3Mi', cpu: '1' } },
    ['r.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi'],
  ],
];

describe('resource requirements', () => {
  for (const [what, requirements, errors] of ROWS) {
    it(what, () => {
      const found = validateResourceRequirements(requirements, names, new FieldPath('r'));
      assert.deepEqual(
        found.map(({ text }) => text),
        errors,
      );
    });
  }
});

describe('resource names', () => {
  it('are checked for quotas', () => {
    const path = new FieldPath('hard');
    for (const name of ['cpu', 'limits.memory', 'pods', 'requests.storage', 'requests.hugepages-2Mi', 'count/x.apps']) {
      assert.deepEqual(names.validateForQuota(name, path), [], name);
    }
    assert.equal(names.validateForQuota('storage', path).length, 1);
    assert.equal(names.validateForQuota('limits.storage', path).length, 2);
    assert.equal(names.validateForQuota('Bad Key', path).length, 2);
  });
});
