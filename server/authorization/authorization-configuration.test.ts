import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError } from '#base/errors/config-error.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { releaseOf } from '#base/release/release.ts';
import { type Attributes, resourceAttributes } from '../api/attributes.ts';
import { ReviewError } from '../outbound/review-client.ts';
import { type ConfiguredWebhook, configuredAuthorizer } from './authorization-configuration.ts';
import { NO_OPINION } from './authorizer.ts';
import { webhookAuthorizer } from './webhook.ts';

const naming = createNaming('orch');
const user = { name: 'jane', uid: 'u', groups: ['dev'], extra: { team: ['a'] } };
const pods = resourceAttributes(user, { verb: 'get', group: '', version: 'v1', resource: 'pods', namespace: 'n' });
const page: Attributes = { ...pods, isResource: false, path: '/metrics', resource: '', namespace: '' };

describe('the authorization configuration file', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'authorizers-'));
  const file = path.join(folder, 'authorization.json');
  let asked: JsonObject[];
  let answer: () => JsonObject;
  let errors: unknown[];
  let counted: boolean[];
  let now: number;

  beforeEach(() => {
    asked = [];
    errors = [];
    counted = [];
    now = 0;
    answer = () => ({ allowed: true });
  });
  after(() => rmSync(folder, { recursive: true }));

  const webhook = (name: string, more: object = {}) => ({
    type: 'Webhook',
    name,
    webhook: {
      authorizedTTL: '5m',
      unauthorizedTTL: '30s',
      timeout: '3s',
      subjectAccessReviewVersion: 'v1',
      matchConditionSubjectAccessReviewVersion: 'v1',
      failurePolicy: 'NoOpinion',
      connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: '/none' },
      ...more,
    },
  });
  const onlyIf = (...expressions: string[]) => ({ matchConditions: expressions.map((expression) => ({ expression })) });
  const write = (...authorizers: object[]) =>
    writeFileSync(
      file,
      JSON.stringify({ apiVersion: 'apiserver.config.orch.io/v1', kind: 'AuthorizationConfiguration', authorizers }),
    );
  const made = (own: ConfiguredWebhook) =>
    webhookAuthorizer({
      naming,
      ...own,
      client: async (review) => {
        asked.push(review);
        return answer();
      },
    });
  const read = () =>
    configuredAuthorizer(file, {
      naming,
      release: releaseOf('1.37'),
      make: (mode, own) =>
        own === undefined
          ? { authorize: () => ({ ...NO_OPINION, reason: mode }), rules: () => assert.fail() }
          : made(own),
      onError: (error) => errors.push(error),
      now: () => now,
      reloads: () => (isOk) => counted.push(isOk),
    });

  const conditions: [texts: string[], attributes: Attributes, asks: number, verdict: string][] = [
    [[], pods, 1, 'allow'],
    [['has(request.resourceAttributes)'], pods, 1, 'allow'],
    [['has(request.resourceAttributes)'], page, 0, 'no-opinion'],
    [['request.nonResourceAttributes.path == "/metrics"'], page, 1, 'allow'],
    [['request.resourceAttributes.namespace == "n"', '"dev" in request.groups'], pods, 1, 'allow'],
    [['request.user == "jane"', '!("dev" in request.groups)'], pods, 0, 'no-opinion'],
    [['request.extra["team"] == ["a"]'], pods, 1, 'allow'],
    [['request.extra["none"] == ["a"]'], pods, 0, 'no-opinion'],
    [['request.extra["none"] == ["a"]', 'false'], pods, 0, 'no-opinion'],
  ];
  for (const [texts, attributes, asks, verdict] of conditions)
    it(`${asks === 1 ? 'asks' : 'does not ask'} about ${attributes.path || 'pods'} with ${JSON.stringify(texts)}`, async () => {
      write(webhook('one', onlyIf(...texts)));
      const decision = await read().authorize(attributes);
      assert.deepEqual([asked.length, decision.verdict], [asks, verdict]);
    });

  it('denies a request if a webhook with failurePolicy Deny fails', async () => {
    const fails = onlyIf('request.extra["none"] == ["a"]');
    write(webhook('one', { ...fails, failurePolicy: 'Deny' }), { type: 'RBAC', name: 'rules' });
    const decision = await read().authorize(pods);
    assert.equal(decision.verdict, 'deny');
    assert.match(decision.error ?? '', /no such key/);
    write(webhook('one', { failurePolicy: 'Deny' }));
    answer = () => {
      throw new ReviewError('gone');
    };
    assert.deepEqual(await read().authorize(pods), { verdict: 'deny', reason: '', error: 'gone' });
  });

  it('asks several webhooks in order, and names them in the reason', async () => {
    answer = () => ({ allowed: false, reason: 'not me' });
    write(webhook('one'), webhook('two'), { type: 'RBAC', name: 'rules' });
    const decision = await read().authorize(pods);
    assert.deepEqual([asked.length, decision.reason], [2, 'one: not me\ntwo: not me\nrules: RBAC']);
  });

  it('does not cache answers if caching is disabled', async () => {
    write(webhook('one', { cacheAuthorizedRequests: false }));
    const { authorize } = read();
    await authorize(pods);
    await authorize(pods);
    assert.equal(asked.length, 2);
  });

  it('is reloaded if webhooks change, but not if other authorizers change', async () => {
    write({ type: 'RBAC', name: 'rules' });
    const { authorize } = read();
    assert.equal((await authorize(pods)).verdict, 'no-opinion');
    write({ type: 'RBAC', name: 'rules' }, webhook('late'));
    now += 10_000;
    assert.equal((await authorize(pods)).verdict, 'allow');
    write({ type: 'Node', name: 'nodes' });
    now += 10_000;
    assert.equal((await authorize(pods)).verdict, 'allow');
    assert.match(String(errors[0]), /only webhooks can change/);
    assert.deepEqual(counted, [true, false]);
  });

  const mistakes: [authorizers: object[], said: RegExp][] = [
    [[], /authorizers/],
    [[{ type: 'Odd', name: 'a' }], /authorizers\[0\].type/],
    [
      [
        { type: 'RBAC', name: 'a' },
        { type: 'RBAC', name: 'b' },
      ],
      /\[1\].type stands there twice/,
    ],
    [[webhook('a'), webhook('a')], /\[1\].name stands there twice/],
    [[{ type: 'Webhook', name: 'a' }], /webhook is missing/],
    [[{ ...webhook('a'), type: 'RBAC' }], /webhook goes with the type Webhook alone/],
    [[webhook('a', { timeout: '31s' })], /timeout must be at most 30s/],
    [[webhook('a', { authorizedTTL: '0s' })], /authorizedTTL must be longer/],
    [[webhook('a', { connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: 'x' } })], /absolute path/],
    [[webhook('a', onlyIf('request.nope'))], /undefined field 'nope'/],
    [[webhook('a', onlyIf('request.user'))], /must evaluate to bool but got string/],
    [[webhook('a', onlyIf('true', 'true'))], /matchConditions\[1\].expression stands there twice/],
    [
      [webhook('a', { ...onlyIf('true'), matchConditionSubjectAccessReviewVersion: null })],
      /matchConditionSubjectAccessReviewVersion is missing/,
    ],
  ];
  for (const [authorizers, said] of mistakes)
    it(`is refused with ${JSON.stringify(authorizers).slice(0, 80)}: ${said.source}`, () => {
      write(...authorizers);
      assert.throws(read, (error) => error instanceof ConfigError && said.test(error.message));
    });
});
