import assert from 'node:assert/strict';
import { crates, groupOf } from '#server/testing/invented-model.ts';
import { SmallServer } from '#server/testing/small-server.ts';

const PATH = '/apis/stable.example.com/v1/namespaces/default/crates';

const crate = (name: string, spec: object) => ({
  apiVersion: 'stable.example.com/v1',
  kind: 'Crate',
  metadata: { name },
  spec,
});

describe('selectable fields of custom resources', () => {
  let server: SmallServer;
  const define = (...selectableFields: string[]) =>
    server.registry.setCustom([
      groupOf(crates([{ name: 'v1', fields: { size: undefined, weight: undefined }, selectableFields }], 'v1')),
    ]);
  const selected = async (selector: string) => {
    const { status, json } = await server.call('GET', `${PATH}?fieldSelector=${encodeURIComponent(selector)}`);
    return status === 200
      ? json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)
      : json.message;
  };

  before(async () => {
    server = await new SmallServer().start();
    define('spec.size');
    await server.call('POST', PATH, crate('a', { size: 1, weight: 5 }));
    await server.call('POST', PATH, crate('b', { size: 2, weight: 5 }));
    await server.call('POST', PATH, crate('c', { weight: 6 }));
  });
  after(() => server.stop());

  it('select objects in field selectors', async () => {
    assert.deepEqual(await selected('spec.size=1'), ['a']);
    assert.deepEqual(await selected('spec.size!=1'), ['b', 'c']);
    assert.deepEqual(await selected('spec.size='), ['c']);
    assert.deepEqual(await selected('spec.size=2,metadata.name=b'), ['b']);
    assert.deepEqual(await selected('metadata.namespace=default,spec.size=2'), ['b']);
    assert.deepEqual(await selected('spec.size=01'), []);
  });

  it('are only the fields that the definition lists', async () => {
    assert.equal(await selected('spec.weight=5'), 'field label not supported: spec.weight');
    assert.equal(await selected('constructor=5'), 'field label not supported: constructor');
  });

  it('change with the definition, even for objects that were cached before', async () => {
    define('spec.weight');
    assert.deepEqual(await selected('spec.weight=5'), ['a', 'b']);
    assert.equal(await selected('spec.size=1'), 'field label not supported: spec.size');
    define();
    assert.equal(await selected('spec.weight=5'), 'field label not supported: spec.weight');
    define('spec.size', 'spec.weight');
    assert.deepEqual(await selected('spec.size=2,spec.weight=5'), ['b']);
  });

  it('follow changes of objects', async () => {
    await server.call('PATCH', `${PATH}/c`, { spec: { size: 1 } }, { 'content-type': 'application/merge-patch+json' });
    assert.deepEqual(await selected('spec.size=1'), ['a', 'c']);
    await server.call('DELETE', `${PATH}?fieldSelector=spec.size%3D1`);
    assert.deepEqual(await selected('spec.size=1'), []);
    assert.deepEqual(await selected('metadata.namespace=default'), ['b']);
  });
});
