import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './client.ts';
import {
  configMapLike,
  DEFINITIONS,
  type DefinitionOptions,
  definition,
  gadget,
  gadgetsOf,
  LARGE_BYTES,
} from './custom-definition.ts';
import { type Measurement, measure, type Request, repeat } from './measure.ts';
import { cpuMs, residentMb } from './process-usage.ts';
import { NAMESPACE } from './requests.ts';
import { type Replica, Stage } from './stage.ts';
import { watchCost } from './watch-cost.ts';

/**
 * What kinds that users define cost, and how soon they are there. `--only=first,size,start,verbs` for some parts,
 * `SCALE=0.1` for less of everything, `--profile=FOLDER` for processor profiles of the replicas.
 */

const SCALE = Number(process.env['SCALE'] ?? 1);
const option = (name: string) =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
const only = option('only')?.split(',');
/** How many clients watch the objects of each kind. */
const WATCHERS = 200;
const APPLY = { 'Content-Type': 'application/apply-patch+yaml' };
const MERGE = { 'Content-Type': 'application/merge-patch+json' };

const scaled = (count: number): number => Math.max(4, Math.round(count * SCALE));

function say(work: string, ...found: string[]): void {
  console.log(`| ${work} | ${found.join(' | ')} |`);
}

async function makeNamespace(client: Client): Promise<void> {
  await client.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'bench' } } });
}

const define = (client: Client, n: number, options: DefinitionOptions = {}) =>
  client.call('POST', DEFINITIONS, { body: definition(n, options) });

/** Runs a part of the bench with a separate etcd and stage. */
async function part(name: string, run: (stage: Stage, etcd: string) => Promise<void>): Promise<void> {
  if (only !== undefined && !only.includes(name)) return;
  const stage = new Stage(option('profile'), true);
  try {
    await run(stage, await stage.startEtcd());
  } finally {
    await stage.stop();
  }
}

/** Resident memory after the engine has had time to return unused memory, in MB. */
async function settledMb({ pid }: Replica): Promise<number> {
  let least = residentMb(pid);
  for (let i = 0; i < 12; i++) {
    await sleep(1000);
    least = Math.min(least, residentMb(pid));
  }
  return least;
}

/** Definitions at one replica, each followed at once by an object at the other one. */
await part('first', async (stage, etcd) => {
  const [a, b] = [await stage.startServer(etcd), await stage.startServer(etcd)];
  const [one, other] = [new Client(stage.pki, a.port, 1), new Client(stage.pki, b.port, 1)];
  await makeNamespace(one);
  const definitions = scaled(1000);
  const waits: number[] = [];
  let refused = 0;
  for (let n = 0; n < definitions; n++) {
    await define(one, n);
    const defined = performance.now();
    await other.call('POST', gadgetsOf(n), { body: gadget(n, 'first') }).catch(() => refused++);
    waits.push(performance.now() - defined);
  }
  waits.sort((x, y) => x - y);
  const at = (share: number) => waits[Math.min(waits.length - 1, Math.floor(waits.length * share))]!.toFixed(1);
  say(
    'first object at the other replica',
    `${at(0.5)} ms, p99 ${at(0.99)}, max ${at(1)}`,
    `${refused} of ${definitions} refused`,
  );
  for (const client of [one, other]) client.close();
});

/** Many large definitions: the cost of accepting them, unused and used. */
await part('size', async (stage, etcd) => {
  const [taking, following] = [await stage.startServer(etcd), await stage.startServer(etcd)];
  const client = new Client(stage.pki, taking.port, 4);
  const definitions = scaled(300);
  await makeNamespace(client);
  const options = { bytes: LARGE_BYTES };
  const bytes = JSON.stringify(definition(0, options)).length;
  const empty = await Promise.all([settledMb(taking), settledMb(following)]);
  const [cpu, begun] = [cpuMs(taking.pid), Date.now()];
  await repeat4(definitions, (n) => define(client, n, options));
  await sleep(1000);
  say(
    `to take in ${definitions} definitions of ${(bytes / 1000).toFixed(0)} KB`,
    `${((cpuMs(taking.pid) - cpu) / 1000).toFixed(2)} s`,
    `longest stretch ${Math.max(taking.longestStretch(begun), following.longestStretch(begun)).toFixed(0)} ms`,
  );
  const unused = await Promise.all([settledMb(taking), settledMb(following)]);
  const grown = (now: readonly number[]) => now.map((mb, i) => `${(mb - empty[i]!).toFixed(0)} MB`).join(' and ');
  say('memory, unused, by the replica that took them and by another', grown(unused));
  const using = Date.now();
  const user = new Client(stage.pki, following.port, 4);
  const close: (() => void)[] = [];
  await repeat4(definitions, async (n) => {
    await user.call('POST', gadgetsOf(n), { body: gadget(n, 'used') });
    await user.call('GET', gadgetsOf(n));
    const watcher = new Client(stage.pki, following.port, 1);
    close.push(await watcher.watch(`${gadgetsOf(n)}?watch=1&timeoutSeconds=1`, () => {}), () => watcher.close());
    await user
      .call('PATCH', `${gadgetsOf(n)}/used?fieldManager=bench`, { body: gadget(n, 'used', 1), headers: { ...APPLY } })
      .catch(() =>
        user.call('PATCH', `${gadgetsOf(n)}/used?fieldManager=bench&force=true`, {
          body: gadget(n, 'used', 1),
          headers: APPLY,
        }),
      );
    for (const end of close.splice(0)) end();
  });
  say(
    'each used once',
    grown(await Promise.all([settledMb(taking), settledMb(following)])),
    `longest stretch ${following.longestStretch(using).toFixed(0)} ms`,
  );
  for (const path of ['/openapi/v2', '/openapi/v2', '/openapi/v3']) {
    const started = performance.now();
    await user.call('GET', path, { headers: { 'Accept-Encoding': 'gzip' } });
    say(`GET ${path}`, `${((performance.now() - started) / 1000).toFixed(2)} s`);
  }
  await define(client, definitions, options);
  const started = performance.now();
  await user.call('GET', '/openapi/v2', { headers: { 'Accept-Encoding': 'gzip' } });
  say('GET /openapi/v2 after one more definition', `${(performance.now() - started).toFixed(0)} ms`);
  user.close();
  client.close();
});

/** A replica that finds much that is defined and stored. */
await part('start', async (stage, etcd) => {
  const first = await stage.startServer(etcd);
  const client = new Client(stage.pki, first.port, 16);
  const [definitions, objects] = [scaled(1000), scaled(20_000)];
  await makeNamespace(client);
  await repeat(definitions, (n) => define(client, n));
  await repeat(objects, (n) =>
    client.call('POST', gadgetsOf(n % definitions), { body: gadget(n % definitions, `g${n}`) }),
  );
  client.close();
  const times: number[] = [];
  const used: number[] = [];
  for (let i = 0; i < 3; i++) {
    const started = performance.now();
    const replica = await stage.startServer(etcd);
    times.push(performance.now() - started);
    used.push(cpuMs(replica.pid));
    if (i === 2) say('memory then', `${(await settledMb(replica)).toFixed(0)} MB`);
    await replica.process.stop();
  }
  say(
    `start with ${definitions} definitions and ${objects} objects`,
    times.map((ms) => `${(ms / 1000).toFixed(2)} s`).join(', '),
    `processor ${used.map((ms) => `${(ms / 1000).toFixed(2)} s`).join(', ')}`,
  );
});

/**
 * The bytes by which a config map must be larger than a custom object for an equal stored size. Field managers are
 * stored too, and take more space if the items of a list differ by a key.
 */
async function moreForManagers(client: Client): Promise<number> {
  const stored = async (path: string, body: object) => (await client.call('POST', path, { body })).bytes;
  const target = await stored(gadgetsOf(0), gadget(0, 'measured'));
  for (let more = 0; ; more += 40) {
    const name = `measured-${more}`;
    const bytes = await stored(`${NAMESPACE}/configmaps`, configMapLike(gadget(0, 'measured'), name, 0, more));
    if (bytes >= target) return more;
  }
}

/** Requests about custom objects, and about config maps of the same stored size. */
await part('verbs', async (stage, etcd) => {
  const server = await stage.startServer(etcd);
  const client = new Client(stage.pki, server.port, 16);
  await makeNamespace(client);
  await define(client, 0);
  await define(client, 1, { rules: 10 });
  const more = await moreForManagers(client);
  const kinds = [
    {
      kind: 'config map',
      path: `${NAMESPACE}/configmaps`,
      make: (name: string, turn?: number) => configMapLike(gadget(0, name, turn), name, turn, more),
      change: (turn: number) => ({ data: { turn: String(turn) } }),
    },
    ...[0, 1].map((n) => ({
      kind: n === 0 ? 'custom' : 'custom, ten rules',
      path: gadgetsOf(n),
      make: (name: string, turn?: number) => gadget(n, name, turn),
      change: (turn: number) => ({ spec: { replicas: turn % 1000 } }),
    })),
  ];
  let turn = 0;
  const versions = new Map<string, string>();
  const versionOf = async (path: string): Promise<string> =>
    /"resourceVersion":"(\d+)"/.exec((await client.call('GET', path, { text: true })).text)?.[1] ?? '';
  const OBJECTS = 200;
  const works: [work: string, count: number, request: (kind: (typeof kinds)[number]) => Request][] = [
    [
      'create',
      6000,
      ({ path, make }) =>
        () =>
          client.call('POST', path, { body: make(`c${turn++}`) }),
    ],
    [
      'update',
      6000,
      ({ path, make }) =>
        async (n) => {
          const name = `o${n % OBJECTS}`;
          const body = make(name, turn++) as { metadata: { resourceVersion?: string } };
          // custom objects have to be updated from a version
          body.metadata.resourceVersion = versions.get(`${path}/${name}`) ?? (await versionOf(`${path}/${name}`));
          const { text } = await client.call('PUT', `${path}/${name}`, { body, text: true });
          versions.set(`${path}/${name}`, /"resourceVersion":"(\d+)"/.exec(text)?.[1] ?? '');
        },
    ],
    [
      'merge patch',
      6000,
      ({ path, change }) =>
        (n) =>
          client.call('PATCH', `${path}/o${n % OBJECTS}`, { body: change(turn++), headers: MERGE }),
    ],
    [
      'apply',
      6000,
      ({ path, make }) =>
        (n) =>
          client.call('PATCH', `${path}/o${n % OBJECTS}?fieldManager=bench&force=true`, {
            body: make(`o${n % OBJECTS}`, turn++),
            headers: APPLY,
          }),
    ],
    [
      'GET, most recent',
      10_000,
      ({ path }) =>
        (n) =>
          client.call('GET', `${path}/o${n % OBJECTS}`),
    ],
    [
      'GET, any version',
      10_000,
      ({ path }) =>
        (n) =>
          client.call('GET', `${path}/o${n % OBJECTS}?resourceVersion=0`),
    ],
    [
      'LIST of 200',
      1000,
      ({ path }) =>
        () =>
          client.call('GET', `${path}?limit=200&resourceVersion=0`),
    ],
  ];
  for (const { path, make } of kinds) await repeat(OBJECTS, (n) => client.call('POST', path, { body: make(`o${n}`) }));
  const found = new Map<string, Measurement[]>();
  for (const [work, count, request] of works) {
    const rounds = 8;
    const best: (Measurement | undefined)[] = kinds.map(() => undefined);
    // in turns, so that other work on the machine affects all of them alike
    for (let round = -2; round < rounds; round++) {
      for (const [i, kind] of kinds.entries()) {
        const measured = await measure(server.pid, 16, Math.ceil(scaled(count) / rounds), request(kind));
        if (round >= 0 && measured.cpuMs < (best[i]?.cpuMs ?? Number.POSITIVE_INFINITY)) best[i] = measured;
      }
    }
    found.set(work, best as Measurement[]);
    const [base, ...others] = best as [Measurement, ...Measurement[]];
    say(
      work,
      base.cpuMs.toFixed(3),
      ...others.map((one) => `${one.cpuMs.toFixed(3)}, ${(one.cpuMs / base.cpuMs).toFixed(2)} times`),
    );
  }
  const delivered: string[] = [];
  for (const { path } of kinds) {
    const { cpuMs: cpu } = await watchCost(stage.pki, {
      pid: server.pid,
      port: server.port,
      path: `${path}?watch=1`,
      watchers: WATCHERS,
      events: scaled(300),
      write: () =>
        client.call('PATCH', `${path}/o0`, {
          body: { metadata: { annotations: { turn: String(turn++) } } },
          headers: MERGE,
        }),
    });
    delivered.push(cpu.toFixed(4));
  }
  say(`event to one of ${WATCHERS} watchers`, ...delivered);
  client.close();
});

/** Like `repeat`, from four clients: more large bodies at the same time would count as memory of the server. */
async function repeat4(count: number, request: Request): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await request(next++);
  };
  await Promise.all(Array.from({ length: 4 }, worker));
}
