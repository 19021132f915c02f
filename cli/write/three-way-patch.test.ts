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

describe('patches of three', () => {
  const cases: readonly [
    what: string,
    original: JsonObject,
    modified: JsonObject,
    current: JsonObject,
    patch: JsonObject,
  ][] = [
    ['nothing to do', { a: 1 }, { a: 1 }, { a: 1, b: 2 }, {}],
    ['a changed field', { a: 1 }, { a: 2 }, { a: 1 }, { a: 2 }],
    ['a field that another user changed', { a: 1 }, { a: 1 }, { a: 3 }, { a: 1 }],
    ['a field that the file dropped', { a: 1, b: 1 }, { a: 1 }, { a: 1, b: 1 }, { b: null }],
    ['one that is gone already', { a: 1, b: 1 }, { a: 1 }, { a: 1 }, {}],
    ['what others added stays', {}, { m: { x: 1 } }, { m: { x: 1, y: 2 } }, {}],
    ['inner fields', { m: { x: 1, z: 1 } }, { m: { x: 2 } }, { m: { x: 1, y: 2, z: 1 } }, { m: { x: 2, z: null } }],
    ['an explicit null', {}, { a: null, m: { x: null } }, { a: 1, m: { x: 1 } }, { a: null, m: { x: null } }],
    ['an explicit null of what others set again', { a: null }, { a: null }, { a: 1 }, { a: null }],
    ['an explicit null of what is not there', {}, { a: null, m: { x: null } }, { m: {} }, {}],
    ['lists without keys are replaced', {}, { l: [1, 2] }, { l: [1] }, { l: [1, 2] }],
  ];
  for (const [what, original, modified, current, patch] of cases)
    it(what, () => assert.deepEqual(threeWayPatch(original, modified, current), patch));

  it('lists with keys are patched item by item', () => {
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
    ['an order', pod, containers('a', 'b'), containers('b', 'a'), containers('a', 'b'), spec(order('b', 'a'))],
    [
      'an order that others have changed',
      pod,
      containers('a', 'b'),
      containers('a', 'b'),
      containers('b', 'a'),
      spec(order('a', 'b')),
    ],
    [
      'an order beside what others have added',
      pod,
      containers('a', 'b'),
      containers('a', 'b'),
      containers('x', 'a', 'y', 'b'),
      {},
    ],
    [
      'an order of plain values',
      pod,
      finalizers('a', 'b'),
      finalizers('b', 'a'),
      finalizers('a', 'b'),
      { metadata: { '$setElementOrder/finalizers': ['b', 'a'] } },
    ],
    ['plain values beside those of others', pod, finalizers('a'), finalizers('a'), finalizers('x', 'a'), {}],
    [
      'a union of which another member is named',
      deployment,
      strategy({ type: 'RollingUpdate' }),
      strategy({ type: 'Recreate' }),
      strategy({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } }),
      strategy({ $retainKeys: ['type'], type: 'Recreate' }),
    ],
    [
      'a union that stays',
      deployment,
      strategy({ type: 'Recreate' }),
      strategy({ type: 'Recreate' }),
      strategy({ type: 'Recreate' }),
      {},
    ],
    [
      'a union with a member that is null',
      deployment,
      {},
      strategy({ type: 'Recreate', rollingUpdate: null }),
      strategy({ type: 'RollingUpdate', rollingUpdate: {} }),
      strategy({ $retainKeys: ['type'], rollingUpdate: null, type: 'Recreate' }),
    ],
    [
      'a union in a list',
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
      'a union in a list that a server has completed',
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
      'an object that is replaced',
      budget,
      {},
      spec({ selector: { matchLabels: { a: '1' } } }),
      spec({ selector: { matchLabels: { a: '1', x: 'y' } } }),
      spec({ selector: { matchLabels: { a: '1' } } }),
    ],
    [
      'an object that would be replaced by itself',
      budget,
      {},
      spec({ selector: { matchLabels: { a: '1', b: null } } }),
      spec({ selector: { matchLabels: { a: '1' } } }),
      {},
    ],
    [
      'a null in a map that is new',
      pod,
      {},
      spec({ nodeSelector: { a: '1', b: null } }),
      spec({}),
      spec({ nodeSelector: { a: '1' } }),
    ],
    [
      'a null in an item',
      pod,
      {},
      spec({ containers: [{ name: 'a', tty: null }] }),
      spec({ containers: [{ name: 'a', tty: true }] }),
      spec({ ...order('a'), containers: [{ name: 'a', tty: null }] }),
    ],
    [
      'a null in an item that is new',
      pod,
      {},
      spec({ containers: [{ name: 'a', tty: null }] }),
      spec({ containers: [{ name: 'b' }] }),
      spec({ ...order('a'), containers: [{ name: 'a' }] }),
    ],
    ['repeated keys: nothing to do', service, ports(udp, tcp), ports(udp, tcp), ports(...live), {}],
    [
      'repeated keys: another target',
      service,
      ports(udp, tcp),
      ports(udp, { ...tcp, targetPort: 5 }),
      ports(...live),
      ports(live[0]!, { ...live[1], targetPort: 5 }, { $patch: 'replace' }),
    ],
    [
      'repeated keys: one is dropped',
      service,
      ports(udp, tcp),
      ports(tcp),
      ports(...live),
      ports(live[1]!, { $patch: 'replace' }),
    ],
    [
      'repeated keys: another order beside the port of others',
      service,
      ports(udp, tcp),
      ports(tcp, udp),
      ports(...live, { port: 9 }),
      ports(live[1]!, live[0]!, { port: 9 }, { $patch: 'replace' }),
    ],
    [
      'repeated keys: a name is doubled',
      pod,
      env('A1'),
      env('A1', 'A2'),
      env('A1'),
      spec({ ...order('a'), containers: [{ env: [...envOf('A1', 'A2'), { $patch: 'replace' }], name: 'a' }] }),
    ],
    [
      'repeated keys: a doubled name is one again',
      pod,
      env('A1', 'A2'),
      env('A2'),
      env('A1', 'A2'),
      spec({ ...order('a'), containers: [{ env: [...envOf('A2'), { $patch: 'replace' }], name: 'a' }] }),
    ],
    [
      'repeated keys: others have doubled a name',
      pod,
      env('A1'),
      env('A2'),
      env('A1', 'A9', 'X1'),
      spec({ ...order('a'), containers: [{ env: [...envOf('A2', 'A9', 'X1'), { $patch: 'replace' }], name: 'a' }] }),
    ],
  ];
  for (const [what, message, original, modified, current, patch] of merging)
    it(`by their schema: ${what}`, () => {
      assert.deepEqual(threeWayPatch(original, modified, current, shapeOf(message)), patch);
      const after = applyPatch('strategic', message, current, patch);
      assert.deepEqual(threeWayPatch(modified, modified, after, shapeOf(message)), {}, 'a second time');
    });

  it('name the version that a list is replaced of', () => {
    const metadata = { resourceVersion: '7' };
    const patch = (original: JsonObject, modified: JsonObject, current: JsonObject) =>
      threeWayPatch(original, modified, { metadata, ...current }, shapeOf(service));
    assert.deepEqual(patch(ports(udp, tcp), ports(udp), ports(...live))['metadata'], metadata);
    assert.equal(patch(ports(udp), ports(udp, { port: 9 }), ports(live[0]!))['metadata'], undefined);
  });

  it('bring every object to what the file says, and once only', () => {
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
