import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { createNaming } from '#base/naming/create-naming.ts';
import { type ConnectedClient, connect } from '#client/client.ts';
import { appsV1, batchV1, coreV1 } from '#client/generated/resources.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { readConnection } from '#program/connection/connection-file.ts';
import { type Background, startBackground, waitFor } from '#scripts/processes.ts';
import { findHelm } from './find-helm.ts';

const naming = createNaming('kubernetes');
const CHARTS = path.join(import.meta.dirname, 'charts');
/** Volumes for the claims of the database, which an operator makes if there is no provisioner. */
const VOLUMES = [0, 1, 2].map((i) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: `volume-${i}` },
  spec: {
    storageClassName: 'by-hand',
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    hostPath: { path: `/volumes/${i}` },
  },
}));

describe('Helm charts on simulated nodes', function () {
  this.timeout(120_000);
  let helm: string;
  let folder: string;
  let cluster: Background;
  let client: ConnectedClient;

  before(async function () {
    this.timeout(700_000);
    const found = findHelm();
    if ('why' in found) {
      console.log(`    skipped: ${found.why}`);
      this.skip();
    }
    helm = found.helm;
    folder = mkdtempSync(path.join(tmpdir(), 'charts-'));
    // The charts are written in the neutral words.
    cpSync(CHARTS, path.join(folder, 'charts'), { recursive: true });
    for (const name of readdirSync(path.join(folder, 'charts'), { recursive: true }) as string[]) {
      if (!/\.(yaml|tpl)$/.test(name)) continue;
      const file = path.join(folder, 'charts', name);
      writeFileSync(file, naming.translate(readFileSync(file, 'utf8')));
    }
    const definitions = path.join(folder, 'definitions');
    mkdirSync(definitions);
    writeFileSync(
      path.join(definitions, 'volumes.json'),
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: VOLUMES }),
    );
    const file = path.join(folder, 'admin.conf');
    const main = path.resolve(import.meta.dirname, '../../dist/dev/main.js');
    const flags = ['--naming=kubernetes', '--nodes=3', `--kubeconfig=${file}`, `--definitions=${definitions}`];
    cluster = startBackground('orch-dev', process.execPath, [main, ...flags], path.join(folder, 'dev.log'));
    await waitFor(cluster, 60, async () => readFileSync(cluster.log, 'utf8').includes('"url"'));
    client = await connect(readConnection(file), { naming });
  });

  after(async () => {
    await client?.close();
    await cluster?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  /** The output of Helm; `expected` is its exit code. */
  async function run(args: readonly string[], expected = 0): Promise<string> {
    const home = Object.fromEntries(
      ['CACHE', 'CONFIG', 'DATA'].map((name) => [`HELM_${name}_HOME`, path.join(folder, name)]),
    );
    const env = { ...process.env, ...home, KUBECONFIG: path.join(folder, 'admin.conf') };
    const child = spawn(helm, args, { cwd: path.join(folder, 'charts'), env, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = Promise.all([text(child.stdout), text(child.stderr)]);
    const status = await new Promise((resolve) => child.once('close', resolve));
    const all = (await said).join('');
    assert.equal(status, expected, `helm ${args.join(' ')}\n${all}`);
    return all;
  }
  const pods = async (name: string) => {
    const labelSelector = naming.translate(`app.orch.io/name=${name}`);
    return (await client.resource(coreV1.pods).in('default').list({ labelSelector })).items;
  };
  /** Waits until the pods of a chart have these versions. Earlier pods may still be ending. */
  const versions = (name: string, ...expected: string[]) =>
    waitUntil(`the pods of ${name} have ${expected}`, async () => {
      const found = (await pods(name)).map(({ spec }) => spec!.containers![0]!.image!.split(':').at(-1));
      return String(found.sort()) === String(expected);
    });
  const WAIT = ['--wait', '--timeout=60s'];

  it('a web application: hooks, an autoscaler, an ingress, and the rollback of a bad release', async () => {
    const said = await run(['install', 'web', './shop', ...WAIT]);
    assert.match(said, /STATUS: deployed[\s\S]*web says hello at shop\.example\.com/);
    const deployments = client.resource(appsV1.deployments).in('default');
    const found = await waitUntil('the autoscaler has it at its least', async () => {
      const one = await deployments.get('web-shop');
      return one.status?.availableReplicas === 2 ? one : undefined;
    });
    assert.equal(found?.status?.updatedReplicas, 2);
    await versions('shop', '1.0', '1.0');
    // The hook ran before, and was deleted because it succeeded.
    assert.deepEqual((await client.resource(batchV1.jobs).in('default').list()).items, []);
    assert.match(
      await run(['test', 'web', '--timeout=30s']),
      /TEST SUITE:\s+web-shop-answers[\s\S]*Phase:\s+Succeeded/,
    );

    await run(['upgrade', 'web', './shop', '--set=image.tag=2.0,message=again', ...WAIT]);
    await versions('shop', '2.0', '2.0');
    const late = await run(
      ['upgrade', 'web', './shop', '--set=image.tag=404,migration.enabled=false', '--atomic', '--timeout=6s'],
      1,
    );
    assert.match(late, /rolled back due to atomic being set/);
    const bad = await run(
      ['upgrade', 'web', './shop', '--set-string=image.tag=3.0,migration.exitCode=3', '--timeout=20s'],
      1,
    );
    assert.match(bad, /pre-upgrade hooks failed[\s\S]*BackoffLimitExceeded/);
    await versions('shop', '2.0', '2.0');
    await run(['rollback', 'web', '1', ...WAIT]);
    await versions('shop', '1.0', '1.0');
    assert.equal((await client.resource(coreV1.configmaps).in('default').get('web-shop')).data?.['message'], 'hello');
    const states = (JSON.parse(await run(['history', 'web', '--output=json'])) as { status: string }[]).map(
      ({ status }) => status,
    );
    assert.deepEqual(states, ['superseded', 'superseded', 'failed', 'superseded', 'failed', 'deployed']);

    await run(['uninstall', 'web', ...WAIT]);
    await waitUntil('its pods are gone', async () => (await pods('shop')).length === 0);
  });

  it('a database: claims and a secret that outlive it, and hooks before and after', async () => {
    await run(['install', 'db', './store', ...WAIT]);
    const claims = client.resource(coreV1.persistentvolumeclaims).in('default');
    const bound = (await claims.list()).items.map(({ metadata, status }) => `${metadata.name} ${status?.phase}`);
    assert.deepEqual(
      bound.sort(),
      [0, 1, 2].map((i) => `data-db-store-${i} Bound`),
    );
    const password = async () =>
      (await client.resource(coreV1.secrets).in('default').get('db-store')).data?.['password'];
    const first = await password();
    await run(['upgrade', 'db', './store', '--set=image=registry.example.com/store:5.1', ...WAIT]);
    await versions('store', '5.1', '5.1', '5.1');
    assert.equal(await password(), first);
    await run(['rollback', 'db', '1', ...WAIT]);
    await versions('store', '5.0', '5.0', '5.0');
    await run(['uninstall', 'db', ...WAIT]);
    await waitUntil('its pods are gone', async () => (await pods('store')).length === 0);
    assert.equal((await claims.list()).items.length, 3);
  });

  it('an operator: its custom resource, agents on all nodes, and jobs that Helm waits for', async () => {
    await run(['install', 'fleet', './fleet', '--wait-for-jobs', ...WAIT]);
    const job = await client.resource(batchV1.jobs).in('default').get('fleet-index-1');
    assert.equal(job.status?.completedIndexes, '0-3');
    const agents = client.resource(appsV1.daemonsets).in('default');
    const { status } = await agents.get('fleet-agent');
    assert.deepEqual([status?.desiredNumberScheduled, status?.numberAvailable], [3, 3]);
    await run([
      'upgrade',
      'fleet',
      './fleet',
      '--set=image=registry.example.com/fleet:2.1',
      '--wait-for-jobs',
      ...WAIT,
    ]);
    assert.equal((await agents.get('fleet-agent')).status?.updatedNumberScheduled, 3);
    assert.match(await run(['get', 'manifest', 'fleet']), /kind: Probe\n/);
    await run(['uninstall', 'fleet', ...WAIT]);
    // Helm leaves definitions of kinds.
    const probes = await client.call({ method: 'GET', path: '/apis/fleet.example.com/v1/probes' });
    assert.deepEqual((JSON.parse(probes.text) as { items: unknown[] }).items, []);
  });
});
