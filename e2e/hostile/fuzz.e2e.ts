import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createNaming } from '#base/naming/create-naming.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';
import { complaint } from './complaint.ts';
import { curlLine } from './curl-line.ts';
import { type HostileRequest, RequestMaker } from './make-request.ts';
import { Random } from './random.ts';
import { type Outcome, Sender } from './send.ts';

const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 5_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);

/** The number of requests in progress at the same time. */
const AT_ONCE = 8;

/** The number of requests after which the test reads all stored objects in all forms. */
const READ_EVERY = 2_500;

/** The largest resident memory that the server may use for the whole test, in bytes. */
const MEMORY = 1.5 * 2 ** 30;

/** The number of faults in the output. The first ones explain the others. */
const MOST_SHOWN = 20;

describe(`${REQUESTS} random invalid requests (FUZZ_SEED=${SEED})`, function () {
  // An idle machine answers several hundred of these requests per second.
  this.timeout(120_000 + REQUESTS * 200);
  const naming = createNaming('orch');
  const schema = loadSchema(naming);
  const pki = temporaryPki();
  const codes = new Map<number, number>();
  const offenders: string[] = [];
  let etcd: EtcdProcess;
  let replica: Replica;
  let sender: Sender;

  before(async () => {
    etcd = await EtcdProcess.start();
    replica = await startReplica(pki, etcd.endpoint, {
      flags: ['--runtime-config=api/all=true', '--disable-admission-plugins=ServiceAccount'],
    });
    sender = new Sender(pki, replica.port);
  });

  after(async () => {
    sender?.close();
    await replica?.stop();
    await etcd?.stop();
    const counts = [...codes].sort(([a], [b]) => a - b).map(([code, count]) => `${code}: ${count}`);
    console.log(`      ${counts.join(', ')}`);
  });

  /** Records results that must not occur. */
  function judge(request: HostileRequest, outcome: Outcome): void {
    codes.set(outcome.status, (codes.get(outcome.status) ?? 0) + 1);
    const wrong = complaint(outcome);
    if (wrong === undefined) return;
    offenders.push(`${wrong} (${outcome.milliseconds.toFixed(0)} ms)\n${curlLine(request, replica.port)}`);
  }

  const read = (target: string, accept: string): HostileRequest => ({
    as: 'admin',
    method: 'GET',
    target,
    headers: { Accept: accept },
    body: undefined,
  });

  /** Checks that every stored object can be read, in every version and form. */
  async function readAll(): Promise<void> {
    const binary = naming.protobufMediaType;
    const table = `as=Table;g=${naming.group('meta')};v=v1`;
    for (const { resources } of schema.groupVersions) {
      for (const { group, version, plural, verbs } of resources) {
        if (!verbs.includes('list')) continue;
        const prefix = group === '' ? `/api/${version}` : `/apis/${naming.group(group)}/${version}`;
        for (const accept of ['application/json', `application/json;${table}`, binary, 'application/yaml']) {
          const request = read(`${prefix}/${plural}`, accept);
          const outcome = await sender.send(request);
          judge(request, outcome);
          if (outcome.status !== 200) offenders.push(`${outcome.status}\n${curlLine(request, replica.port)}`);
        }
      }
    }
  }

  it('get no unexpected error, and the server keeps running', async () => {
    const maker = new RequestMaker(naming, schema);
    let next = 0;
    const work = async (last: number): Promise<void> => {
      while (next < last && offenders.length < 10 * MOST_SHOWN) {
        const request = maker.make(new Random(SEED, next++));
        judge(request, await sender.send(request));
      }
    };
    while (next < REQUESTS && offenders.length < 10 * MOST_SHOWN) {
      for (const request of maker.creations()) judge(request, await sender.send(request));
      const last = Math.min(next + READ_EVERY, REQUESTS);
      await Promise.all(Array.from({ length: AT_ONCE }, () => work(last)));
      await readAll();
    }
    const shown = offenders.slice(0, MOST_SHOWN).join('\n');
    assert.equal(offenders.length, 0, `${offenders.length} wrong answers, PKI=${pki.directory}\n${shown}`);
    assert.equal((await replica.request('GET', '/readyz')).status, 200);
    const peak = Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${replica.pid}/status`, 'utf8'))?.[1]) * 1024;
    console.log(`      resident memory at most ${(peak / 2 ** 20).toFixed(0)} MiB`);
    assert.ok(peak < MEMORY, `${(peak / 2 ** 20).toFixed(0)} MiB`);
  });
});
