import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { startBootstrappedEtcd } from '../../testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica } from '../../testing/replica.ts';
import { type HookServer, startHookServer } from './testing/hook-server.ts';

const naming = createNaming('orch');
const CONFIGURATIONS = `/apis/${naming.group('admissionregistration')}/v1`;
const NAMESPACE = '/api/v1/namespaces/testing';
const AUTOSCALERS = 'namespaces/testing/horizontalpodautoscalers';

function rule(resource: string, group = '', version = 'v1', operations = ['CREATE']): object {
  return { operations, apiGroups: [group], apiVersions: [version], resources: [resource] };
}

describe('mutating admission webhooks', () => {
  let etcd: EtcdProcess;
  let replica: TestReplica;
  let hook: HookServer;

  /** The calls of the backend since the last time, as `path` or as the result of `show`. */
  let told = 0;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into reviews of any kind
  function calls(show: (request: any) => unknown = () => ''): string[] {
    const fresh = hook.calls.slice(told);
    told = hook.calls.length;
    return fresh.map(({ path, request }) => `${path} ${JSON.stringify(show(request))}`);
  }

  async function register(kind: 'mutating' | 'validating', ...webhooks: readonly [path: string, more: object][]) {
    const body = {
      metadata: { name: 'c' },
      webhooks: webhooks.map(([path, more]) => ({
        name: `${path}.example.com`,
        clientConfig: { url: `${hook.url}/${path}`, caBundle: Buffer.from(hook.ca).toString('base64') },
        rules: [rule('configmaps')],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        ...more,
      })),
    };
    const answer = await replica.call('POST', `${CONFIGURATIONS}/${kind}webhookconfigurations`, { body });
    assert.equal(answer.status, 201, answer.text);
  }

  before(async () => {
    hook = await startHookServer({
      one: { patch: [{ op: 'add', path: '/data/one', value: '1' }] },
      two: { patch: [{ op: 'add', path: '/data/two', value: '2' }] },
      sidecar: { patch: [{ op: 'add', path: '/spec/containers/-', value: { name: 'side', image: 's' } }] },
      target: { patch: [{ op: 'replace', path: '/spec/targetCPUUtilizationPercentage', value: 77 }] },
      lifetime: { patch: [{ op: 'replace', path: '/spec/expirationSeconds', value: 900 }] },
      node: { patch: [{ op: 'replace', path: '/target/name', value: 'elsewhere' }] },
      replicas: { patch: [{ op: 'replace', path: '/spec/replicas', value: 7 }] },
      elsewhere: { patch: [{ op: 'replace', path: '/metadata/namespace', value: 'default' }] },
      absent: { patch: [{ op: 'remove', path: '/data/none' }] },
      wrong: { patch: [{ op: 'add', path: '/data/n', value: 5 }] },
      secret: { patch: [{ op: 'replace', path: '/kind', value: 'Secret' }] },
      kindless: {
        patch: [
          { op: 'remove', path: '/kind' },
          { op: 'add', path: '/data/kindless', value: '1' },
        ],
      },
      owners: { patch: [{ op: 'add', path: '/metadata/managedFields', value: [{ manager: 'me' }] }] },
    });
    etcd = await startBootstrappedEtcd();
    replica = await startReplica(etcd.endpoint);
    await replica.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'testing' } } });
    await replica.call('POST', `${NAMESPACE}/serviceaccounts`, { body: { metadata: { name: 'default' } } });
  });

  afterEach(async () => {
    for (const kind of ['mutating', 'validating']) {
      await replica.call('DELETE', `${CONFIGURATIONS}/${kind}webhookconfigurations/c`);
    }
    await replica.call('DELETE', `${NAMESPACE}/configmaps`);
    calls();
  });

  after(async () => {
    await replica.stop();
    await etcd.stop();
    await hook.stop();
  });

  const create = (query = '') =>
    replica.call('POST', `${NAMESPACE}/configmaps${query}`, { body: { metadata: { name: 'a' }, data: { k: 'v' } } });

  it('are called in order, each with the changes of the previous ones, and again if they request it', async () => {
    await register('mutating', ['one', { reinvocationPolicy: 'IfNeeded' }], ['look', {}], ['two', {}]);
    await register('validating', ['check', {}]);
    assert.deepEqual((await create()).json.data, { k: 'v', one: '1', two: '2' });
    assert.deepEqual(
      calls(({ object }) => Object.keys(object.data)),
      ['one ["k"]', 'look ["k","one"]', 'two ["k","one"]', 'one ["k","one","two"]', 'check ["k","one","two"]'],
    );
  });

  it('see new objects before the server completes them; validating webhooks see them afterwards', async () => {
    await register('mutating', ['look', {}]);
    await register('validating', ['check', {}]);
    await create('?fieldManager=me&dryRun=All');
    const seen = calls(({ object: { metadata }, options, dryRun }) => [
      metadata.uid !== undefined,
      metadata.creationTimestamp !== null,
      options.kind,
      options.fieldManager,
      options.dryRun,
      dryRun,
    ]);
    assert.deepEqual(seen, [
      'look [false,false,"CreateOptions","me",["All"],true]',
      'check [true,true,"CreateOptions","me",["All"],true]',
    ]);
  });

  it('see a new service before it has an address; validating webhooks see it afterwards', async () => {
    await register('mutating', ['look', { rules: [rule('services')] }]);
    await register('validating', ['check', { rules: [rule('services')] }]);
    const body = { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } };
    assert.equal((await replica.call('POST', `${NAMESPACE}/services`, { body })).status, 201);
    const seen = calls(({ object: { spec } }) => spec.clusterIP !== undefined);
    assert.deepEqual(seen, ['look false', 'check true']);
  });

  it('let the built-in plug-ins process their changes', async () => {
    await replica.call('POST', `${NAMESPACE}/limitranges`, {
      body: { metadata: { name: 'l' }, spec: { limits: [{ type: 'Container', default: { cpu: '500m' } }] } },
    });
    await register('mutating', ['sidecar', { rules: [rule('pods')] }]);
    const spec = { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] };
    const { json } = await replica.call('POST', `${NAMESPACE}/pods`, { body: { metadata: { name: 'p' }, spec } });
    const [, side] = json.spec.containers;
    assert.equal(side.imagePullPolicy, 'Always');
    assert.deepEqual(side.resources, { limits: { cpu: '500m' }, requests: { cpu: '500m' } });
  });

  it('get the version that their rules name, unless matchPolicy is Exact', async () => {
    const named = { rules: [rule('horizontalpodautoscalers', 'autoscaling', 'v1')] };
    await register('mutating', ['target', named], ['exact', { ...named, matchPolicy: 'Exact' }]);
    const target = { type: 'Utilization', averageUtilization: 50 };
    const spec = {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      maxReplicas: 3,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
    };
    const { json } = await replica.call('POST', `/apis/autoscaling/v2/${AUTOSCALERS}`, {
      body: { metadata: { name: 'h' }, spec },
    });
    assert.equal(json.spec.metrics[0].resource.target.averageUtilization, 77);
    assert.deepEqual(
      calls(({ kind, requestKind, object }) => [kind.version, requestKind.version, object.apiVersion]),
      ['target ["v1","v2","autoscaling/v1"]'],
    );
  });

  it('get and patch scales as Scale objects', async () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const deployments = '/apis/apps/v1/namespaces/testing/deployments';
    await replica.call('POST', deployments, {
      body: { metadata: { name: 'd' }, spec: { replicas: 0, selector: { matchLabels: { a: 'b' } }, template } },
    });
    await register('mutating', ['replicas', { rules: [rule('deployments/scale', 'apps', 'v1', ['UPDATE'])] }]);
    const { json } = await replica.call('PUT', `${deployments}/d/scale`, {
      body: { metadata: { name: 'd', namespace: 'testing' }, spec: { replicas: 2 } },
    });
    assert.equal(json.spec.replicas, 7);
    assert.deepEqual(
      calls(({ kind, resource, subResource, oldObject }) => [
        kind.kind,
        resource.resource,
        subResource,
        oldObject.kind,
      ]),
      ['replicas ["Scale","deployments","scale","Scale"]'],
    );
  });

  const refused: [path: string, code: number, why: RegExp][] = [
    ['elsewhere', 400, /does not match the namespace/],
    ['absent', 500, /Unable to remove nonexistent key: none/],
    ['wrong', 500, /cannot unmarshal number/],
    ['secret', 500, /changes the object's kind/],
  ];
  for (const [path, code, why] of refused) {
    it(`cannot change the identity of the object: ${path}`, async () => {
      await register('mutating', [path, { failurePolicy: 'Ignore' }]);
      const { status, json } = await create();
      assert.equal(status, code);
      assert.match(json.message, why);
    });
  }

  it('cannot remove the kind', async () => {
    await register('mutating', ['kindless', {}]);
    const { json } = await create();
    assert.deepEqual([json.kind, json.data?.kindless], ['ConfigMap', '1']);
  });

  it('get and patch requests for kinds that are not stored', async () => {
    await register('mutating', ['lifetime', { rules: [rule('serviceaccounts/token')] }]);
    const asked = { kind: 'TokenRequest', apiVersion: naming.apiVersion('authentication', 'v1'), spec: {} };
    const token = await replica.call('POST', `${NAMESPACE}/serviceaccounts/default/token`, { body: asked });
    assert.equal(token.json.spec.expirationSeconds, 900, token.text);
    assert.deepEqual(
      calls(({ kind, resource, subResource, object }) => [
        kind.kind,
        resource.resource,
        subResource,
        object.metadata.namespace,
      ]),
      ['lifetime ["TokenRequest","serviceaccounts","token","testing"]'],
    );
  });

  it('get token requests as the client sent them; validating webhooks get them with the answer', async () => {
    const about = { rules: [rule('serviceaccounts/token')] };
    await register('mutating', ['look', about]);
    await register('validating', ['check', about]);
    const token = await replica.call('POST', `${NAMESPACE}/serviceaccounts/default/token`, { body: {} });
    assert.equal(token.status, 201, token.text);
    assert.deepEqual(
      calls(({ object: { metadata, spec } }) => [
        metadata.name ?? '',
        metadata.creationTimestamp !== null,
        spec.audiences?.length ?? 0,
      ]),
      ['look ["",false,0]', 'check ["default",true,1]'],
    );
  });

  it('can change the node of a binding', async () => {
    await register('mutating', ['node', { rules: [rule('pods/binding')] }]);
    const container = { name: 'c', image: 'i' };
    const body = { metadata: { name: 'p' }, spec: { automountServiceAccountToken: false, containers: [container] } };
    await replica.call('POST', `${NAMESPACE}/pods`, { body });
    const binding = { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } };
    const bound = await replica.call('POST', `${NAMESPACE}/pods/p/binding`, { body: binding });
    assert.equal(bound.status, 201, bound.text);
    const pod = await replica.call('GET', `${NAMESPACE}/pods/p`);
    assert.equal(pod.json.spec.nodeName, 'elsewhere');
    calls();
    const again = await replica.call('POST', `${NAMESPACE}/bindings`, { body: binding });
    assert.deepEqual([again.status, calls()], [409, []], 'rules name the resource of the path');
  });

  it('cannot change managed fields', async () => {
    await register('mutating', ['owners', {}], ['one', {}]);
    const { json } = await create('?fieldManager=me');
    assert.equal(json.data.one, '1');
    assert.equal(json.metadata.managedFields.length, 1);
    assert.deepEqual(json.metadata.managedFields[0].fieldsV1, { 'f:data': { '.': {}, 'f:k': {} } });
  });

  it('get the options of a delete, and cannot patch it', async () => {
    await create();
    await register('mutating', ['one', { rules: [rule('configmaps', '', 'v1', ['DELETE'])] }]);
    const body = { gracePeriodSeconds: 0, preconditions: {} };
    const answer = await replica.call('DELETE', `${NAMESPACE}/configmaps/a`, { body });
    assert.equal(answer.status, 500);
    assert.match(answer.json.message, /attempted to modify the object/);
    const seen = calls(({ object, oldObject, options }) => [object, oldObject.data, options.gracePeriodSeconds]);
    assert.deepEqual(seen, ['one [null,{"k":"v"},0]']);
  });

  it('can be changed and removed while the server runs', async () => {
    await register('mutating', ['one', {}], ['two', {}]);
    const target = `${CONFIGURATIONS}/mutatingwebhookconfigurations/c`;
    const headers = { 'Content-Type': 'application/json-patch+json' };
    await replica.call('PATCH', target, { headers, body: [{ op: 'remove', path: '/webhooks/0' }] });
    assert.deepEqual((await create()).json.data, { k: 'v', two: '2' });
    await replica.call('DELETE', target);
    await replica.call('DELETE', `${NAMESPACE}/configmaps/a`);
    assert.deepEqual((await create()).json.data, { k: 'v' });
  });
});
