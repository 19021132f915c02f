import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import type { Naming } from '#base/naming/naming.ts';
import { validObjects } from '#server/kinds/testing/valid-objects.ts';
import { loadSchema } from '../descriptors/load.ts';
import type { ApiObject } from '../objects/api-object.ts';
import { Conversions, type KindVersion } from './conversions.ts';

/** Whether an object is the same after it has been in another version. */
function assertSameBack(conversions: Conversions, object: object, from: KindVersion, through: KindVersion): void {
  const whole = conversions.convert(object as ApiObject, from, from);
  const back = conversions.convert(conversions.convert(whole, from, through), through, from);
  assert.deepEqual(back, whole, `${from.apiVersion} ${from.kind} through ${through.apiVersion}`);
}

function found(conversions: Conversions, apiVersion: string, kind: string): KindVersion {
  const version = conversions.find(apiVersion, kind);
  assert.ok(version !== undefined, `${apiVersion} ${kind}`);
  return version;
}

/** An object of every kind that has several versions, in each of them. */
function samples(naming: Naming): { apiVersion: string; kind: string; object: object }[] {
  return loadSchema(naming).groupVersions.flatMap(({ group, version, resources }) =>
    resources
      .filter(({ storage, message }) => storage !== undefined && validObjects[message.name] !== undefined)
      .map(({ kind, message }) => {
        const apiVersion = naming.apiVersion(group, version);
        // Some earlier versions add labels to an object that has no labels.
        const metadata = { name: 'a', labels: { own: 'label' } };
        return { apiVersion, kind, object: { metadata, ...validObjects[message.name] } };
      }),
  );
}

const count = fc.integer({ min: 1, max: 100_000 });
const name = fc.stringMatching(/^[a-z]{1,8}$/);
const amount = count.map((number) => `${number}m`).map((text) => (text.endsWith('000m') ? text.slice(0, -4) : text));
const texts = fc.dictionary(name, fc.string({ maxLength: 20 }), { maxKeys: 3 });
const selector = fc.option(fc.record({ matchLabels: fc.dictionary(name, name, { minKeys: 1 }) }), { nil: undefined });

const target = fc.oneof(
  fc.record({ type: fc.constant('AverageValue'), averageValue: amount }),
  fc.record({ type: fc.constant('Value'), value: amount }),
);
const metric = fc.record({ name }, { noNullPrototype: true });
const otherMetric = fc.oneof(
  fc.record({
    type: fc.constant('Resource'),
    resource: fc.record({
      name: fc.constant('memory'),
      target: fc.record({ type: fc.constant('Utilization'), averageUtilization: count }),
    }),
  }),
  fc.record({
    type: fc.constant('Pods'),
    pods: fc.record({ metric, target: fc.record({ type: fc.constant('AverageValue'), averageValue: amount }) }),
  }),
  fc.record({ type: fc.constant('External'), external: fc.record({ metric, target }) }),
);
const cpu = count.map((averageUtilization) => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
}));
const policies = fc.array(fc.record({ type: fc.constantFrom('Pods', 'Percent'), value: count, periodSeconds: count }), {
  minLength: 1,
  maxLength: 3,
});
const rules = fc.record({
  stabilizationWindowSeconds: count,
  selectPolicy: fc.constantFrom('Max', 'Min', 'Disabled'),
  policies,
});

/** The CPU metric is last. The oldest version has a field for it, but does not keep its position. */
const autoscaler = fc
  .record({
    annotations: texts,
    minReplicas: count,
    maxReplicas: count,
    others: fc.array(otherMetric, { maxLength: 4 }),
    cpu,
    behavior: fc.option(fc.record({ scaleUp: rules, scaleDown: rules }), { nil: undefined }),
  })
  .map(({ annotations, minReplicas, maxReplicas, others, cpu: last, behavior }) => ({
    metadata: { name: 'a', annotations },
    spec: {
      scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
      ...{ minReplicas, maxReplicas, metrics: [...others, last] },
      ...(behavior === undefined ? {} : { behavior }),
    },
  }));

const time = fc.integer({ min: 0, max: 2_000_000_000 }).map((seconds) => new Date(seconds * 1000).toISOString());
const event = fc.record({
  metadata: fc.record({ name, namespace: name, labels: texts }),
  involvedObject: fc.record({ kind: name, name, namespace: name }),
  related: fc.option(fc.record({ kind: name, name }), { nil: undefined }),
  reason: name,
  message: fc.string({ maxLength: 30 }),
  source: fc.record({ component: name, host: name }),
  type: fc.constantFrom('Normal', 'Warning'),
  count,
  firstTimestamp: time.map((text) => text.replace('.000', '')),
  lastTimestamp: time.map((text) => text.replace('.000', '')),
  eventTime: fc.option(
    time.map((text) => text.replace('.000Z', '.000000Z')),
    { nil: null },
  ),
  action: name,
  reportingComponent: name,
  reportingInstance: name,
});

const capacity = fc.record({
  metadata: fc.record({ name, namespace: name }),
  storageClassName: name,
  capacity: amount,
  nodeTopology: selector,
});

for (const profile of namingProfiles)
  describe(`conversions with the naming ${profile}`, () => {
    const naming = createNaming(profile);
    const conversions = new Conversions(naming);

    it('lose nothing when an object of any kind converts to another version and back', () => {
      let pairs = 0;
      for (const { apiVersion, kind, object } of samples(naming)) {
        const from = found(conversions, apiVersion, kind);
        for (const through of conversions.versionsOf(from)) {
          assertSameBack(conversions, object, from, through);
          if (through.apiVersion !== apiVersion) pairs++;
        }
      }
      // Three versions of autoscalers, two of events, two of storage capacities, and two of each kind of flow control.
      assert.ok(pairs >= 6 + 4 * 2, String(pairs));
    });

    const generated = [
      ['autoscaling/v2', 'HorizontalPodAutoscaler', autoscaler],
      ['v1', 'Event', event],
      [naming.apiVersion('storage', 'v1'), 'CSIStorageCapacity', capacity],
    ] as const;
    for (const [apiVersion, kind, objects] of generated)
      it(`lose nothing of a random ${kind}`, () => {
        const from = found(conversions, apiVersion, kind);
        const others = conversions.versionsOf(from);
        assert.ok(others.length > 1);
        fc.assert(
          fc.property(objects as fc.Arbitrary<object>, fc.constantFrom(...others), (object, through) =>
            assertSameBack(conversions, JSON.parse(JSON.stringify(object)), from, through),
          ),
          { interruptAfterTimeLimit: 5000 },
        );
      });

    it('do not find unknown kinds and versions', () => {
      const wrong = [
        ['v7', 'Pod'],
        ['v1', 'Podd'],
        ['apps/v1', 'Pod'],
        ['example.com/v1', 'Crate'],
        ['', ''],
      ];
      for (const [apiVersion, kind] of wrong) assert.equal(conversions.find(apiVersion!, kind!), undefined);
    });
  });
