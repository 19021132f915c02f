import assert from 'node:assert/strict';
import path from 'node:path';
import { apiRequest } from '#scripts/api-request.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';
import { Bystander } from './bystander.ts';
import { define, objectPath } from './custom/define.ts';
import { costlySchema, costlyValue } from './custom/make-costly.ts';
import { Random } from './random.ts';

const SCHEMAS = Number(process.env['FUZZ_SCHEMAS'] ?? 30);
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);

/** The sizes of the objects for each schema, in characters. */
const LENGTHS = [10, 3_000, 60_000, 600_000];
/** The object is created, or refused because of the schema. */
const CODES = [201, 422];
/** Defaults may make an object larger than the store accepts. A dry run need not detect that. */
const TOO_LARGE = 413;

describe(`${SCHEMAS} random expensive schemas and objects (FUZZ_SEED=${SEED})`, function () {
  this.timeout(60_000 + SCHEMAS * 60_000);
  const pki = temporaryPki();
  const probe = path.join(pki.directory, 'loop.json');
  let etcd: EtcdProcess;
  let replica: Replica;

  before(async () => {
    etcd = await EtcdProcess.start();
    replica = await startReplica(pki, etcd.endpoint, { loopProbe: probe });
  });

  after(async () => {
    await replica?.stop();
    await etcd?.stop();
  });

  it('are validated with the same result each time, without blocking other requests', async () => {
    const bystander = await Bystander.beside(replica, probe);
    const codes = new Map<number, number>();
    await bystander.during('schemas and objects', async () => {
      for (let i = 0; i < SCHEMAS; i++) {
        const random = new Random(SEED, i);
        const schema = costlySchema(random);
        const kind = await define(replica, `fuzz${i}`, schema);
        for (const length of LENGTHS) {
          const v = costlyValue(random, schema, length);
          const body = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: `o${length}` }, v };
          const ask = (query: string) =>
            apiRequest(pki, replica.port, 'POST', `${objectPath(kind)}${query}`, body, 240_000);
          const [dry, made] = [await ask('?dryRun=All'), await ask('')];
          const where = `schema ${i}, ${length} characters: ${made.body.slice(0, 300)}`;
          assert.ok([...CODES, TOO_LARGE].includes(made.status), `${made.status} to ${where}`);
          if (made.status !== TOO_LARGE)
            assert.equal(dry.status, made.status, `a dry run says something else of ${where}`);
          codes.set(made.status, (codes.get(made.status) ?? 0) + 1);
        }
      }
    });
    console.log(`      ${JSON.stringify([...codes])}`);
    assert.ok(
      CODES.every((code) => (codes.get(code) ?? 0) > 0),
      'some were taken, and some were not',
    );
  });
});
