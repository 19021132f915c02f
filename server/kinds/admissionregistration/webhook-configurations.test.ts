import assert from 'node:assert/strict';
import { latestRelease } from '#base/release/release.ts';
import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '#schema/generated/admissionregistration.v1.ts';
import type { KindRules } from '../../api/resource-definition.ts';
import { KindTester } from '../testing/kind-tester.ts';
import { createWebhookRules } from './webhook-configurations.ts';

const [mutatingWebhookConfiguration, validatingWebhookConfiguration] = createWebhookRules(latestRelease) as [
  KindRules<MutatingWebhookConfiguration>,
  KindRules<ValidatingWebhookConfiguration>,
];
const VERSION = 'admissionregistration.v1';
const mutating = new KindTester(mutatingWebhookConfiguration, VERSION, 'MutatingWebhookConfiguration');
const validating = new KindTester(validatingWebhookConfiguration, VERSION, 'ValidatingWebhookConfiguration');

const webhook = (more: object = {}) => ({
  name: 'a.example.com',
  clientConfig: { url: 'https://x' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...more,
});
const rule = (...resources: string[]) => ({ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources });
const errors = (...webhooks: object[]) =>
  validating.errors({ webhooks }).map((line) => line.slice('webhooks[0].'.length, line.indexOf(': ')));

describe('a webhook configuration', () => {
  it('has default values for webhooks', () => {
    const [made] = mutating.created({ webhooks: [webhook({ rules: [rule('*')] })] }).webhooks ?? [];
    const { failurePolicy, matchPolicy, timeoutSeconds, reinvocationPolicy, rules } = made!;
    assert.deepEqual(
      { failurePolicy, matchPolicy, timeoutSeconds, reinvocationPolicy, scope: rules?.[0]?.scope },
      {
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        timeoutSeconds: 10,
        reinvocationPolicy: 'Never',
        scope: '*',
      },
    );
  });

  it('needs either a URL or a service for each webhook', () => {
    const at = (clientConfig: object) => errors(webhook({ clientConfig }));
    assert.deepEqual(at({ url: 'https://x:1/y' }), []);
    assert.deepEqual(at({}), ['clientConfig']);
    assert.deepEqual(at({ url: 'ftp://u@x/?a=b#c' }), Array(4).fill('clientConfig.url'));
    const under = (path: string) => at({ service: { name: 's', namespace: 'n', path } });
    assert.deepEqual(under('/a/'), []);
    assert.deepEqual(under('noslash'), ['clientConfig.service.path']);
    assert.deepEqual(under('no//slash'), Array(2).fill('clientConfig.service.path'));
  });

  it('may have a placeholder for its CA bundle, which another program replaces', () => {
    const trusting = (caBundle: string) => webhook({ clientConfig: { url: 'https://x', caBundle } });
    for (const caBundle of ['', 'Cg==', 'bm8=']) assert.deepEqual(errors(trusting(caBundle)), [], caBundle);
  });

  it('cannot contain a resource twice in a rule', () => {
    const about = (...resources: string[]) => errors(webhook({ rules: [rule(...resources)] }));
    assert.deepEqual(about('*', '*/status', 'a/b/c'), []);
    assert.deepEqual(about('*/*', '*'), ['rules[0].resources']);
    assert.deepEqual(about('pods/*', 'pods/status'), ['rules[0].resources[1]']);
    assert.deepEqual(about('*', 'pods'), ['rules[0].resources']);
    assert.deepEqual(about('pods', '*'), [], 'the last resource counts');
  });

  it('needs unique webhook names and a supported review version', () => {
    assert.deepEqual(errors(webhook(), webhook()), ['name']);
    assert.deepEqual(errors(webhook({ admissionReviewVersions: ['v2'] })), ['admissionReviewVersions']);
    assert.deepEqual(errors(webhook({ admissionReviewVersions: ['v1', 'v1'] })), ['admissionReviewVersions[1]']);
    assert.deepEqual(validating.errors({ webhooks: [webhook({ admissionReviewVersions: ['v1', 'v1'] })] }), [
      'webhooks[0].admissionReviewVersions[1]: Invalid value: "v1": duplicate version',
    ]);
  });
});
