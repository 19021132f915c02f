import path from 'node:path';
import { freePort, waitFor } from '#scripts/processes.ts';
import { Client } from './client.ts';
import { inTurns, type Row } from './measure.ts';
import { residentMb } from './process-usage.ts';
import type { Replica, Stage } from './stage.ts';
import { watchCost } from './watch-cost.ts';

const GROUP = 'bench.example.com';
const VERSION = `/apis/${GROUP}/v1`;
/** The goal for the layer's cost in a GET, in milliseconds of processor time. */
const MAY_ADD = 0.12;
/** Transfers of 100 MB; the quickest is used. */
const TRANSFERS = 5;

/** A bare server behind an APIService; resolves when the replica passes requests on to it. */
async function register({ naming }: Stage, client: Client, port: number): Promise<void> {
  const service = { metadata: { name: 'bench' }, spec: { type: 'ExternalName', externalName: 'localhost' } };
  await client.call('POST', '/api/v1/namespaces/default/services', { body: service });
  await client.call('POST', `/apis/${naming.group('apiregistration')}/v1/apiservices`, {
    body: {
      metadata: { name: `v1.${GROUP}` },
      spec: {
        group: GROUP,
        version: 'v1',
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        // the certificate is of the test folder's authority, for another name
        insecureSkipTLSVerify: true,
        service: { namespace: 'default', name: 'bench', port },
      },
    },
  });
}

/** The quickest of some transfers in seconds, and by how much a process grew meanwhile, in megabytes. */
async function transfer(client: Client, target: string, pid: number): Promise<{ seconds: number; grewMb: number }> {
  // Memory that the engine allocates only once does not grow with the number of transfers.
  await client.call('GET', target);
  const before = residentMb(pid);
  let [seconds, most] = [Number.POSITIVE_INFINITY, before];
  const timer = setInterval(() => {
    most = Math.max(most, residentMb(pid));
  }, 20);
  for (let n = 0; n < TRANSFERS; n++) {
    const started = performance.now();
    await client.call('GET', target);
    seconds = Math.min(seconds, (performance.now() - started) / 1000);
  }
  clearInterval(timer);
  return { seconds, grewMb: most - before };
}

/** The cost for a replica of passing requests on to an extension server, besides that server's own cost. */
export async function proxyCost(
  stage: Stage,
  etcd: string,
  { scale, watchers }: { readonly scale: number; readonly watchers: number },
): Promise<Row[]> {
  const { pki } = stage;
  const port = await freePort(19443);
  const bare = stage.start('extension', process.execPath, [
    path.join(import.meta.dirname, 'floors/https-server.ts'),
    ...[String(port), pki.file('server.crt'), pki.file('server.key')],
  ]);
  const replica: Replica = await stage.startServer(
    etcd,
    `--proxy-client-cert-file=${pki.file('front-proxy.crt')}`,
    `--proxy-client-key-file=${pki.file('front-proxy.key')}`,
  );
  const [direct, through] = [new Client(pki, port, 16), new Client(pki, replica.port, 16)];
  await register(stage, through, port);
  await waitFor(replica.process, 30, () =>
    through.call('GET', `${VERSION}/things`).then(
      () => true,
      () => false,
    ),
  );
  const rows: Row[] = [];
  const [own, passed] = await inTurns(
    [
      { pid: bare.pid, request: () => direct.call('GET', `${VERSION}/things`) },
      { pid: replica.pid, request: () => through.call('GET', `${VERSION}/things`) },
    ],
    Math.max(100, Math.round(3000 * scale)),
  );
  rows.push({ work: 'proxied: GET 3 KB, at the extension server itself', ...own! });
  const note = `${(passed!.cpuMs - own!.cpuMs).toFixed(3)} ms more`;
  rows.push({ work: 'proxied: GET 3 KB, what the replica adds', ...passed!, goal: own!.cpuMs + MAY_ADD, note });
  const [bareTransfer, proxied] = [
    await transfer(direct, `${VERSION}/hundred`, bare.pid),
    await transfer(through, `${VERSION}/hundred`, replica.pid),
  ];
  const text = ({ seconds, grewMb }: typeof proxied) => `${seconds.toFixed(2)} s, ${grewMb.toFixed(0)} MB more held`;
  rows.push({ work: 'proxied: 100 MB', note: `${text(proxied)}; at the server itself ${text(bareTransfer)}` });
  const { cpuMs, kbPerWatcher, delivered } = await watchCost(pki, {
    pid: replica.pid,
    port: replica.port,
    path: `${VERSION}/things?watch=1`,
    watchers,
    events: Math.round(300 * scale),
    write: () => direct.call('PUT', '/'),
  });
  const held = `${delivered} events delivered; ${kbPerWatcher.toFixed(0)} KB for each watch`;
  rows.push({ work: `proxied: watch event to one of ${watchers} watchers`, cpuMs, note: `${held} (goal 200)` });
  for (const client of [direct, through]) client.close();
  await replica.process.stop();
  await bare.stop();
  return rows;
}
