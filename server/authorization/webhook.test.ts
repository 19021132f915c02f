import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createNaming } from '#base/naming/create-naming.ts';
import { resourceAttributes } from '../api/attributes.ts';
import { answerJson, startTlsServer, type TestServer } from '../authentication/testing/tls-server.ts';
import { reviewClient } from '../outbound/review-client.ts';
import type { Decision } from './authorizer.ts';
import { type WebhookOptions, webhookAuthorizer } from './webhook.ts';

const naming = createNaming('orch');

describe('authorization webhook', () => {
  let server: TestServer;
  let answer: unknown;
  let bodies: { apiVersion: string; spec: object }[];
  let now: number;
  let authorizationHeader: string | undefined;
  before(async () => {
    server = await startTlsServer((request, response, body) => {
      bodies.push(JSON.parse(body));
      authorizationHeader = request.headers.authorization;
      if (answer === 'slow') return;
      if (answer === 'dead') return request.socket.destroy();
      if (typeof answer === 'number') return answerJson(response, {}, answer);
      if (typeof answer === 'string') return response.end(answer);
      answerJson(response, { status: answer });
    });
  });
  after(() => server.stop());
  beforeEach(() => {
    bodies = [];
    now = Date.now();
  });
  const webhook = (options: Partial<WebhookOptions> = {}, ca = server.ca, timeoutMs = 30_000) =>
    webhookAuthorizer({
      client: reviewClient({ server: server.url, ca }, { timeoutMs, retryMs: 5 }),
      version: 'v1',
      allowedMs: 300_000,
      refusedMs: 30_000,
      naming,
      now: () => now,
      ...options,
    });
  const bob = { name: 'bob', uid: 'u', groups: ['dev', 'ops'], extra: { k: ['v'] } };
  const asked = resourceAttributes(bob, {
    verb: 'get',
    group: 'g',
    version: 'v',
    resource: 'r',
    subresource: 's',
    namespace: 'a',
    name: 'n',
  });

  it('asks about resources and paths, and leaves out empty fields', async () => {
    answer = { allowed: true };
    await webhook().authorize(asked);
    const who = { user: 'bob', groups: ['dev', 'ops'], extra: { k: ['v'] }, uid: 'u' };
    assert.deepEqual(bodies[0], {
      apiVersion: naming.apiVersion('authorization', 'v1'),
      kind: 'SubjectAccessReview',
      metadata: { creationTimestamp: null },
      spec: {
        resourceAttributes: {
          namespace: 'a',
          verb: 'get',
          group: 'g',
          version: 'v',
          resource: 'r',
          subresource: 's',
          name: 'n',
        },
        ...who,
      },
      status: { allowed: false },
    });
    const plain = { name: 'x', uid: '', groups: [], extra: {} };
    await webhook().authorize({ ...resourceAttributes(plain, { verb: 'get' }), isResource: false, path: '/p' });
    assert.deepEqual(bodies[1]?.spec, { nonResourceAttributes: { path: '/p', verb: 'get' }, user: 'x' });
  });

  it('uses the old name of the groups field in v1beta1', async () => {
    answer = { allowed: true };
    await webhook({ version: 'v1beta1' }).authorize(asked);
    assert.equal(bodies[0]?.apiVersion, naming.apiVersion('authorization', 'v1beta1'));
    assert.deepEqual((bodies[0]!.spec as { group: string[] }).group, ['dev', 'ops']);
  });

  const failed = 'an error on the server has prevented the request from succeeding';
  const cases: [answer: unknown, decision: Decision | RegExp][] = [
    [
      { allowed: true, reason: 'fine' },
      { verdict: 'allow', reason: 'fine' },
    ],
    [
      { allowed: false, reason: 'hm' },
      { verdict: 'no-opinion', reason: 'hm' },
    ],
    [
      { allowed: false, denied: true, reason: 'never' },
      { verdict: 'deny', reason: 'never' },
    ],
    [
      { allowed: false, evaluationError: 'could not decide' },
      { verdict: 'no-opinion', reason: '' },
    ],
    [
      { allowed: true, denied: true, reason: 'both' },
      {
        verdict: 'deny',
        reason: 'both',
        error: 'webhook subject access review returned both allow and deny response',
      },
    ],
    [{ allowed: 'true' }, { verdict: 'no-opinion', reason: '' }],
    [undefined, { verdict: 'no-opinion', reason: '' }],
    ['junk', { verdict: 'no-opinion', reason: '' }],
    [400, { verdict: 'no-opinion', reason: '', error: 'the server rejected our request for an unknown reason' }],
    [500, { verdict: 'no-opinion', reason: '', error: failed }],
    ['slow', /cannot reach/],
    ['dead', /cannot reach/],
  ];
  for (const [given, expected] of cases)
    it(`decides for ${JSON.stringify(given)}`, async () => {
      answer = given;
      const decision = await webhook({}, server.ca, given === 'slow' ? 300 : undefined).authorize(asked);
      if (!(expected instanceof RegExp)) return assert.deepEqual(decision, expected);
      assert.equal(decision.verdict, 'no-opinion');
      assert.match(decision.error ?? '', expected);
    });

  it('sends the token that its file currently contains', async () => {
    const tokenFile = path.join(mkdtempSync(path.join(tmpdir(), 'review-token-')), 'token');
    const client = reviewClient({ server: server.url, ca: server.ca, tokenFile }, { retryMs: 5 });
    answer = { allowed: true };
    for (const token of ['first', 'second']) {
      writeFileSync(tokenFile, `${token}\n`);
      await webhook({ client, allowedMs: 0 }).authorize(asked);
      assert.equal(authorizationHeader, `Bearer ${token}`);
    }
  });

  it('refuses a server with another certificate', async () => {
    answer = { allowed: true };
    const other = await startTlsServer(() => {});
    const decision = await webhook({}, other.ca).authorize(asked);
    await other.stop();
    assert.equal(decision.verdict, 'no-opinion');
    assert.match(decision.error ?? '', /cannot reach/);
  });

  it('caches allowed and denied requests, each for its own time, and no failures', async () => {
    const authorizer = webhook();
    const calls = async (wait: number) => {
      now += wait;
      const before = bodies.length;
      await authorizer.authorize(asked);
      return bodies.length - before;
    };
    answer = 400;
    assert.deepEqual([await calls(0), await calls(0)], [1, 1]);
    answer = { allowed: false };
    assert.deepEqual([await calls(0), await calls(29_000), await calls(1001)], [1, 0, 1]);
    answer = { allowed: true };
    assert.deepEqual([await calls(30_001), await calls(299_000), await calls(1001)], [1, 0, 1]);
    const huge = { ...asked, name: 'x'.repeat(10_000) };
    await authorizer.authorize(huge);
    const before = bodies.length;
    await authorizer.authorize(huge);
    assert.equal(bodies.length, before + 1, 'long questions are not remembered');
  });
});
