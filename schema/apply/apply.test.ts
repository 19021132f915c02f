import assert from 'node:assert/strict';
import { StatusError } from '#base/errors/status-error.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { Stored } from './testing/stored-object.ts';

const configMap = (): Stored => new Stored('v1', 'core.v1.ConfigMap');

function refusal(call: () => unknown): { code: number; message: string; causes: string[] } {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof StatusError);
    const causes = (error.status.details?.causes ?? []).map(
      (cause) => `${cause.field}: ${cause.message} (${cause.reason})`,
    );
    return { code: error.code, message: error.message, causes };
  }
  throw new Error('was not refused');
}

describe('server-side apply', () => {
  it('creates and changes fields, and removes fields that are no longer applied', () => {
    const object = configMap();
    assert.equal(object.apply('m', { data: { x: '1', y: '1' } }), true);
    assert.deepEqual(object.managers, ['m Apply @0 {f:data:{f:x:,f:y:}}']);
    object.seconds = 5;
    assert.equal(object.apply('m', { data: { x: '1', y: '1' } }), false);
    assert.deepEqual(object.managers, ['m Apply @0 {f:data:{f:x:,f:y:}}']);
    assert.equal(object.apply('m', { data: { y: '2' } }), true);
    assert.deepEqual(object.object?.data, { y: '2' });
    assert.deepEqual(object.managers, ['m Apply @5 {f:data:{f:y:}}']);
    object.apply('m', {});
    assert.equal(object.object?.data, undefined);
    assert.deepEqual(object.managers, []);
  });

  it('returns a conflict that names the current owner of each field', () => {
    const object = configMap();
    object.apply('m1', { data: { x: '1', y: '1' } });
    object.apply('m2', { data: { x: '1' } });
    object.update('u', { data: { x: '1', y: '1', z: '1' } });
    assert.deepEqual(
      refusal(() => object.apply('m3', { data: { x: '2' } })),
      {
        code: 409,
        message: 'Apply failed with 2 conflicts: conflicts with "m1":\n- .data.x\nconflicts with "m2":\n- .data.x',
        causes: [
          '.data.x: conflict with "m1" (FieldManagerConflict)',
          '.data.x: conflict with "m2" (FieldManagerConflict)',
        ],
      },
    );
    assert.deepEqual(
      refusal(() => object.apply('m3', { data: { z: '2' } })).message,
      'Apply failed with 1 conflict: conflict with "u" using v1: .data.z',
    );
  });

  it('adds a second owner if the value stays the same, and records no time', () => {
    const object = configMap();
    object.apply('m1', { data: { x: '1' } });
    assert.equal(object.apply('m2', { data: { x: '1' } }), false);
    assert.deepEqual(object.managers, ['m2 Apply @- {f:data:{f:x:}}', 'm1 Apply @0 {f:data:{f:x:}}']);
  });

  it('takes over conflicting fields with force', () => {
    const object = configMap();
    object.apply('m1', { data: { x: '1', y: '1' } });
    object.apply('m2', { data: { x: '2' } }, { force: true });
    assert.deepEqual(object.managers, ['m1 Apply @0 {f:data:{f:y:}}', 'm2 Apply @0 {f:data:{f:x:}}']);
  });

  it('keeps a field that another manager owns too', () => {
    const object = configMap();
    object.apply('m1', { data: { own: '1', shared: '1' } });
    object.apply('m2', { data: { shared: '1' } });
    object.apply('m1', { data: {} });
    assert.deepEqual(object.object?.data, { shared: '1' });
    assert.deepEqual(object.managers, ['m2 Apply @- {f:data:{f:shared:}}', 'm1 Apply @0 {f:data:}']);
  });

  it('owns list items by their keys, with the default for an absent key', () => {
    const object = new Stored('v1', 'core.v1.Service');
    object.apply('m1', { spec: { ports: [{ name: 'http', port: 80 }], selector: { app: 's' } } });
    assert.deepEqual(object.managers, [
      'm1 Apply @0 {f:spec:{f:ports:{k:{\\port\\:80,\\protocol\\:\\TCP\\}:{.:,f:name:,f:port:}},f:selector:}}',
    ]);
    assert.deepEqual(
      refusal(() => object.apply('m2', { spec: { ports: [{ port: 80, protocol: 'TCP', name: 'web' }] } })).message,
      'Apply failed with 1 conflict: conflict with "m1": .spec.ports[port=80,protocol="TCP"].name',
    );
    object.apply('m2', { spec: { ports: [{ port: 80, protocol: 'UDP' }] } });
    object.apply('m1', { spec: { selector: { app: 's' } } });
    assert.deepEqual(object.object?.spec, {
      ports: [{ port: 80, protocol: 'UDP', targetPort: 0 }],
      selector: { app: 's' },
    });
  });

  it('removes list items and their unowned fields, but keeps items that another manager owns', () => {
    const object = new Stored('apps/v1', 'apps.v1.Deployment');
    const containers = (...list: JsonObject[]): JsonObject => ({ spec: { template: { spec: { containers: list } } } });
    object.apply('m1', containers({ name: 'a', image: 'a' }, { name: 'b', image: 'b' }));
    object.apply('m2', containers({ name: 'a', args: ['x'] }));
    object.apply('m1', containers());
    const { template } = object.object!.spec as { template: { spec: { containers: unknown } } };
    assert.deepEqual(template.spec.containers, [{ name: 'a', args: ['x'], resources: {} }]);
  });

  it('on a subresource records separate owners and changes nothing outside of it', () => {
    const object = new Stored('apps/v1', 'apps.v1.Deployment');
    object.apply('m', { spec: { replicas: 1 } });
    object.apply('m', { spec: { replicas: 7 }, status: { replicas: 1 } }, { subresource: 'status' });
    assert.deepEqual(object.managers, [
      'm Apply @0 {f:spec:{f:replicas:}}',
      'm Apply/status @0 {f:status:{f:replicas:}}',
    ]);
    assert.equal(
      refusal(() => object.apply('n', { status: { replicas: 2 } }, { subresource: 'status' })).message,
      'Apply failed with 1 conflict: conflict with "m" with subresource "status": .status.replicas',
    );
    assert.equal(object.apply('m', { spec: { replicas: 1 }, status: { replicas: 9 } }), false);
  });

  it('records an owner for the fields that an object had before the first apply', () => {
    const object = configMap();
    object.update('a', { data: { x: '1' } });
    object.update('a', { metadata: { managedFields: [{}] } });
    assert.deepEqual(object.managers, []);
    object.update('a', { data: { x: '2' } });
    assert.deepEqual(object.managers, []);
    assert.equal(
      refusal(() => object.apply('m', { data: { x: '3' } })).message,
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.x',
    );
    object.apply('m', { data: { y: '1' } });
    assert.deepEqual(object.managers, [
      'm Apply @0 {f:data:{f:y:}}',
      'before-first-apply Update @0 {f:data:{.:,f:x:}}',
    ]);
  });

  const refused: [what: string, config: JsonObject, message: string][] = [
    [
      'another version',
      { apiVersion: 'v2' },
      'Incorrect version specified in apply patch. Specified patch version: v2, expected: v1',
    ],
    [
      'no version',
      { apiVersion: null },
      'Incorrect version specified in apply patch. Specified patch version: , expected: v1',
    ],
    ['managed fields', { metadata: { managedFields: [] } }, 'metadata.managedFields must be nil'],
    ['undeclared fields', { nosuch: 1 }, 'failed to create typed patch object: .nosuch: field not declared in schema'],
    [
      'values of another type',
      { data: { x: 1 } },
      'failed to create typed patch object: .data.x: expected string, got number',
    ],
    [
      'items twice',
      { metadata: { finalizers: ['a', 'a'] } },
      'failed to create typed patch object: .metadata.finalizers: duplicate entries for key [="a"]',
    ],
  ];
  for (const [what, config, message] of refused) {
    it(`refuses ${what}`, () =>
      assert.deepEqual(
        refusal(() => configMap().apply('m', config)),
        { code: 400, message, causes: [] },
      ));
  }

  it('returns 400 if a list has the same item twice', () => {
    const object = new Stored('apps/v1', 'apps.v1.Deployment');
    const env = [{ name: 'A' }, { name: 'A' }];
    object.update('u', { spec: { template: { spec: { containers: [{ name: 'c', env }] } } } });
    assert.deepEqual(object.managers, []);
    assert.equal(refusal(() => object.apply('m', { metadata: { labels: { a: 'b' } } })).code, 400);
  });

  it('never owns fields that identify the object or that only the server sets', () => {
    const object = configMap();
    object.apply('m', {
      kind: 'ConfigMap',
      metadata: { name: 'a', uid: 'u', generation: 1, creationTimestamp: null, labels: { a: 'b' } },
    });
    assert.deepEqual(object.managers, ['m Apply @0 {f:metadata:{f:labels:{f:a:}}}']);
  });

  it('compares quantities by their spelling, and a number differs from a string', () => {
    const limits = (cpu: string | number): JsonObject => ({ spec: { hard: { cpu } } });
    const object = new Stored('v1', 'core.v1.ResourceQuota');
    object.apply('m1', limits('1'));
    for (const other of ['1000m', 1]) assert.equal(refusal(() => object.apply('m2', limits(other))).code, 409);
    assert.equal(object.apply('m2', limits('1')), false);
  });
});
