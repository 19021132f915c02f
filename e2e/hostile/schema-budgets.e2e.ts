import assert from 'node:assert/strict';
import path from 'node:path';
import { type ApiAnswer, apiRequest } from '#scripts/api-request.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';
import { Bystander } from './bystander.ts';
import { define, defineAt, type Kind, objectPath } from './custom/define.ts';

/** The number of objects that are checked at the same time. */
const AT_ONCE = 4;

const text = { type: 'string' };
const times = <T>(length: number, make: (i: number) => T): T[] => Array.from({ length }, (_, i) => make(i));
const TOO_MUCH = /asks for more work on this object than the server does for one/;

/** A text of two letters in an order that does not repeat. */
function letters(length: number): string {
  let state = 1;
  return times(length, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return 'ab'[(state >> 16) & 1];
  }).join('');
}

/** An `anyOf` of eight different schemas on each of `depth` levels. */
function nested(depth: number, leaf: (i: number) => object, i = 0): object {
  return { anyOf: times(8, (k) => (depth === 1 ? leaf(i * 8 + k) : nested(depth - 1, leaf, i * 8 + k))) };
}

let made = 0;
/** A name that no other object has, also when a test is repeated. */
const freshName = (): string => `o${++made}`;

const ruled = (rule: string) => ({ ...text, maxLength: 10, 'x-orch-validations': [{ rule }] });

const DEAR = { ...text, pattern: '[ab]*a[ab]{900}c' };

/** Schemas and values whose check took seconds or minutes before checks had a budget, and similar ones. */
const ATTACKS: readonly [what: string, schema: object, value: unknown, codes: readonly number[]][] = [
  [
    'a long pattern',
    { ...text, pattern: '^[a-z0-9.]{1,1000}(\\.[a-z]{1,63})*$|^.*[a-z]{1,900}x$' },
    `${'a'.repeat(60_000)}!`,
    [422],
  ],
  ['a pattern with many states', DEAR, letters(60_000), [422]],
  [
    'nested alternatives in patterns',
    { ...text, ...nested(5, (i) => ({ pattern: `^(a+)+$|^${i % 100}$` })) },
    `${'a'.repeat(500_000)}!`,
    [422],
  ],
  [
    'a map and a pattern',
    { type: 'object', additionalProperties: { ...text, pattern: '^(a|aa|aaa)*b$' } },
    Object.fromEntries(times(5_000, (i) => [`k${i}`, `${'a'.repeat(i % 10)}b`])),
    [201],
  ],
  [
    'an enum',
    { type: 'array', items: { ...text, enum: times(100_000, (i) => `v${i}`) } },
    times(60_000, () => 'no'),
    [422],
  ],
  ['a set', { type: 'array', items: text, 'x-orch-list-type': 'set' }, times(60_000, (i) => `v${i >> 1}`), [422]],
  [
    'a set of numbers',
    { type: 'array', items: { type: 'integer' }, 'x-orch-list-type': 'set' },
    times(20_000, (i) => i),
    [201],
  ],
  [
    'alternatives without patterns',
    { type: 'array', items: { ...text, oneOf: times(9_000, (i) => ({ minLength: i + 2 })) } },
    times(60_000, () => 'x'),
    [422],
  ],
];

describe('expensive schemas', function () {
  this.timeout(600_000);
  const pki = temporaryPki();
  const probe = path.join(pki.directory, 'loop.json');
  let etcd: EtcdProcess;
  let replica: Replica;
  let bystander: Bystander;

  before(async () => {
    etcd = await EtcdProcess.start();
    replica = await startReplica(pki, etcd.endpoint, { loopProbe: probe });
    bystander = await Bystander.beside(replica, probe);
  });

  after(async () => {
    await replica?.stop();
    await etcd?.stop();
  });

  const object = (kind: Kind, name: string, v: unknown, metadata: object = {}) => ({
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, ...metadata },
    v,
  });

  /** This client is patient, because an attacker may wait. */
  const send = (method: string, target: string, body?: unknown): Promise<ApiAnswer> =>
    apiRequest(pki, replica.port, method, target, body, 240_000);

  const create = (kind: Kind, name: string, v: unknown, metadata: object = {}): Promise<ApiAnswer> =>
    send('POST', objectPath(kind), object(kind, name, v, metadata));

  for (const [i, [what, schema, value, codes]] of ATTACKS.entries()) {
    it(`do not block other requests: ${what}`, async () => {
      const kind = await define(replica, `attack${i}`, schema);
      await bystander.during(what, async () => {
        const answers = await Promise.all(times(AT_ONCE, () => create(kind, freshName(), value)));
        for (const { status, body } of answers) {
          assert.ok(codes.includes(status), `${status} ${body.slice(0, 300)}`);
        }
      });
    });
  }

  const properties = (count: number, make: (i: number) => object) =>
    Object.fromEntries(times(count, (i) => [`p${i}`, make(i)]));
  /** Schemas that are expensive to check themselves. */
  const DEAR_SCHEMAS: readonly [what: string, schema: object, status: number][] = [
    ['patterns', { properties: properties(20_000, (i) => ({ ...text, pattern: `^[a-z${i}]+$` })) }, 422],
    ['rules', { properties: properties(2_000, (i) => ruled(`self != 'a${i}' || self.startsWith('b')`)) }, 201],
    [
      'defaults',
      { properties: properties(3_000, (i) => ({ ...text, pattern: `^(a|aa|b${i})*$`, default: 'a' })) },
      422,
    ],
    ['fields', { properties: properties(20_000, () => text) }, 201],
  ];

  for (const [what, schema, status] of DEAR_SCHEMAS) {
    it(`do not block other requests while the definition is created: ${what}`, async () => {
      await bystander.during(what, async () => {
        const answer = await defineAt(replica, freshName(), { type: 'object', ...schema });
        assert.equal(answer.status, status, answer.body.slice(0, 300));
      });
    });
  }

  it('do not block other requests: many finalizers', async () => {
    const kind = await define(replica, 'finalized', text);
    const finalizers = times(20_000, (i) => `a.b/${i}`);
    await bystander.during('finalizers', async () => {
      const name = freshName();
      const created = await create(kind, name, 'x', { finalizers });
      assert.equal(created.status, 201, created.body.slice(0, 300));
      const changed = await send('PATCH', `${objectPath(kind)}/${name}`, {
        metadata: { finalizers: finalizers.slice(1) },
      });
      assert.equal(changed.status, 200, changed.body.slice(0, 300));
    });
  });

  it('are enforced for every write, but stored objects can still be read, left unchanged and deleted', async () => {
    const value = letters(60_000);
    const easy = await define(replica, 'stored', text);
    const name = freshName();
    assert.equal((await create(easy, name, value, { finalizers: ['example.com/f'] })).status, 201);
    const kind = await define(replica, 'stored', DEAR);
    const old = `${objectPath(kind)}/${name}`;
    const changed = object(kind, name, `${value}b`);
    const refused: [what: string, ask: () => Promise<ApiAnswer>][] = [
      ['a create', () => create(kind, freshName(), value)],
      ['a dry run', () => send('POST', `${objectPath(kind)}?dryRun=All`, object(kind, freshName(), value))],
      ['an update', () => update(old, changed)],
      ['a merge patch', () => send('PATCH', old, { v: `${value}b` })],
    ];
    for (const [what, ask] of refused) {
      const { status, body } = await ask();
      assert.equal(status, 422, what);
      assert.match(body, TOO_MUCH, what);
    }
    assert.equal((await send('GET', old)).status, 200);
    assert.equal((await send('GET', objectPath(kind))).status, 200);
    assert.equal((await send('PATCH', old, { metadata: { labels: { a: 'b' } } })).status, 200);
    assert.equal((await send('DELETE', old)).status, 200);
    assert.equal((await send('PATCH', old, { metadata: { finalizers: [] } })).status, 200);
    assert.equal((await send('GET', old)).status, 404);
  });

  async function update(at: string, body: { readonly metadata: object }): Promise<ApiAnswer> {
    const { body: now } = await send('GET', at);
    const { resourceVersion } = (JSON.parse(now) as { metadata: { resourceVersion: string } }).metadata;
    return send('PUT', at, { ...body, metadata: { ...body.metadata, resourceVersion } });
  }
});
