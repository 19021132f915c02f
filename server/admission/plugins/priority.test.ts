import assert from 'node:assert/strict';
import { podWith, trying } from '../testing/try-plugin.ts';
import { priority } from './priority.ts';

const priorityClass = (name: string, value: number, more: object = {}) => ({
  metadata: { name },
  value,
  preemptionPolicy: 'PreemptLowerPriority',
  ...more,
});
const high = priorityClass('high', 7, { preemptionPolicy: 'Never' });
const usual = priorityClass('usual', 3, { globalDefault: true });
const with_ = (...classes: object[]) => trying(priority, { objects: { 'scheduling/priorityclasses': classes } });

const cases: readonly [string, object[], object, object | string][] = [
  ['no class, without a default class', [high], {}, { priority: 0, preemptionPolicy: 'PreemptLowerPriority' }],
  [
    'no class',
    [high, usual],
    {},
    { priorityClassName: 'usual', priority: 3, preemptionPolicy: 'PreemptLowerPriority' },
  ],
  [
    'a class',
    [high],
    { priorityClassName: 'high' },
    { priorityClassName: 'high', priority: 7, preemptionPolicy: 'Never' },
  ],
  ['a class that is missing', [], { priorityClassName: 'high' }, 'no PriorityClass with name high was found'],
  [
    'the priority of their class',
    [high],
    { priorityClassName: 'high', priority: 7 },
    { priorityClassName: 'high', priority: 7, preemptionPolicy: 'Never' },
  ],
  [
    'a priority that differs from their class',
    [],
    { priority: 5 },
    'the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
  ],
  [
    'a preemption policy that differs from their class',
    [high],
    { priorityClassName: 'high', preemptionPolicy: 'PreemptLowerPriority' },
    'the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name',
  ],
];

describe('Priority', () => {
  for (const [what, classes, spec, expected] of cases) {
    it(`for pods with ${what}`, async () => {
      const { refused, object } = await with_(...classes)({ object: podWith(spec) });
      if (typeof expected === 'string') assert.equal(refused, expected);
      else {
        const { containers: _containers, ...rest } = object.spec;
        assert.deepEqual(rest, expected);
      }
    });
  }

  it('restores priority and preemption policy if an update leaves them out', async () => {
    const oldObject = podWith({ priority: 4, preemptionPolicy: 'Never' });
    const { object } = await with_()({ operation: 'UPDATE', object: podWith(), oldObject });
    assert.deepEqual([object.spec.priority, object.spec.preemptionPolicy], [4, 'Never']);
  });

  it('allows only one default class', async () => {
    const attempt = with_(usual);
    const about = { group: 'scheduling', resource: 'priorityclasses', namespace: '' } as const;
    const second = priorityClass('second', 1, { globalDefault: true });
    const message = 'PriorityClass usual is already marked as default. Only one default can exist';
    assert.equal((await attempt({ ...about, object: second })).refused, message);
    assert.equal(
      (await attempt({ ...about, operation: 'UPDATE', object: second, oldObject: second })).refused,
      message,
    );
    assert.equal((await attempt({ ...about, operation: 'UPDATE', object: usual, oldObject: usual })).refused, '');
  });
});
