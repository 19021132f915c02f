import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { createNaming } from '#base/naming/create-naming.ts';
import { latestRelease } from '#base/release/release.ts';
import { type ConnectedClient, connect } from '#client/client.ts';
import { Discovery } from '#client/discovery/discovery.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { type DevCluster, startDevCluster } from '#dev/dev-cluster.ts';
import { chooseConnection, readConnectionFiles } from '#program/connection/connection-file.ts';
import { type Example, readExamples } from '#scripts/api-pages/examples.ts';

const examples = readExamples(path.join(import.meta.dirname, '../../proto/examples'));

/** Examples that need others come after them. */
const FIRST = ['Namespace', 'ServiceAccount', 'PriorityClass', 'ClusterRole', 'Role', 'CSIDriver'];

describe('examples of the pages about kinds', function () {
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
      const made = await client
        .resource(type)
        .in(namespace)
        .create({ ...object, metadata: { ...metadata } }, { fieldValidation: 'Strict' });
      assert.equal(made.metadata.name, metadata?.name);
    });
  }
});
