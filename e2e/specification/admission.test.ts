import assert from 'node:assert/strict';
import { type HookServer, startHookServer } from '#server/admission/webhooks/testing/hook-server.ts';
import { aroundAll } from '#server/testing/around-all.ts';
import type { TestAnswer, TestReplica } from '#server/testing/replica.ts';
import { converse } from './conversation.ts';
import { PLUGINS } from './conversations/admission-plugins.ts';
import { HOOKS, MERGE, NS, pod, rule, webhook } from './conversations/admission-requests.ts';
import { FIELDS } from './conversations/webhook-fields.ts';

describe('the specification: admission', () => {
  let replica: TestReplica;
  let hook: HookServer;
  let seen = 0;
  aroundAll((started) => {
    replica = started;
  });
  before(async () => {
    hook = await startHookServer({
      deny: { response: { allowed: false, status: { code: 418, message: 'no tea' } } },
      far: { response: { allowed: false, status: { code: 700, message: 'far' } } },
      bare: { response: { allowed: false } },
      label: { patch: [{ op: 'add', path: '/metadata/labels', value: { from: 'webhook' } }] },
      warn: { response: { warnings: ['mind the gap', 'twice'] } },
      lengthy: { response: { warnings: ['é'.repeat(300), 'short'] } },
      long: { response: { warnings: Array.from({ length: 20 }, (_, i) => `${i}`.padEnd(300, 'x')) } },
      other: { response: { uid: 'another' } },
      odd: { response: { patchType: 'Merge', patch: Buffer.from('[]').toString('base64') } },
      slow: { delayMs: 5000 },
    });
    await replica.call('POST', '/api/v1/namespaces', {
      body: { metadata: { name: 'hooked', labels: { hooked: 'yes' } } },
    });
  });
  after(() => hook.stop());
  converse(() => replica, PLUGINS);
  converse(() => replica, FIELDS);
  const MAPS = '/api/v1/namespaces/hooked/configmaps';
  let number = 0;
  /** Runs an action while a webhook of the path is registered, and returns the requests that the webhook got. */
  async function hooked(
    path: string,
    more: object,
    act: () => Promise<TestAnswer>,
    kind: 'mutating' | 'validating' = 'validating',
  ): Promise<{ answer: TestAnswer; calls: HookServer['calls'] }> {
    const target = `${HOOKS}/${kind}webhookconfigurations`;
    const name = `c${number++}`;
    const made = await replica.call('POST', target, {
      body: {
        metadata: { name },
        webhooks: [
          webhook({
            clientConfig: { url: `${hook.url}/${path}`, caBundle: Buffer.from(hook.ca).toString('base64') },
            rules: [rule({ resources: ['configmaps'] })],
            namespaceSelector: { matchLabels: { hooked: 'yes' } },
            ...more,
          }),
        ],
      },
    });
    assert.equal(made.status, 201, made.text);
    seen = hook.calls.length;
    const answer = await act();
    assert.equal((await replica.call('DELETE', `${target}/${name}`)).status, 200);
    return { answer, calls: hook.calls.slice(seen) };
  }
  const create =
    (name: string, query = '', more: object = {}) =>
    () =>
      replica.call('POST', `${MAPS}${query}`, { body: { metadata: { name }, ...more } });
  describe('by webhooks', () => {
    // biome-ignore lint/suspicious/noExplicitAny: tests look into reviews of any kind
    let created: any;
    // biome-ignore lint/suspicious/noExplicitAny: tests look into reviews of any kind
    let updated: any;
    // biome-ignore lint/suspicious/noExplicitAny: tests look into reviews of any kind
    let deleted: any;
    let headers: HookServer['calls'][number]['headers'];
    before(async () => {
      const one = await hooked('', {}, create('asked', '?fieldManager=me', { data: { a: '1' } }));
      created = one.calls[0]!.request;
      headers = one.calls[0]!.headers;
      const change = () =>
        replica.call('PATCH', `${MAPS}/asked?dryRun=All`, {
          headers: {
            ...MERGE,
            'Impersonate-User': 'jane',
            'Impersonate-Group': 'system:masters',
            'Impersonate-Uid': 'u',
            'Impersonate-Extra-scopes': 's',
          },
          body: { data: { a: '2' } },
        });
      updated = (await hooked('', {}, change)).calls[0]!.request;
      deleted = (await hooked('', {}, () => replica.call('DELETE', `${MAPS}/asked`))).calls[0]!.request;
    });
    it('webhooks are called by POST with JSON', () =>
      assert.match(String(headers['content-type']), /^application\/json/));
    it('each call has a different uid', () => {
      assert.match(created.uid, /^[0-9a-f-]{36}$/);
      assert.notEqual(created.uid, updated.uid);
    });
    it('a call contains the kind of the object', () =>
      assert.deepEqual(created.kind, { group: '', version: 'v1', kind: 'ConfigMap' }));
    it('a call contains the resource', () =>
      assert.deepEqual(created.resource, { group: '', version: 'v1', resource: 'configmaps' }));
    it('a call without a sub-resource names none', () => assert.equal(created.subResource, undefined));
    it('a call contains the requested kind and resource, which are the same without conversion', () => {
      assert.deepEqual(created.requestKind, created.kind);
      assert.deepEqual(created.requestResource, created.resource);
    });
    it('a call names the object and its namespace', () =>
      assert.deepEqual([created.name, created.namespace], ['asked', 'hooked']));
    it('the operation is CREATE, UPDATE or DELETE', () =>
      assert.deepEqual(
        [created, updated, deleted].map(({ operation }) => operation),
        ['CREATE', 'UPDATE', 'DELETE'],
      ));
    it('a call contains the user with uid, groups and extra values', () => {
      const { username, uid, groups, extra } = updated.userInfo;
      assert.deepEqual([username, uid, extra], ['jane', 'u', { scopes: ['s'] }]);
      assert.ok(groups.includes('system:masters'));
    });
    it('object is the new object, and null for a delete', () => {
      assert.deepEqual([created.object.data, updated.object.data, deleted.object], [{ a: '1' }, { a: '2' }, null]);
    });
    it('oldObject is the stored object, and null for a create', () => {
      assert.deepEqual(
        [created.oldObject, updated.oldObject.data, deleted.oldObject.data],
        [null, { a: '1' }, { a: '1' }],
      );
    });
    it('options are those of the operation', () => {
      assert.deepEqual(
        [created, updated, deleted].map(({ options }) => options.kind),
        ['CreateOptions', 'UpdateOptions', 'DeleteOptions'],
      );
      assert.equal(created.options.fieldManager, 'me');
    });
    it('dryRun is true for a dry run', () =>
      assert.deepEqual(
        [created, updated, deleted].map(({ dryRun }) => dryRun),
        [false, true, false],
      ));
    it('a review has the first version that both sides support', async () => {
      const { answer, calls } = await hooked(
        '',
        { admissionReviewVersions: ['v9', 'v1beta1', 'v1'] },
        create('versions'),
      );
      assert.equal(answer.status, 201, answer.text);
      assert.deepEqual(
        calls.map(({ apiVersion }) => apiVersion),
        ['admission.orch.io/v1beta1'],
      );
    });
    it('a response without allowed is a refusal', async () => {
      const { answer } = await hooked('bare', {}, create('refused'));
      assert.equal(answer.status, 400);
      assert.match(answer.json.message, /denied the request/);
    });
    it('a refusal has the code and the message of the webhook', async () => {
      const { answer } = await hooked('deny', {}, create('refused'));
      assert.equal(answer.status, 418);
      assert.match(answer.json.message, /no tea$/);
    });
    it('a response with another uid is an error', async () => {
      const { answer } = await hooked('other', {}, create('refused'));
      assert.equal(answer.status, 500);
      assert.match(answer.json.message, /failed calling webhook/);
    });
    it('a patch is a JSON patch in base64', async () => {
      const { answer } = await hooked('label', {}, create('patched'), 'mutating');
      assert.deepEqual(answer.json.metadata.labels, { from: 'webhook' });
    });
    it('other types of patches are refused', async () => {
      const { answer } = await hooked('odd', {}, create('odd'), 'mutating');
      assert.equal(answer.status, 500);
    });
    it('validating webhooks cannot patch', async () => {
      const { answer } = await hooked('label', {}, create('unpatched'));
      assert.equal(answer.status, 500);
      assert.match(answer.json.message, /may not return response.patch/);
    });
    it('refusals are counted by name, operation, type, cause and code, which is at most 600', async () => {
      await hooked('far', { name: 'far.example.com' }, create('far'));
      await hooked('other', { name: 'failing.example.com' }, create('failing'), 'mutating');
      const { text } = await replica.call('GET', '/metrics');
      const lines = text.split('\n').filter((line) => line.startsWith('apiserver_admission_webhook_rejection_count{'));
      const of = (name: string) => lines.filter((line) => line.includes(`name="${name}"`));
      assert.deepEqual(of('far.example.com'), [
        'apiserver_admission_webhook_rejection_count{error_type="no_error",name="far.example.com",operation="CREATE",rejection_code="600",type="validating"} 1',
      ]);
      assert.deepEqual(of('failing.example.com'), [
        'apiserver_admission_webhook_rejection_count{error_type="calling_webhook_error",name="failing.example.com",operation="CREATE",rejection_code="503",type="admit"} 1',
      ]);
    });
    it('warnings reach the client with the code 299', async () => {
      const { answer } = await hooked('warn', {}, create('warned'));
      assert.equal(String(answer.headers['warning']), '299 - "mind the gap", 299 - "twice"');
    });
    it('each warning is cut to 256 characters', async () => {
      const { answer } = await hooked('lengthy', {}, create('lengthy'));
      const warning = Buffer.from(String(answer.headers['warning']), 'latin1').toString();
      assert.equal(warning, `299 - "${'é'.repeat(256)}", 299 - "short"`);
    });
    it('warnings beyond 4096 characters in total are dropped', async () => {
      const { answer } = await hooked('long', {}, create('long'));
      const texts = String(answer.headers['warning'])
        .split(', ')
        .map((one) => one.slice('299 - "'.length, -1));
      assert.deepEqual([...new Set(texts.map(({ length }) => length))], [256]);
      assert.ok(texts.length < 20 && texts.join('').length <= 4096 + 256, String(texts.length));
    });
    it('a webhook timeout is handled by the failure policy', async () => {
      const began = Date.now();
      const { answer } = await hooked('slow', { timeoutSeconds: 1 }, create('late'));
      assert.equal(answer.status, 500);
      assert.ok(Date.now() - began < 4000);
    });
    it('the failure policy Ignore accepts the request if the webhook fails', async () => {
      const { answer } = await hooked('other', { failurePolicy: 'Ignore' }, create('ignored'));
      assert.equal(answer.status, 201);
    });
    it('one refusal refuses the request, and the client gets the error', async () => {
      const { answer } = await hooked('deny', { failurePolicy: 'Ignore' }, create('refused'));
      assert.equal(answer.status, 418);
      assert.equal((await replica.call('GET', `${MAPS}/refused`)).status, 404);
    });
    it('an object selector matches labels of the object', async () => {
      const selects = { objectSelector: { matchLabels: { tier: 'a' } } };
      const labelled = () => replica.call('POST', MAPS, { body: { metadata: { name: 'l', labels: { tier: 'a' } } } });
      assert.equal((await hooked('deny', selects, labelled)).answer.status, 418);
      assert.equal((await hooked('deny', selects, create('l'))).answer.status, 201);
    });
    it('an object selector matches the old object too', async () => {
      const selects = { objectSelector: { matchLabels: { tier: 'b' } } };
      await replica.call('POST', MAPS, { body: { metadata: { name: 'old', labels: { tier: 'b' } } } });
      const change = () =>
        replica.call('PATCH', `${MAPS}/old`, { headers: MERGE, body: { metadata: { labels: { tier: 'c' } } } });
      assert.equal((await hooked('deny', selects, change)).answer.status, 418);
    });
    it('a namespace selector matches labels of the namespace', async () => {
      const elsewhere = () =>
        replica.call('POST', `${NS}/configmaps?dryRun=All`, { body: { metadata: { name: 'n' } } });
      assert.equal((await hooked('deny', {}, elsewhere)).answer.status, 201);
    });
    it('a namespace selector matches namespace objects by their own labels', async () => {
      const rules = [rule({ resources: ['namespaces'] })];
      const change = () =>
        replica.call('PATCH', '/api/v1/namespaces/hooked', {
          headers: MERGE,
          body: { metadata: { annotations: { a: 'b' } } },
        });
      assert.equal((await hooked('deny', { rules }, change)).answer.status, 418);
    });
    it('a namespace selector has no effect on other cluster-scoped objects', async () => {
      const rules = [rule({ resources: ['nodes'] })];
      const make = () => replica.call('POST', '/api/v1/nodes?dryRun=All', { body: { metadata: { name: 'n2' } } });
      assert.equal((await hooked('deny', { rules }, make)).answer.status, 418);
    });
    it('webhooks without side effects get dry runs, with dryRun set', async () => {
      for (const sideEffects of ['None', 'NoneOnDryRun']) {
        const { answer, calls } = await hooked('', { sideEffects }, create('trial', '?dryRun=All'));
        assert.deepEqual([answer.status, calls[0]?.request.dryRun], [201, true]);
      }
    });
    it('a webhook takes effect soon after it is registered', async () => {
      const { answer } = await hooked('deny', {}, create('soon'));
      assert.equal(answer.status, 418);
      assert.equal((await create('soon')()).status, 201);
    });
    it('reads are not sent to webhooks', async () => {
      const { answer, calls } = await hooked('deny', {}, () => replica.call('GET', MAPS));
      assert.deepEqual([answer.status, calls.length], [200, 0]);
    });
    it('connect requests are sent to webhooks as CONNECT, without oldObject and options', async () => {
      await replica.call('POST', '/api/v1/namespaces/hooked/serviceaccounts', {
        body: { metadata: { name: 'default' } },
      });
      await replica.call('POST', '/api/v1/namespaces/hooked/pods', pod('c'));
      const rules = [rule({ resources: ['pods/*'] })];
      const connect = () => replica.call('POST', '/api/v1/namespaces/hooked/pods/c/exec?command=x&stdout=1');
      const { answer, calls } = await hooked('deny', { rules }, connect);
      assert.equal(answer.status, 418, answer.text);
      const { operation, subResource, oldObject, options } = calls[0]!.request;
      assert.deepEqual([operation, subResource, oldObject, options], ['CONNECT', 'exec', null, null]);
    });
    it('a webhook service is called by its name in the domain svc', async () => {
      const service = { namespace: 'hooked', name: 'none', port: 8443 };
      const clientConfig = { service, caBundle: Buffer.from(hook.ca).toString('base64') };
      const { answer } = await hooked('', { clientConfig }, create('svc'));
      assert.equal(answer.status, 500);
      assert.match(answer.json.message, /none\.hooked\.svc:8443/);
    });
  });
});
