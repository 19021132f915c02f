import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type ConversionWebhook, startConversionWebhook } from '../conversion-webhook.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';
import { Bystander } from './bystander.ts';
import { complaint } from './complaint.ts';
import { curlLine } from './curl-line.ts';
import { CustomRequestMaker } from './custom/make-custom-request.ts';
import type { HostileRequest } from './make-request.ts';
import { Random } from './random.ts';
import { type Outcome, Sender } from './send.ts';

const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 3_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);

/** The number of requests that are in progress at the same time. */
const AT_ONCE = 8;
/** The number of requests after which the test reads all stored objects. */
const READ_EVERY = 1_000;
/** The number of answers of the webhook of which one is wrong. */
const ODD_ANSWERS = 20;
/** The largest resident memory that the server may use for the whole test, in bytes. */
const MEMORY = 1.5 * 2 ** 30;
const MOST_SHOWN = 20;

/** A wrong answer of a webhook fails the requests that need the webhook, with an error about it. */
const BY_WEBHOOK = /conversion webhook for /;

describe(`${REQUESTS} random requests for custom resources that are added and removed (FUZZ_SEED=${SEED})`, function () {
  this.timeout(180_000 + REQUESTS * 200);
  const pki = temporaryPki();
  const probe = path.join(pki.directory, 'loop.json');
  const codes = new Map<number, number>();
  const offenders: string[] = [];
  const residents: string[] = [];
  let etcd: EtcdProcess;
  let replica: Replica;
  let sender: Sender;
  let webhook: ConversionWebhook;

  before(async () => {
    etcd = await EtcdProcess.start();
    webhook = await startConversionWebhook(pki, { oddOf: ODD_ANSWERS });
    replica = await startReplica(pki, etcd.endpoint, { loopProbe: probe });
    sender = new Sender(pki, replica.port);
  });

  after(async () => {
    sender?.close();
    await replica?.stop();
    await webhook?.stop();
    await etcd?.stop();
    const counts = [...codes].sort(([a], [b]) => a - b).map(([code, count]) => `${code}: ${count}`);
    console.log(`      ${counts.join(', ')}; resident MiB: ${residents.join(' ')}`);
  });

  async function send(request: HostileRequest): Promise<Outcome> {
    const outcome = await sender.send(request);
    codes.set(outcome.status, (codes.get(outcome.status) ?? 0) + 1);
    const wrong = complaint(outcome);
    if (wrong !== undefined && !BY_WEBHOOK.test(wrong))
      offenders.push(`${wrong} (${outcome.milliseconds.toFixed(0)} ms)\n${curlLine(request, replica.port)}`);
    return outcome;
  }

  const memory = (field: string): number =>
    Number(new RegExp(`${field}:\\s*(\\d+)`).exec(readFileSync(`/proc/${replica.pid}/status`, 'utf8'))?.[1]) * 1024;

  it('get no unexpected error, and the server keeps running without long stalls', async () => {
    const maker = new CustomRequestMaker(SEED, webhook);
    for (const request of maker.definitions()) await send(request);
    const bystander = await Bystander.beside(replica, probe);
    let next = 0;
    const work = async (last: number): Promise<void> => {
      while (next < last && offenders.length < 10 * MOST_SHOWN) await send(maker.make(new Random(SEED, next++)));
    };
    await bystander.during('requests', async () => {
      while (next < REQUESTS && offenders.length < 10 * MOST_SHOWN) {
        const last = Math.min(next + READ_EVERY, REQUESTS);
        await Promise.all(Array.from({ length: AT_ONCE }, () => work(last)));
        for (const request of maker.readings()) await send(request);
        residents.push((memory('VmRSS') / 2 ** 20).toFixed(0));
      }
      for (const request of maker.removals()) await send(request);
    });
    const shown = offenders.slice(0, MOST_SHOWN).join('\n');
    assert.equal(offenders.length, 0, `${offenders.length} wrong answers, PKI=${pki.directory}\n${shown}`);
    assert.ok((codes.get(200) ?? 0) + (codes.get(201) ?? 0) > REQUESTS / 10, 'some were as they should be');
    assert.ok(memory('VmHWM') < MEMORY, `${memory('VmHWM') / 2 ** 20} MiB`);
  });
});
