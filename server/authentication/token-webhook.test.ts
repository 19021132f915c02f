import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { CLIENT_AUTH, CN, makeCertificate } from '#base/x509/make-certificate.ts';
import { type ReviewClientOptions, reviewClient } from '../outbound/review-client.ts';
import { CredentialError } from './authenticator.ts';
import { answerJson, startTlsServer, type TestServer } from './testing/tls-server.ts';
import { type TokenWebhookOptions, tokenWebhookAuthenticator } from './token-webhook.ts';

const naming = createNaming('orch');

describe('token webhook', () => {
  let server: TestServer;
  let answers: (unknown | number | 'slow' | 'dead')[];
  let bodies: { apiVersion: string; spec: object }[];
  let now: number;
  /** The kind and version in the answers. */
  let typeMeta: object;

  before(async () => {
    server = await startTlsServer((request, response, body) => {
      bodies.push(JSON.parse(body));
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer === 'slow') return;
      if (answer === 'dead') return request.socket.destroy();
      if (typeof answer === 'number') return answerJson(response, {}, answer);
      if (typeof answer === 'string') return response.end(answer);
      answerJson(response, { ...typeMeta, spec: { token: 'another' }, status: answer });
    }, true);
  });
  after(() => server.stop());
  beforeEach(() => {
    bodies = [];
    typeMeta = {};
    now = Date.now();
  });

  const webhook = (options: Partial<TokenWebhookOptions> = {}, client: ReviewClientOptions = {}, identified = true) => {
    const own = makeCertificate({ subject: [[CN, 'us']], by: server.authority, usages: [CLIENT_AUTH] });
    const connection = {
      server: `${server.url}/review`,
      ca: server.ca,
      ...(identified && { clientCertificate: own.pem, clientKey: own.keyPem }),
    };
    return tokenWebhookAuthenticator({
      client: reviewClient(connection, { retryMs: 10, ...client }),
      version: 'v1',
      cacheMs: 120_000,
      audiences: ['us'],
      naming,
      now: () => now,
      ...options,
    });
  };
  const jane = { username: 'jane', uid: 'u', groups: ['g'], extra: { k: ['v'] } };
  const user = { name: 'jane', uid: 'u', groups: ['g'], extra: { k: ['v'] } };

  it('authenticates with the client certificate of its connection file', async () => {
    answers = [{ authenticated: true, user: jane }];
    assert.deepEqual(await webhook()('t0ken', ['us']), { user, audiences: ['us'] });
    assert.deepEqual(bodies[0], {
      apiVersion: naming.apiVersion('authentication', 'v1'),
      kind: 'TokenReview',
      metadata: { creationTimestamp: null },
      spec: { token: 't0ken', audiences: ['us'] },
    });
    await assert.rejects(webhook({}, { attempts: 1 }, false)('t0ken', ['us']), CredentialError);
  });

  it('can use v1beta1', async () => {
    answers = [{ authenticated: true, user: jane }];
    await webhook({ version: 'v1beta1' })('t', ['us']);
    assert.equal(bodies[0]?.apiVersion, naming.apiVersion('authentication', 'v1beta1'));
  });

  const cases: [what: string, status: unknown, wanted: string[], expected: object | undefined | 'refused'][] = [
    ['authenticated false', { authenticated: false }, ['us'], undefined],
    ['an error', { authenticated: false, error: 'expired' }, ['us'], 'refused'],
    [
      'only a user name',
      { authenticated: true, user: { username: 'x' } },
      ['us'],
      { user: { name: 'x', uid: '', groups: [], extra: {} }, audiences: ['us'] },
    ],
    ['other audiences', { authenticated: true, user: jane, audiences: ['them'] }, ['us'], undefined],
    [
      'some of the audiences',
      { authenticated: true, user: jane, audiences: ['b', 'a'] },
      ['a', 'c', 'b'],
      { user, audiences: ['a', 'b'] },
    ],
    ['no user name', { authenticated: true, user: {} }, ['us'], 'refused'],
    ['a string instead of a boolean', { authenticated: 'true', user: jane }, ['us'], undefined],
    ['no status', undefined, ['us'], undefined],
    ['a string as status', 'junk', ['us'], undefined],
  ];
  for (const [what, status, wanted, expected] of cases)
    it(`handles an answer with ${what}`, async () => {
      answers = [status];
      const found = webhook()('t', wanted);
      if (expected === 'refused') await assert.rejects(found, CredentialError);
      else assert.deepEqual(await found, expected);
    });

  it('accepts answers only in the requested version', async () => {
    answers = [{ authenticated: true, user: jane }];
    const kind = 'TokenReview';
    const versions: [typeMeta: object, taken: boolean][] = [
      [{ apiVersion: naming.apiVersion('authentication', 'v1'), kind }, true],
      [{ kind }, true],
      [{ apiVersion: naming.apiVersion('authentication', 'v1beta1'), kind }, false],
      [{ apiVersion: naming.apiVersion('authentication', 'v1'), kind: 'Status' }, false],
    ];
    for (const [says, taken] of versions) {
      typeMeta = says;
      if (taken) assert.ok(await webhook()('t', ['us']));
      else await assert.rejects(webhook()('t', ['us']), { message: /answered with another/ });
    }
  });

  it('caches answers for their time, by token and audience', async () => {
    answers = [{ authenticated: true, user: jane }];
    const authenticate = webhook();
    for (let i = 0; i < 3; i++) await authenticate('t', ['us']);
    assert.equal(bodies.length, 1);
    await authenticate('other', ['us']);
    await authenticate('t', ['us', 'x']);
    assert.equal(bodies.length, 3);
    now += 120_001;
    await authenticate('t', ['us']);
    assert.equal(bodies.length, 4);
  });

  it('asks once for many simultaneous requests with the same token', async () => {
    answers = [{ authenticated: true, user: jane }];
    const authenticate = webhook({ cacheMs: 0 });
    await Promise.all(Array.from({ length: 10 }, () => authenticate('t', ['us'])));
    assert.equal(bodies.length, 1);
  });

  it('asks again after temporary failures, and does not cache them', async () => {
    const authenticate = webhook();
    answers = [503, 'dead', 429, { authenticated: true, user: jane }];
    assert.deepEqual((await authenticate('t', ['us']))?.user, user);
    assert.equal(bodies.length, 4);
    answers = [500];
    await assert.rejects(authenticate('t2', ['us']), { message: /an error on the server/ });
    assert.equal(bodies.length, 9, 'five attempts');
    answers = [{ authenticated: true, user: jane }];
    assert.deepEqual((await authenticate('t2', ['us']))?.user, user);
  });

  it('does not ask again after a permanent failure', async () => {
    answers = [400];
    await assert.rejects(webhook()('t', ['us']), {
      message: 'token review: the server rejected our request for an unknown reason',
    });
    assert.equal(bodies.length, 1);
  });

  it('stops waiting for a server that does not answer', async () => {
    answers = ['slow'];
    await assert.rejects(webhook({}, { timeoutMs: 400 })('t', ['us']), CredentialError);
  });
});
