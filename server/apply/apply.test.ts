import assert from 'node:assert/strict';
import { StatusError } from '../errors/status-error.ts';
import type { JsonObject } from '../schema/json-value.ts';
import { loadSchema } from '../schema/load.ts';
import { normalize } from '../schema/normalize.ts';
import { apply } from './apply.ts';
import { FieldSet } from './field-set.ts';
import { type ObjectSchema, objectSchemaOf, type Versions } from './object-schema.ts';
import { managedFieldsOf, trackUpdate } from './update.ts';

const schema = loadSchema();

/** An object that is written again and again, as the registry would do it but without defaults. */
class Stored {
  object: JsonObject | undefined;
  seconds = 0;
  readonly #apiVersion: string;
  readonly #message: string;

  constructor(apiVersion: string, message: string) {
    this.#apiVersion = apiVersion;
    this.#message = message;
  }

  #write(manager: string, subresource: string) {
    const message = schema.message(this.#message);
    const versions: Versions = {
      schema: (version): ObjectSchema | undefined =>
        version === this.#apiVersion ? objectSchemaOf(message) : undefined,
      convert: () => undefined,
    };
    const resetFields = subresource === 'status' ? FieldSet.ofMembers(['spec']) : FieldSet.ofMembers(['status']);
    const now = new Date(Date.UTC(2024, 0, 1, 0, 0, this.seconds));
    return { live: this.object, manager, subresource, versions, now, resetFields, apiVersion: this.#apiVersion };
  }

  #canonical(object: JsonObject): JsonObject {
    const canonical = normalize(schema.message(this.#message), object);
    return { apiVersion: this.#apiVersion, kind: this.#message.split('.').at(-1)!, ...canonical };
  }

  /** What this path of writing may not change is as it was. */
  #reset(object: JsonObject, subresource: string): JsonObject {
    const kept = subresource === 'status' ? 'spec' : 'status';
    const value = this.object?.[kept];
    return value === undefined ? object : { ...object, [kept]: value };
  }

  apply(manager: string, config: JsonObject, { force = false, subresource = '' } = {}): boolean {
    const config2 = { apiVersion: this.#apiVersion, ...config };
    const { object, changed } = apply({ ...this.#write(manager, subresource), config: config2, force });
    this.object = this.#reset(this.#canonical(object), subresource);
    return changed;
  }

  update(manager: string, change: JsonObject, { subresource = '' } = {}): void {
    const updated = this.#canonical({ ...this.object, ...change });
    this.object = this.#reset(
      this.#canonical(trackUpdate({ ...this.#write(manager, subresource), updated })),
      subresource,
    );
  }

  /** Managers in order: `m1 Apply @0 {…}`. */
  get managers(): string[] {
    return (managedFieldsOf(this.object!) ?? []).map(({ manager, operation, time, fieldsV1, subresource }) => {
      const through = subresource === undefined ? '' : `/${subresource}`;
      const when = time == null ? '-' : Number(time.slice(17, 19));
      return `${manager} ${operation}${through} @${when} ${JSON.stringify(fieldsV1).replaceAll('"', '').replaceAll('{}', '')}`;
    });
  }
}

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

describe('apply', () => {
  it('creates, changes, and removes what is no longer applied', () => {
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

  it('refuses to change what others own, and says whose it is', () => {
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

  it('joins the owners of what it leaves as it is, without a time', () => {
    const object = configMap();
    object.apply('m1', { data: { x: '1' } });
    assert.equal(object.apply('m2', { data: { x: '1' } }), false);
    assert.deepEqual(object.managers, ['m2 Apply @- {f:data:{f:x:}}', 'm1 Apply @0 {f:data:{f:x:}}']);
  });

  it('takes what it is forced to', () => {
    const object = configMap();
    object.apply('m1', { data: { x: '1', y: '1' } });
    object.apply('m2', { data: { x: '2' } }, { force: true });
    assert.deepEqual(object.managers, ['m1 Apply @0 {f:data:{f:y:}}', 'm2 Apply @0 {f:data:{f:x:}}']);
  });

  it('keeps what somebody else owns as well', () => {
    const object = configMap();
    object.apply('m1', { data: { own: '1', shared: '1' } });
    object.apply('m2', { data: { shared: '1' } });
    object.apply('m1', { data: {} });
    assert.deepEqual(object.object?.data, { shared: '1' });
    assert.deepEqual(object.managers, ['m2 Apply @- {f:data:{f:shared:}}', 'm1 Apply @0 {f:data:}']);
  });

  it('owns items of lists by their keys, with absent keys at their defaults', () => {
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

  it('removes items together with what nobody owns in them, and keeps those somebody owns', () => {
    const object = new Stored('apps/v1', 'apps.v1.Deployment');
    const containers = (...list: JsonObject[]): JsonObject => ({ spec: { template: { spec: { containers: list } } } });
    object.apply('m1', containers({ name: 'a', image: 'a' }, { name: 'b', image: 'b' }));
    object.apply('m2', containers({ name: 'a', args: ['x'] }));
    object.apply('m1', containers());
    const { template } = object.object!.spec as { template: { spec: { containers: unknown } } };
    assert.deepEqual(template.spec.containers, [{ name: 'a', args: ['x'], resources: {} }]);
  });

  it('has owners of its own in a subresource, and touches nothing else there', () => {
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

  it('gives an owner to what an object held before anybody managed it', () => {
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

  it('cannot merge into a list that holds an item twice', () => {
    const object = new Stored('apps/v1', 'apps.v1.Deployment');
    const env = [{ name: 'A' }, { name: 'A' }];
    object.update('u', { spec: { template: { spec: { containers: [{ name: 'c', env }] } } } });
    assert.deepEqual(object.managers, []);
    assert.equal(refusal(() => object.apply('m', { metadata: { labels: { a: 'b' } } })).code, 400);
  });

  it('never owns what names the object or what only the server sets', () => {
    const object = configMap();
    object.apply('m', {
      kind: 'ConfigMap',
      metadata: { name: 'a', uid: 'u', generation: 1, creationTimestamp: null, labels: { a: 'b' } },
    });
    assert.deepEqual(object.managers, ['m Apply @0 {f:metadata:{f:labels:{f:a:}}}']);
  });

  it('compares quantities by spelling, numbers and texts apart', () => {
    const limits = (cpu: string | number): JsonObject => ({ spec: { hard: { cpu } } });
    const object = new Stored('v1', 'core.v1.ResourceQuota');
    object.apply('m1', limits('1'));
    for (const other of ['1000m', 1]) assert.equal(refusal(() => object.apply('m2', limits(other))).code, 409);
    assert.equal(object.apply('m2', limits('1')), false);
  });
});

describe('update', () => {
  it('owns what it adds and changes, and others lose what it changes and removes', () => {
    const object = configMap();
    object.update('a', { data: { x: '1', y: '1' } });
    assert.deepEqual(object.managers, ['a Update @0 {f:data:{.:,f:x:,f:y:}}']);
    object.seconds = 1;
    object.update('b', { data: { x: '1', y: '2', z: '1' } });
    assert.deepEqual(object.managers, ['a Update @0 {f:data:{.:,f:x:}}', 'b Update @1 {f:data:{f:y:,f:z:}}']);
    object.seconds = 2;
    object.update('c', { data: { y: '2' } });
    assert.deepEqual(object.managers, ['a Update @0 {f:data:}', 'b Update @1 {f:data:{f:y:}}']);
    object.update('c', { data: {} });
    assert.deepEqual(object.managers, []);
  });

  it('is apart from what the same manager applies', () => {
    const object = configMap();
    object.apply('me', { data: { x: '1' } });
    object.update('me', { data: { x: '1', y: '1' } });
    assert.deepEqual(object.managers, ['me Apply @0 {f:data:{f:x:}}', 'me Update @0 {f:data:{f:y:}}']);
    object.update('', { data: { x: '2', y: '1' } });
    assert.deepEqual(object.managers, ['me Update @0 {f:data:{f:y:}}', 'unknown Update @0 {f:data:{f:x:}}']);
  });

  it('that changes nothing changes no entry', () => {
    const object = configMap();
    object.update('a', { data: { x: '1' } });
    object.seconds = 9;
    object.update('a', {});
    object.update('b', {});
    assert.deepEqual(object.managers, ['a Update @0 {f:data:{.:,f:x:}}']);
  });

  it('does not count what is written in a created object even when it is empty', () => {
    const object = new Stored('apps/v1', 'apps.v1.Deployment');
    object.update('m', {
      spec: { replicas: 1, template: { metadata: { labels: { a: 'b' } } } },
      status: { replicas: 1 },
    });
    assert.deepEqual(object.managers, [
      'm Update @0 {f:spec:{f:replicas:,f:template:{f:metadata:{f:labels:{.:,f:a:}}}}}',
    ]);
  });

  const sent: [what: string, managedFields: JsonObject[], managers: string[]][] = [
    ['an empty list is ignorance', [], ['a Update @0 {f:data:{.:,f:x:}}']],
    [
      'so is one that cannot be read',
      [{ manager: 'a', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV2' }],
      ['a Update @0 {f:data:{.:,f:x:}}'],
    ],
    ['a single empty entry clears all', [{}], []],
    [
      'readable ones replace what is stored',
      [
        {
          manager: 'b',
          operation: 'Update',
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { 'f:x': {} } },
        },
      ],
      ['b Update @- {f:data:{f:x:}}'],
    ],
    [
      'entries of versions that are no longer served are dropped',
      [
        {
          manager: 'b',
          operation: 'Update',
          apiVersion: 'v0',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { 'f:x': {} } },
        },
        {
          manager: 'c',
          operation: 'Update',
          apiVersion: 'v1',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:data': { 'f:x': {} } },
        },
      ],
      ['c Update @- {f:data:{f:x:}}'],
    ],
  ];
  for (const [what, managedFields, managers] of sent) {
    it(`managed fields in the body: ${what}`, () => {
      const object = configMap();
      object.update('a', { data: { x: '1' } });
      object.update('b', { metadata: { managedFields } });
      assert.deepEqual(object.managers, managers);
    });
  }

  it('ignores managed fields sent with a create or through a subresource', () => {
    const forged = [
      { manager: 'f', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': {} } },
    ];
    const object = new Stored('v1', 'core.v1.Pod');
    object.update('a', { metadata: { managedFields: forged }, spec: { nodeName: 'n' } });
    assert.deepEqual(object.managers, ['a Update @0 {f:spec:{f:nodeName:}}']);
    object.update(
      'b',
      { metadata: { managedFields: forged }, status: { phase: 'Running' } },
      { subresource: 'status' },
    );
    assert.deepEqual(object.managers, [
      'a Update @0 {f:spec:{f:nodeName:}}',
      'b Update/status @0 {f:status:{f:phase:}}',
    ]);
  });

  it('keeps ten updaters apart and folds older ones', () => {
    const object = configMap();
    const data: JsonObject = {};
    for (let i = 1; i <= 13; i++) {
      const name = `u${String(i).padStart(2, '0')}`;
      data[name] = '1';
      object.update(name, { data });
    }
    assert.equal(object.managers.length, 10);
    assert.equal(object.managers[0], 'ancient-changes Update @0 {f:data:{.:,f:u01:,f:u02:,f:u03:,f:u04:}}');
  });

  it('orders appliers first, then by second, then by name', () => {
    const object = configMap();
    object.update('z', { data: { z: '1' } });
    object.seconds = 1;
    object.update('a', { data: { z: '1', a: '1' } });
    object.apply('y', { data: { y: '1' } });
    object.apply('b', { data: { b: '1' } });
    assert.deepEqual(
      object.managers.map((text) => text.slice(0, 8)),
      ['b Apply ', 'y Apply ', 'z Update', 'a Update'],
    );
  });
});
