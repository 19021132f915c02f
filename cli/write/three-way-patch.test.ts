import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { JsonObject } from '#base/json/json-value.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { MessageType } from '#schema/descriptors/types.ts';
import { applyPatch } from '#schema/patch/apply-patch.ts';
import { shapeOf } from '#schema/patch/merge-shape.ts';
import { threeWayPatch } from './three-way-patch.ts';

const pod = loadSchema().message('core.v1.Pod');

const envOf = (...pairs: string[]) => pairs.map((pair) => ({ name: pair.charAt(0), value: pair.slice(1) }));

describe('threeWayPatch', () => {
  const cases: readonly [
    what: string,
    original: JsonObject,
    modified: JsonObject,
    current: JsonObject,
    patch: JsonObject,
  ][] = [
    ['no change', { a: 1 }, { a: 1 }, { a: 1, b: 2 }, {}],
    ['a changed field', { a: 1 }, { a: 2 }, { a: 1 }, { a: 2 }],
    ['a field that another user changed', { a: 1 }, { a: 1 }, { a: 3 }, { a: 1 }],
    ['a field that the file dropped', { a: 1, b: 1 }, { a: 1 }, { a: 1, b: 1 }, { b: null }],
    ['a field that the file dropped and that is gone already', { a: 1, b: 1 }, { a: 1 }, { a: 1 }, {}],
    ['a field that other clients added stays', {}, { m: { x: 1 } }, { m: { x: 1, y: 2 } }, {}],
    ['nested fields', { m: { x: 1, z: 1 } }, { m: { x: 2 } }, { m: { x: 1, y: 2, z: 1 } }, { m: { x: 2, z: null } }],
    ['an explicit null', {}, { a: null, m: { x: null } }, { a: 1, m: { x: 1 } }, { a: null, m: { x: null } }],
    ['an explicit null for a field that other clients set again', { a: null }, { a: null }, { a: 1 }, { a: null }],
    ['an explicit null for a missing field', {}, { a: null, m: { x: null } }, { m: {} }, {}],
    ['lists without keys are replaced', {}, { l: [1, 2] }, { l: [1] }, { l: [1, 2] }],
  ];
  for (const [what, original, modified, current, patch] of cases)
    it(what, () => assert.deepEqual(threeWayPatch(original, modified, current), patch));

  it('patches lists with keys item by item', () => {
    const of = (...containers: JsonObject[]): JsonObject => ({ spec: { containers } });
    const patch = threeWayPatch(
      of({ name: 'a', image: '1' }, { name: 'b', image: '1' }),
      of({ name: 'a', image: '2' }),
      of({ name: 'a', image: '1', tty: true }, { name: 'b', image: '1' }, { name: 'injected', image: 'x' }),
      shapeOf(pod),
    );
    assert.deepEqual(patch, {
      spec: {
        containers: [
          { image: '2', name: 'a' },
          { $patch: 'delete', name: 'b' },
        ],
        '$setElementOrder/containers': [{ name: 'a' }],
      },
    });
  });

  const service = loadSchema().message('core.v1.Service');
  const deployment = loadSchema().message('apps.v1.Deployment');
  const budget = loadSchema().message('policy.v1.PodDisruptionBudget');
  const spec = (spec: JsonObject): JsonObject => ({ spec });
  const containers = (...names: string[]) => spec({ containers: names.map((name) => ({ name })) });
  const env = (...pairs: string[]) =>
    spec({
      containers: [{ name: 'a', env: envOf(...pairs) }],
    });
  const finalizers = (...names: string[]): JsonObject => ({ metadata: { finalizers: names } });
  const strategy = (strategy: JsonObject) => spec({ strategy });
  const volumes = (...volumes: JsonObject[]) => spec({ volumes });
  const empty = { name: 'v', emptyDir: {} };
  const ofMap = { name: 'v', configMap: { name: 'c' } };
  const ports = (...ports: JsonObject[]) => spec({ ports });
  const [udp, tcp] = [{ port: 53, protocol: 'UDP' }, { port: 53 }];
  const live = [
    { ...udp, nodePort: 1 },
    { ...tcp, protocol: 'TCP', nodePort: 2 },
  ];
  const order = (...names: string[]) => ({ '$setElementOrder/containers': names.map((name) => ({ name })) });
  const merging: readonly (readonly [
    what: string,
    message: MessageType,
    original: JsonObject,
    modified: JsonObject,
    current: JsonObject,
    patch: JsonObject,
  ])[] = [
    [
      'the order of items',
      pod,
      containers('a', 'b'),
      containers('b', 'a'),
      containers('a', 'b'),
      spec(order('b', 'a')),
    ],
    [
      'an order that other clients have changed',
      pod,
      containers('a', 'b'),
      containers('a', 'b'),
      containers('b', 'a'),
      spec(order('a', 'b')),
    ],
    [
      'an order with items that other clients have added',
      pod,
      containers('a', 'b'),
      containers('a', 'b'),
      containers('x', 'a', 'y', 'b'),
      {},
    ],
    [
      'the order of primitive values',
      pod,
      finalizers('a', 'b'),
      finalizers('b', 'a'),
      finalizers('a', 'b'),
      { metadata: { '$setElementOrder/finalizers': ['b', 'a'] } },
    ],
    ['primitive values with values of other clients', pod, finalizers('a'), finalizers('a'), finalizers('x', 'a'), {}],
    [
      'a union whose member changes',
      deployment,
      strategy({ type: 'RollingUpdate' }),
      strategy({ type: 'Recreate' }),
      strategy({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } }),
      strategy({ $retainKeys: ['type'], type: 'Recreate' }),
    ],
    [
      'a union that does not change',
      deployment,
      strategy({ type: 'Recreate' }),
      strategy({ type: 'Recreate' }),
      strategy({ type: 'Recreate' }),
      {},
    ],
    [
      'a union with a null member',
      deployment,
      {},
      strategy({ type: 'Recreate', rollingUpdate: null }),
      strategy({ type: 'RollingUpdate', rollingUpdate: {} }),
      strategy({ $retainKeys: ['type'], rollingUpdate: null, type: 'Recreate' }),
    ],
    [
      'a union in a list item',
      pod,
      volumes(empty),
      volumes(ofMap),
      volumes(empty),
      spec({
        '$setElementOrder/volumes': [{ name: 'v' }],
        volumes: [{ $retainKeys: ['configMap', 'name'], configMap: { name: 'c' }, emptyDir: null, name: 'v' }],
      }),
    ],
    [
      'a union in a list item with a default of the server',
      pod,
      volumes({ name: 'v' }),
      volumes(ofMap),
      volumes(empty),
      spec({
        '$setElementOrder/volumes': [{ name: 'v' }],
        volumes: [{ $retainKeys: ['configMap', 'name'], configMap: { name: 'c' }, name: 'v' }],
      }),
    ],
    [
      'an object that is replaced as a whole',
      budget,
      {},
      spec({ selector: { matchLabels: { a: '1' } } }),
      spec({ selector: { matchLabels: { a: '1', x: 'y' } } }),
      spec({ selector: { matchLabels: { a: '1' } } }),
    ],
    [
      'an object that would be replaced by the same object',
      budget,
      {},
      spec({ selector: { matchLabels: { a: '1', b: null } } }),
      spec({ selector: { matchLabels: { a: '1' } } }),
      {},
    ],
    [
      'a null in a new map',
      pod,
      {},
      spec({ nodeSelector: { a: '1', b: null } }),
      spec({}),
      spec({ nodeSelector: { a: '1' } }),
    ],
    [
      'a null in a list item',
      pod,
      {},
      spec({ containers: [{ name: 'a', tty: null }] }),
      spec({ containers: [{ name: 'a', tty: true }] }),
      spec({ ...order('a'), containers: [{ name: 'a', tty: null }] }),
    ],
    [
      'a null in a new list item',
      pod,
      {},
      spec({ containers: [{ name: 'a', tty: null }] }),
      spec({ containers: [{ name: 'b' }] }),
      spec({ ...order('a'), containers: [{ name: 'a' }] }),
    ],
    ['duplicate keys: no change', service, ports(udp, tcp), ports(udp, tcp), ports(...live), {}],
    [
      'duplicate keys: a changed target',
      service,
      ports(udp, tcp),
      ports(udp, { ...tcp, targetPort: 5 }),
      ports(...live),
      ports(live[0]!, { ...live[1], targetPort: 5 }, { $patch: 'replace' }),
    ],
    [
      'duplicate keys: an item is removed',
      service,
      ports(udp, tcp),
      ports(tcp),
      ports(...live),
      ports(live[1]!, { $patch: 'replace' }),
    ],
    [
      'duplicate keys: another order, with an item of another client',
      service,
      ports(udp, tcp),
      ports(tcp, udp),
      ports(...live, { port: 9 }),
      ports(live[1]!, live[0]!, { port: 9 }, { $patch: 'replace' }),
    ],
    [
      'duplicate keys: an item gets the name of another item',
      pod,
      env('A1'),
      env('A1', 'A2'),
      env('A1'),
      spec({ ...order('a'), containers: [{ env: [...envOf('A1', 'A2'), { $patch: 'replace' }], name: 'a' }] }),
    ],
    [
      'duplicate keys: one of two items is removed',
      pod,
      env('A1', 'A2'),
      env('A2'),
      env('A1', 'A2'),
      spec({ ...order('a'), containers: [{ env: [...envOf('A2'), { $patch: 'replace' }], name: 'a' }] }),
    ],
    [
      'duplicate keys: another client has added an item with the same name',
      pod,
      env('A1'),
      env('A2'),
      env('A1', 'A9', 'X1'),
      spec({ ...order('a'), containers: [{ env: [...envOf('A2', 'A9', 'X1'), { $patch: 'replace' }], name: 'a' }] }),
    ],
  ];
  for (const [what, message, original, modified, current, patch] of merging)
    it(`with the schema: ${what}`, () => {
      assert.deepEqual(threeWayPatch(original, modified, current, shapeOf(message)), patch);
      const after = applyPatch('strategic', message, current, patch);
      assert.deepEqual(threeWayPatch(modified, modified, after, shapeOf(message)), {}, 'a second time');
    });

  it('includes the resource version if it replaces a list', () => {
    const metadata = { resourceVersion: '7' };
    const patch = (original: JsonObject, modified: JsonObject, current: JsonObject) =>
      threeWayPatch(original, modified, { metadata, ...current }, shapeOf(service));
    assert.deepEqual(patch(ports(udp, tcp), ports(udp), ports(...live))['metadata'], metadata);
    assert.equal(patch(ports(udp), ports(udp, { port: 9 }), ports(live[0]!))['metadata'], undefined);
  });

  it('makes any object match the file, and a second patch is empty', () => {
    const variable = fc.record({ name: fc.constantFrom('A', 'B', 'C'), value: fc.constantFrom('1', '2') });
    const container = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      image: fc.option(fc.constantFrom('1', '2')),
      env: fc.array(variable, { maxLength: 4 }),
    });
    const volume = fc.record(
      { emptyDir: fc.constant({}), configMap: fc.record({ name: fc.constantFrom('1', '2') }) },
      { requiredKeys: [] },
    );
    const volumes = fc.dictionary(fc.constantFrom('v', 'w'), volume);
    const listed = volumes.map((all) => Object.entries(all).map(([name, source]) => ({ name, ...source })));
    const object = fc.record({
      metadata: fc.record(
        {
          labels: fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.option(fc.constantFrom('1', '2'))),
          finalizers: fc.uniqueArray(fc.constantFrom('f/1', 'f/2')),
        },
        { requiredKeys: ['labels'] },
      ),
      spec: fc.record({
        containers: fc.uniqueArray(container, { selector: ({ name }) => name, minLength: 1 }),
        volumes: listed,
      }),
    });
    fc.assert(
      fc.property(object, object, object, (original, modified, current) => {
        const shape = shapeOf(pod);
        const of = (value: object) => JSON.parse(JSON.stringify(value)) as JsonObject;
        const patch = threeWayPatch(of(original), of(modified), of(current), shape);
        const after = applyPatch('strategic', pod, of(current), patch);
        assert.deepEqual(threeWayPatch(of(modified), of(modified), after, shape), {});
        const names = (value: JsonObject) => (value as { spec: { containers: { name: string }[] } }).spec.containers;
        const wanted = modified.spec.containers.map(({ name }) => name);
        const shown = names(after).map(({ name }) => name);
        assert.deepEqual(
          shown.filter((name) => wanted.includes(name as never)),
          wanted,
        );
      }),
      { numRuns: 300 },
    );
  });
});
