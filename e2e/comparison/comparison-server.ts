import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { createNaming } from '#base/naming/create-naming.ts';
import { FakeNode } from '#client/testing/fake-node.ts';
import { writeConnectionFile } from '#program/connection/write-connection-file.ts';
import { makePki } from '#scripts/pki.ts';
import { replicaFlags } from '#scripts/replica-flags.ts';
import { readServerOptions } from '#server/config/options.ts';
import { parseFlags } from '#server/config/parse-flags.ts';
import { startServer } from '#server/stages/start-server.ts';
import { EtcdProcess, freePort } from '#storage-etcd/testing/etcd-process.ts';

/** A server with the upstream naming, so that both clients understand it, with its connection file. */
export interface ComparisonServer {
  /** The administrator's connection file. */
  readonly kubeconfig: string;
  /** An empty folder, as a home for the clients. */
  readonly home: string;
  readonly port: number;
  /** The agent of the node `alive`. A test must create that node. */
  readonly node: FakeNode;
  /** The agent of the node `plain`, which supports only SPDY. */
  readonly plainNode: FakeNode;
  stop(): Promise<void>;
}

export async function startComparisonServer(...more: string[]): Promise<ComparisonServer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'comparison-'));
  const naming = createNaming('kubernetes');
  const pki = makePki(path.join(folder, 'pki'), naming);
  const etcd = await EtcdProcess.start();
  const port = await freePort();
  const nodes = { naming, cert: pki.read('server.crt'), key: pki.read('server.key') };
  const node = await FakeNode.start({ ...nodes, webSockets: true });
  const plainNode = await FakeNode.start({ ...nodes, webSockets: false });
  const invocation = parseFlags([
    ...replicaFlags(naming, pki, { etcdServers: etcd.endpoint, port }),
    `--kubelet-client-certificate=${pki.file('admin.crt')}`,
    `--kubelet-client-key=${pki.file('admin.key')}`,
    `--kubelet-certificate-authority=${pki.file('ca.crt')}`,
    ...more,
  ]);
  if (!('flags' in invocation)) throw new Error('no server to start');
  const server = await startServer(readServerOptions(invocation.flags), pino({ level: 'silent' }));
  const kubeconfig = path.join(folder, 'admin.conf');
  writeConnectionFile(kubeconfig, 'admin', {
    server: `https://127.0.0.1:${port}`,
    ca: pki.read('ca.crt'),
    clientCertificate: pki.read('admin.crt'),
    clientKey: pki.read('admin.key'),
  });
  return {
    kubeconfig,
    home: folder,
    port,
    node,
    plainNode,
    stop: async () => {
      node.stop();
      plainNode.stop();
      await server.stop();
      await etcd.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
