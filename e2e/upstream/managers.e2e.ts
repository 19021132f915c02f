import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '#base/json/json-value.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { managerProcessFlags, startManagerProcess } from '#scripts/manager-process.ts';
import { freePort, startBackground } from '#scripts/processes.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';
import { work } from './managers/managed-work.ts';
import { storedObjects } from './managers/stored-objects.ts';

/** The program to compare with. Machines do not have it by default. */
const OTHER = process.env['UPSTREAM_MANAGER'];

/** The controllers that both managers have. */
const CONTROLLERS =
  'namespace,garbagecollector,resourcequota,serviceaccount,serviceaccount-token,persistentvolume-binder,pv-protection,' +
  'pvc-protection,ttl,root-ca-cert-publisher,clusterrole-aggregation,disruption,endpoint,endpointslice,' +
  'endpointslicemirroring';

/** The time in milliseconds without a change after which both managers have finished their work. */
const QUIET_MS = 12_000;

const naming = createNaming('kubernetes');

async function revision(replica: Replica): Promise<string> {
  // The managers renew leases all the time.
  const roots = ['/api/v1/pods', '/api/v1/endpoints', '/api/v1/persistentvolumeclaims', '/api/v1/resourcequotas'];
  const answers = await Promise.all(
    [...roots, '/api/v1/namespaces', '/api/v1/secrets', '/api/v1/configmaps', '/api/v1/serviceaccounts'].map((root) =>
      replica.request('GET', root),
    ),
  );
  return JSON.stringify(
    answers.map(({ body }) =>
      (JSON.parse(body) as { items: { metadata: { resourceVersion: string } }[] }).items.map(
        ({ metadata }) => metadata.resourceVersion,
      ),
    ),
  );
}

async function untilQuiet(replica: Replica): Promise<void> {
  let [before, since] = ['', Date.now()];
  while (Date.now() - since < QUIET_MS) {
    const now = await revision(replica);
    if (now !== before) [before, since] = [now, Date.now()];
    await sleep(500);
  }
}

/** Runs all steps with one manager. Resolves to the stored objects after each step. */
async function stepsBeside(manager: 'own' | 'other'): Promise<ReadonlyMap<string, JsonObject>[]> {
  const pki = temporaryPki('kubernetes');
  const etcd = await EtcdProcess.start();
  const replica = await startReplica(pki, etcd.endpoint, { profile: 'kubernetes' });
  const port = await freePort(21_000 + Math.floor(Math.random() * 1000));
  const own = managerProcessFlags(naming, pki, { apiPort: replica.port, port });
  const flags = [...own.filter((flag) => !flag.startsWith('--controllers')), `--controllers=${CONTROLLERS}`];
  const background =
    manager === 'own'
      ? startManagerProcess(
          'manager',
          path.resolve(import.meta.dirname, '../../dist/controllers/main.js'),
          flags,
          pki.file('manager.log'),
        )
      : startBackground(
          'other manager',
          OTHER!,
          [...flags.filter((flag) => !flag.startsWith('--naming')), '--pvclaimbinder-sync-period=2s'],
          pki.file('manager.log'),
        );
  try {
    const after: ReadonlyMap<string, JsonObject>[] = [];
    for (const step of work) {
      for (const [method, path, body] of step) {
        const text = body === undefined ? undefined : JSON.parse(naming.translate(JSON.stringify(body)));
        const answer = await replica.request(method, naming.translate(path), text);
        assert.ok(answer.status < 300, `${method} ${path}: ${answer.body}`);
      }
      await untilQuiet(replica);
      after.push(await storedObjects(replica, naming));
    }
    return after;
  } finally {
    await background.stop();
    await replica.stop();
    await etcd.stop();
  }
}

describe('the results of two controller managers for the same objects', function () {
  this.timeout(600_000);

  before(function () {
    if (OTHER === undefined) this.skip();
  });

  it('are the same, object by object', async () => {
    const [own, other] = [await stepsBeside('own'), await stepsBeside('other')];
    const different: unknown[] = [];
    for (const [step, there] of other.entries()) {
      for (const key of new Set([...there.keys(), ...own[step]!.keys()])) {
        const [here, beside] = [own[step]!.get(key), there.get(key)];
        try {
          assert.deepEqual(here, beside);
        } catch (error) {
          different.push(`after step ${step + 1}: ${key}\n${(error as Error).message}`);
        }
      }
    }
    assert.equal(different.length, 0, different.join('\n\n'));
  });
});
