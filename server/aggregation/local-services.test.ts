import assert from 'node:assert/strict';
import type { APIService } from '#schema/generated/apiregistration.v1.ts';
import { crates, groupOf } from '../testing/invented-model.ts';
import { SmallServer } from '../testing/small-server.ts';
import { storedValue } from '../verbs/written.ts';
import { ApiServices } from './api-services.ts';
import { LocalServices } from './local-services.ts';

describe('APIServices of local groups', () => {
  let server: SmallServer;
  let services: ApiServices;
  let local: LocalServices;
  const LABEL = 'orch-aggregator.orch.io/automanaged';

  function found(name: string): APIService | undefined {
    return services.all.find(({ item }) => item.name === name)?.object;
  }

  async function change(name: string, edit: (object: APIService) => void): Promise<void> {
    const { item, object } = services.all.find(({ item }) => item.name === name)!;
    const changed = structuredClone(object);
    edit(changed);
    const stored = server.registry.stored('apiregistration', 'apiservices');
    const written = await server.registry.store.update(
      stored.keyPrefix + name,
      item.revision,
      storedValue(stored, changed),
    );
    assert.ok(written.outcome === 'written');
    await server.cache.waitFor(written.revision, 5000);
  }

  async function remove(name: string): Promise<void> {
    const { item } = services.all.find(({ item }) => item.name === name)!;
    const { keyPrefix } = server.registry.stored('apiregistration', 'apiservices');
    const written = await server.registry.store.remove(keyPrefix + name, item.revision);
    assert.ok(written.outcome === 'written');
    await server.cache.waitFor(written.revision, 5000);
  }

  before(async () => {
    server = await new SmallServer().start();
    services = new ApiServices(server.registry);
    local = new LocalServices(server.registry, services);
    await local.keep(true);
  });

  after(async () => {
    services.stop();
    await server.stop();
  });

  it('are created for every built-in version except the version of APIServices', () => {
    const expected = server.registry
      .current()
      .groups.flatMap(({ name, versions }) => versions.map((version) => `${version}.${name}`))
      .filter((name) => name !== 'v1.apiregistration.orch.io');
    assert.deepEqual(services.all.map(({ item }) => item.name).sort(), expected.sort());
    const { metadata, spec, status } = found('v1.apps')!;
    assert.equal(metadata.labels?.[LABEL], 'onstart');
    assert.deepEqual(spec, { group: 'apps', version: 'v1', groupPriorityMinimum: 17800, versionPriority: 15 });
    assert.equal(status?.conditions?.[0]?.reason, 'Local');
  });

  it('of built-in versions are restored after deletion, and reset to their defaults at a start', async () => {
    await remove('v1.batch');
    await change('v1.apps', ({ spec }) => {
      spec!.versionPriority = 3;
    });
    await local.keep();
    assert.ok(found('v1.batch'));
    assert.equal(found('v1.apps')?.spec?.versionPriority, 3);
    await local.keep(true);
    assert.equal(found('v1.apps')?.spec?.versionPriority, 15);
  });

  it('of custom versions are created, restored and deleted, unless they have lost their label', async () => {
    const resource = crates([{ name: 'v1', fields: {} }], 'v1');
    server.registry.setCustom([groupOf(resource)]);
    await local.keep();
    const name = 'v1.stable.example.com';
    assert.equal(found(name)?.metadata.labels?.[LABEL], 'true');
    assert.equal(found(name)?.spec?.groupPriorityMinimum, 1000);
    await change(name, ({ spec }) => {
      spec!.groupPriorityMinimum = 5;
    });
    await local.keep();
    assert.equal(found(name)?.spec?.groupPriorityMinimum, 1000);
    server.registry.setCustom([]);
    await local.keep();
    assert.equal(found(name), undefined);
    server.registry.setCustom([groupOf(resource)]);
    await local.keep();
    await change(name, ({ metadata, spec }) => {
      delete metadata.labels;
      spec!.versionPriority = 7;
    });
    server.registry.setCustom([]);
    await local.keep();
    assert.equal(found(name)?.spec?.versionPriority, 7);
  });
});
