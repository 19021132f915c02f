import assert from 'node:assert/strict';
import type { JsonObject } from '#base/json/json-value.ts';
import { Stored } from './testing/stored-object.ts';

const configMap = (): Stored => new Stored('v1', 'core.v1.ConfigMap');

describe('managed fields of an update', () => {
  it('give the updater the fields it adds or changes, and take them from other managers', () => {
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

  it('are separate from the fields that the same manager applies', () => {
    const object = configMap();
    object.apply('me', { data: { x: '1' } });
    object.update('me', { data: { x: '1', y: '1' } });
    assert.deepEqual(object.managers, ['me Apply @0 {f:data:{f:x:}}', 'me Update @0 {f:data:{f:y:}}']);
    object.update('', { data: { x: '2', y: '1' } });
    assert.deepEqual(object.managers, ['me Update @0 {f:data:{f:y:}}', 'unknown Update @0 {f:data:{f:x:}}']);
  });

  it('stay the same if the update changes nothing', () => {
    const object = configMap();
    object.update('a', { data: { x: '1' } });
    object.seconds = 9;
    object.update('a', {});
    object.update('b', {});
    assert.deepEqual(object.managers, ['a Update @0 {f:data:{.:,f:x:}}']);
  });

  it('are removed if a list has an item twice, until a manager applies', () => {
    const object = new Stored('apps/v1', 'apps.v1.Deployment');
    const spec = (...names: string[]) => ({
      template: { spec: { containers: [{ name: 'c', env: names.map((name) => ({ name })) }] } },
    });
    object.apply('m', { metadata: { labels: { a: 'b' } } });
    object.update('u', { metadata: { labels: { a: 'b' } }, spec: spec('A') });
    assert.equal(object.managers.length, 2);
    object.update('u', { metadata: { labels: { a: 'b' } }, spec: spec('A', 'A') });
    assert.equal(object.managers.length, 0);
    object.update('u', { spec: spec('A') });
    assert.equal(object.managers.length, 0);
    object.apply('m', { metadata: { labels: { a: 'b' } } });
    assert.deepEqual(
      object.managers.map((manager) => manager.split(' ')[0]),
      ['m', 'before-first-apply'],
    );
  });

  it('leave out an empty status in a created object', () => {
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
    ['an empty list changes nothing', [], ['a Update @0 {f:data:{.:,f:x:}}']],
    [
      'an invalid entry changes nothing',
      [{ manager: 'a', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV2' }],
      ['a Update @0 {f:data:{.:,f:x:}}'],
    ],
    ['a single empty entry removes all entries', [{}], []],
    [
      'valid entries replace the stored entries',
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
    it(`with managed fields in the body: ${what}`, () => {
      const object = configMap();
      object.update('a', { data: { x: '1' } });
      object.update('b', { metadata: { managedFields } });
      assert.deepEqual(object.managers, managers);
    });
  }

  it('after a reset own only the fields that the same update changes', () => {
    const reset = (data: Record<string, string>) => ({ metadata: { managedFields: [{}] }, data });
    const cases: readonly [what: string, data: Record<string, string>, owned: string[]][] = [
      ['nothing else', { x: '1', y: '1' }, []],
      ['a new key', { x: '1', y: '1', z: '1' }, ['b Update @1 {f:data:{f:z:}}']],
      ['a key of another manager', { x: '2', y: '1' }, ['b Update @1 {f:data:{f:x:}}']],
      ['a removed key', { x: '1' }, []],
      ['a removed key and a new key', { x: '1', w: '1' }, ['b Update @1 {f:data:{f:w:}}']],
    ];
    for (const [what, data, owned] of cases) {
      const object = configMap();
      object.apply('a', { data: { x: '1' } });
      object.update('u', { data: { x: '1', y: '1' } });
      object.seconds = 1;
      object.update('b', reset(data));
      assert.deepEqual(object.managers, owned, what);
      object.update('c', { data: { ...data, later: '1' } });
      const tracked = owned.length > 0;
      assert.equal(
        object.managers.some((manager) => manager.startsWith('c ')),
        tracked,
        `${what}, and an update after it`,
      );
    }
  });

  it('are recorded again after a reset of an object without managers', () => {
    const object = configMap();
    object.update('a', { data: { x: '1' } });
    object.update('a', { metadata: { managedFields: [{}] }, data: { x: '1' } });
    assert.deepEqual(object.managers, []);
    object.update('b', { metadata: { managedFields: [{}] }, data: { x: '2' } });
    assert.deepEqual(object.managers, ['b Update @0 {f:data:{f:x:}}']);
    object.update('c', { metadata: { managedFields: [] }, data: { x: '3' } });
    assert.deepEqual(object.managers, ['c Update @0 {f:data:{f:x:}}'], 'an empty list resets nothing');
  });

  it('ignore managedFields in a create request or in a request to a subresource', () => {
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

  it('list the ten latest updaters and combine older ones', () => {
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

  it('are sorted by operation (apply first), then by time, then by name', () => {
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
