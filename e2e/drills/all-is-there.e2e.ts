import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Replica } from '../replica.ts';
import { damageIn, storageTool } from '../storage-tool.ts';
import { DrillSystem } from './system.ts';

const ROUNDS = 3;

/** Objects of these types expire by themselves, so they may be missing. */
const PASSING = new Set(['events']);

interface Listed {
  readonly metadata: { readonly namespace?: string; readonly name: string; readonly uid: string };
}

describe('drill: a backup is restored repeatedly with all its objects', function () {
  this.timeout(400_000);
  let system: DrillSystem;

  before(async () => {
    system = await DrillSystem.start();
  });

  after(() => system?.stop());

  async function ask(replica: Replica, path: string) {
    for (;;) {
      const answer = await replica.request('GET', path).catch(() => undefined);
      if (answer?.status === 200) return JSON.parse(answer.body);
      await sleep(20);
    }
  }

  /** The uid of every object that a replica serves, by path. */
  async function inventory(replica: Replica): Promise<Map<string, string>> {
    const { groups } = (await ask(replica, '/apis')) as { groups: { preferredVersion: { groupVersion: string } }[] };
    const roots = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
    const found = new Map<string, string>();
    for (const root of roots) {
      const { resources } = (await ask(replica, root)) as { resources: { name: string; verbs: string[] }[] };
      for (const { name, verbs } of resources) {
        if (!verbs.includes('list') || !verbs.includes('create') || PASSING.has(name)) continue;
        const { items } = (await ask(replica, `${root}/${name}`)) as { items: Listed[] };
        for (const { metadata } of items)
          found.set(`${root}/${name}/${metadata.namespace ?? ''}/${metadata.name}`, metadata.uid);
      }
    }
    return found;
  }

  /** The number of objects of each resource in etcd. */
  async function counts(): Promise<Record<string, number>> {
    const { resources } = JSON.parse(
      await storageTool('status', '-o', 'json', `--etcd-servers=${system.cluster.endpoints}`),
    ) as { resources: { resource: string; objects: number }[] };
    const counted = resources.filter(({ resource }) => !PASSING.has(resource.slice(resource.indexOf('/') + 1)));
    return Object.fromEntries(counted.map(({ resource, objects }) => [resource, objects]));
  }

  async function make(path: string, body: object): Promise<{ uid: string }> {
    const { status, body: text } = await system.clients.request('POST', path, body);
    assert.equal(status, 201, `${path}: ${text}`);
    return JSON.parse(text).metadata;
  }

  /** A quota that replicas count from now on, because it has the status that a controller writes. */
  async function makeQuota(path: string, hard: Readonly<Record<string, string>>): Promise<void> {
    const metadata = await make(path, { metadata: { name: 'all' }, spec: { hard } });
    const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
    const quota = { metadata, spec: { hard }, status: { hard, used } };
    const { status, body } = await system.clients.request('PUT', `${path}/all/status`, quota);
    assert.equal(status, 200, body);
  }

  /** Objects of many kinds that refer to each other. */
  async function fill(namespace: string): Promise<void> {
    const under = (api: string) => `${api}/namespaces/${namespace}`;
    const core = under('/api/v1');
    await make('/api/v1/namespaces', { metadata: { name: namespace } });
    await makeQuota(`${core}/resourcequotas`, {
      configmaps: '100',
      secrets: '10',
      services: '10',
      'services.nodeports': '5',
    });
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
    const spec = { selector: { matchLabels: labels }, template };
    const web = await make(`${under('/apis/apps/v1')}/deployments`, { metadata: { name: 'web' }, spec });
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: web.uid, controller: true };
    const set = await make(`${under('/apis/apps/v1')}/replicasets`, {
      metadata: { name: 'web-1', labels, ownerReferences: [owner] },
      spec,
    });
    const setOwner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: set.uid, controller: true };
    await make(`${core}/serviceaccounts`, { metadata: { name: 'default' } });
    for (let i = 0; i < 5; i++) {
      await make(`${core}/pods`, {
        metadata: { name: `web-1-${i}`, labels, ownerReferences: [setOwner] },
        spec: { ...template.spec, serviceAccountName: 'default', automountServiceAccountToken: false },
      });
      await make(`${core}/configmaps`, { metadata: { name: `settings-${i}`, ownerReferences: [owner] } });
    }
    await make(`${core}/secrets`, { metadata: { name: 'key' }, stringData: { it: 'secret' } });
    for (const [name, type] of [
      ['web', 'ClusterIP'],
      ['edge', 'NodePort'],
    ])
      await make(`${core}/services`, { metadata: { name }, spec: { type, selector: labels, ports: [{ port: 80 }] } });
    const rbac = under('/apis/rbac.authorization.orch.io/v1');
    const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }];
    await make(`${rbac}/roles`, { metadata: { name: 'reader' }, rules });
    await make(`${rbac}/rolebindings`, {
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.orch.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
    });
    const kind = `Thing${namespace.slice(namespace.indexOf('-') + 1)}`;
    const plural = `${kind.toLowerCase()}s`;
    await make('/apis/apiextensions.orch.io/v1/customresourcedefinitions', {
      metadata: { name: `${plural}.example.com` },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural, kind },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    const things = `${under('/apis/example.com/v1')}/${plural}`;
    const thing = { apiVersion: 'example.com/v1', kind, metadata: { name: 'one', ownerReferences: [owner] } };
    while ((await system.clients.request('POST', things, thing)).status !== 201) await sleep(50);
  }

  /** Deletes some of the related objects and creates others. */
  async function change(namespace: string): Promise<void> {
    const remove = async (path: string): Promise<void> => {
      const { status, body } = await system.clients.request('DELETE', path);
      assert.equal(status, 200, `${path}: ${body}`);
    };
    const core = `/api/v1/namespaces/${namespace}`;
    await remove(`${core}/services/edge`);
    await remove(`/apis/apps/v1/namespaces/${namespace}/deployments/web?propagationPolicy=Background`);
    await remove(`${core}/configmaps/settings-0`);
    // The object has the same name as the removed one, but it is another object.
    await make(`${core}/configmaps`, { metadata: { name: 'settings-0' } });
    await make(`${core}/services`, { metadata: { name: 'other' }, spec: { type: 'NodePort', ports: [{ port: 81 }] } });
    await fill(`${namespace}x`);
  }

  for (let round = 1; round <= ROUNDS; round++)
    it(`restore ${round} of ${ROUNDS}`, async () => {
      const { clients, cluster, pki, replicas } = system;
      const etcd = `--etcd-servers=${cluster.endpoints}`;
      const [file, raised] = [pki.file(`backup-${round}.db`), pki.file(`raised-${round}.db`)];
      const namespace = `round-${round}`;
      await fill(namespace);
      let saved = new Map<string, string>();
      let stored: Record<string, number> = {};
      await clients.forget(async () => {
        saved = await inventory(replicas[0]!);
        stored = await counts();
        await storageTool('backup', file, etcd);
      });
      await change(namespace);
      assert.notDeepEqual(await inventory(replicas[0]!), saved);
      clients.begin();
      await clients.forget(async () => {
        await storageTool('raise', file, String((await cluster.revision()) + 1000), raised);
        await cluster.kill(0, 1, 2);
        await cluster.restore(raised);
        await cluster.launch();
        for (const found of await Promise.all(replicas.map(inventory))) assert.deepEqual(found, saved);
        assert.deepEqual(await counts(), stored);
      });
      await clients.recovered(`restore ${round} of ${saved.size} objects of ${Object.keys(stored).length} resources`);
      assert.deepEqual(clients.violations, []);
      assert.deepEqual(await damageIn(etcd), []);
      // Clients can create the removed objects again.
      await fill(`${namespace}x`);
      assert.deepEqual(await damageIn(etcd), []);
    });
});
