import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import type { JsonObject } from '#base/json/json-value.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { latestRelease } from '#base/release/release.ts';
import { type ConnectedClient, connect } from '#client/client.ts';
import { Discovery } from '#client/discovery/discovery.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { type DevCluster, startDevCluster } from '#dev/dev-cluster.ts';
import { chooseConnection, readConnectionFiles } from '#program/connection/connection-file.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { viewsOf } from '#schema/words/facts.ts';
import { type Example, readExamples } from '#scripts/api-pages/examples.ts';

const examples = readExamples(path.join(import.meta.dirname, '../../proto/examples'));

const lastTransitionTime = '2020-01-01T00:00:00Z';
const condition = (type: string) => ({
  conditions: [{ type, status: 'True', reason: 'Test', message: 'seven', lastTransitionTime }],
});

/**
 * The status that a client sends, if it differs from the usual condition. The answer contains the word if the server
 * accepts the status.
 */
const STATUSES: Readonly<Record<string, [status: JsonObject, word: string]>> = {
  CertificateSigningRequest: [condition('Failed'), 'seven'],
  CronJob: [{ lastScheduleTime: '2020-01-07T00:00:00Z' }, '2020-01-07'],
  HorizontalPodAutoscaler: [{ observedGeneration: 777 }, '777'],
  Ingress: [{ loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } }, '192.0.2.7'],
  PersistentVolume: [{ message: 'seven' }, 'seven'],
  ResourceClaim: [{ allocation: { devices: {} } }, 'allocation'],
  ResourceQuota: [{ hard: { 'count/sevens': '7' } }, 'sevens'],
  VolumeAttachment: [{ attached: true, attachmentMetadata: { seven: 'a' } }, 'seven'],
};

/** Metadata that only the server sets, in an object that a client sends. */
const SET_BY_SERVER = {
  uid: '00000000-0000-0000-0000-000000000001',
  creationTimestamp: '2000-01-01T00:00:00Z',
  deletionTimestamp: '2000-01-01T00:00:00Z',
  deletionGracePeriodSeconds: 7,
};

/** Examples that need other objects come later. */
const FIRST = ['Namespace', 'ServiceAccount', 'PriorityClass', 'ClusterRole', 'Role', 'CSIDriver'];

describe('examples of the reference pages', function () {
  this.timeout(60_000);
  let cluster: DevCluster;
  let client: ConnectedClient;
  let discovery: Discovery;
  let folder: string;

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'examples-'));
    cluster = await startDevCluster({
      naming: createNaming('orch'),
      data: undefined,
      port: 0,
      nodes: 0,
      definitions: undefined,
      serverFlags: [`--emulated-version=${latestRelease.name}`, '--runtime-config=api/all=true'],
      log: pino({ level: 'silent' }),
    });
    const file = path.join(folder, 'connection');
    writeFileSync(file, cluster.connectionFile);
    client = await connect(chooseConnection(readConnectionFiles([file]), {}), { naming: createNaming('orch') });
    discovery = new Discovery(client);
    const accounts = client.resource(coreV1.serviceaccounts).in('default');
    for (let i = 0; i < 200 && (await accounts.list()).items.length === 0; i++) await sleep(50);
  });

  after(async () => {
    client.close();
    await cluster.stop();
    rmSync(folder, { recursive: true });
  });

  const rank = ({ object }: Example) => (FIRST.indexOf(object.kind) + FIRST.length + 1) % (FIRST.length + 1);
  for (const { object } of examples.toSorted((a, b) => rank(a) - rank(b))) {
    const { apiVersion, kind, metadata } = object;
    it(`${kind} of ${apiVersion} is created under strict validation`, async () => {
      const type = (await discovery.get()).ofKind(apiVersion, kind);
      assert.ok(type !== undefined, 'it is served');
      const namespace = type.namespaced ? (metadata?.namespace ?? 'default') : undefined;
      const isStored = type.verbs.includes('get');
      const made = await client
        .resource(type)
        .in(namespace)
        .create(
          { ...object, metadata: { ...metadata, ...(isStored && SET_BY_SERVER) } },
          { fieldValidation: 'Strict' },
        );
      assert.equal(made.metadata.name, metadata?.name);
      for (const [field, value] of Object.entries(SET_BY_SERVER))
        assert.notEqual(made.metadata[field as 'uid'], value, `only the server sets ${field}`);
    });
  }

  const schema = loadSchema(createNaming('orch'), latestRelease);
  for (const { object } of examples) {
    const { apiVersion, kind, metadata } = object;
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    const message = schema.kind(createNaming('orch').shortForm(group), version, kind);
    const status = message?.byJsonName.get('status');
    if (message === undefined || status?.origin?.writer === undefined || viewsOf(message, 'status').length === 0)
      continue;
    it(`the status of ${kind} of ${apiVersion} can be written only through its subresource`, async () => {
      const type = (await discovery.get()).ofKind(apiVersion, kind);
      const namespace = type?.namespaced ? (metadata?.namespace ?? 'default') : undefined;
      const resource = client.resource<ApiObject & { status?: JsonObject }>(type!).in(namespace);
      const [sent, word] = STATUSES[kind] ?? [condition('Tested'), 'seven'];
      const isTaken = async (subresource?: string): Promise<boolean> => {
        const answer = await resource.patch(metadata!.name!, 'merge', { status: sent }, { subresource });
        return JSON.stringify(answer.status ?? {}).includes(word);
      };
      assert.deepEqual([await isTaken(), await isTaken('status')], [false, true]);
    });
  }
});
