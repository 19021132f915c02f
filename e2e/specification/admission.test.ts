import assert from 'node:assert/strict';
import { type HookServer, startHookServer } from '#server/admission/webhooks/testing/hook-server.ts';
import { aroundAll } from '#server/testing/around-all.ts';
import type { TestAnswer, TestReplica } from '#server/testing/replica.ts';
import { type Conversations, converse, is, lacks, type Turn } from './conversation.ts';

const NS = '/api/v1/namespaces/default';
const HOOKS = '/apis/admissionregistration.orch.io/v1';
const STORAGE = '/apis/storage.orch.io/v1';
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const named = (name: string, more: object = {}) => ({ body: { metadata: { name }, ...more } });
const pod = (name: string, spec: object = {}) => ({
  body: { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } },
});
const claim = (name: string, spec: object = {}) => ({
  body: {
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  },
});
const DEFAULT = 'storageclass.orch.io/is-default-class';
const storageClass = (name: string, byDefault: boolean, more: object = {}) => ({
  body: { metadata: { name, annotations: { [DEFAULT]: String(byDefault) } }, provisioner: 'example.com/p', ...more },
});

const PLUGINS: Conversations = {
  'who a user is comes first, then what he may do, then whether it is admitted': [
    ['POST /api/v1/namespaces/nosuch/configmaps', 401, [], { ...named('x'), token: 'made-up' }],
    ['POST /api/v1/namespaces/nosuch/configmaps', 403, 'cannot create', { ...named('x'), as: 'nobody' }],
    ['POST /api/v1/namespaces/nosuch/configmaps', 404, 'namespaces \\"nosuch\\" not found', named('x')],
  ],
  'what is read is not admitted': [['GET /api/v1/namespaces/nosuch/configmaps', 200, is('items', [])]],
  'NamespaceLifecycle keeps terminating namespaces from filling': [
    ['POST /api/v1/namespaces', 201, [], named('leaving')],
    ['DELETE /api/v1/namespaces/leaving', 200],
    ['POST /api/v1/namespaces/leaving/configmaps', 403, 'because it is being terminated', named('x')],
  ],
  'NamespaceLifecycle refuses requests for absent namespaces': [
    ['POST /api/v1/namespaces/nosuch/configmaps', 404, 'not found', named('x')],
  ],
  'NamespaceLifecycle keeps the three namespaces of the system': ['default', 'orch-system', 'orch-public'].map(
    (name): Turn => [`DELETE /api/v1/namespaces/${name}`, 403, 'this namespace may not be deleted'],
  ),
  'DefaultTolerationSeconds tolerates both taints for five minutes': [
    [`POST ${NS}/serviceaccounts`, 201, [], named('default')],
    [
      `POST ${NS}/pods`,
      201,
      is(
        'spec.tolerations',
        ['not-ready', 'unreachable'].map((taint) => ({
          key: `node.orch.io/${taint}`,
          operator: 'Exists',
          effect: 'NoExecute',
          tolerationSeconds: 300,
        })),
      ),
      pod('tolerant'),
    ],
  ],
  'LimitRanger gives pods in default a tenth of a processor': [
    [`GET ${NS}/pods/tolerant`, 200, is('spec.containers.0.resources.requests.cpu', '100m')],
  ],
  'LimitRanger enforces the ranges of the namespace': [
    ['POST /api/v1/namespaces', 201, [], named('bounded')],
    ['POST /api/v1/namespaces/bounded/serviceaccounts', 201, [], named('default')],
    [
      'POST /api/v1/namespaces/bounded/limitranges',
      201,
      [],
      named('l', {
        spec: { limits: [{ type: 'Container', max: { memory: '1Gi' }, defaultRequest: { memory: '5Mi' } }] },
      }),
    ],
    [
      'POST /api/v1/namespaces/bounded/pods',
      403,
      'maximum memory usage per Container is 1Gi',
      pod('big', { containers: [{ name: 'c', image: 'i', resources: { limits: { memory: '2Gi' } } }] }),
    ],
    [
      'POST /api/v1/namespaces/bounded/pods',
      201,
      is('spec.containers.0.resources.requests.memory', '5Mi'),
      pod('small'),
    ],
  ],
  'Priority finds the number of a class': [
    ['POST /apis/scheduling.orch.io/v1/priorityclasses', 201, [], named('high', { value: 1000 })],
    [`POST ${NS}/pods`, 201, is('spec.priority', 1000), pod('high', { priorityClassName: 'high' })],
  ],
  'Priority refuses a class that is not there': [
    [
      `POST ${NS}/pods`,
      403,
      'no PriorityClass with name nosuch was found',
      pod('low', { priorityClassName: 'nosuch' }),
    ],
  ],
  'ResourceQuota holds a namespace to its quota': [
    ['POST /api/v1/namespaces', 201, [], named('counted')],
    ['POST /api/v1/namespaces/counted/resourcequotas', 201, [], named('q', { spec: { hard: { configmaps: '1' } } })],
    [
      'PATCH /api/v1/namespaces/counted/resourcequotas/q/status',
      200,
      [],
      { headers: MERGE, body: { status: { hard: { configmaps: '1' }, used: { configmaps: '0' } } } },
    ],
    ['POST /api/v1/namespaces/counted/configmaps', 201, [], named('one')],
    [
      'POST /api/v1/namespaces/counted/configmaps',
      403,
      'exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1',
      named('two'),
    ],
  ],
  'RuntimeClass sets the overhead of its class': [
    [
      'POST /apis/node.orch.io/v1/runtimeclasses',
      201,
      [],
      named('vm', { handler: 'vm', overhead: { podFixed: { cpu: '250m' } } }),
    ],
    [`POST ${NS}/pods`, 201, is('spec.overhead', { cpu: '250m' }), pod('vm', { runtimeClassName: 'vm' })],
  ],
  'StorageObjectInUseProtection adds its finalizer to claims': [
    [
      `POST ${NS}/persistentvolumeclaims`,
      201,
      is('metadata.finalizers', ['orch.io/pvc-protection']),
      claim('protected'),
    ],
  ],
  'StorageObjectInUseProtection adds its finalizer to volumes': [
    [
      'POST /api/v1/persistentvolumes',
      201,
      is('metadata.finalizers', ['orch.io/pv-protection']),
      named('v', { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } } }),
    ],
  ],
  'TaintNodesByCondition taints new nodes': [
    [
      'POST /api/v1/nodes',
      201,
      is('spec.taints', [{ key: 'node.orch.io/not-ready', effect: 'NoSchedule' }]),
      named('n1'),
    ],
  ],
  'DefaultStorageClass gives new claims the class that is the default': [
    [`POST ${NS}/persistentvolumeclaims`, 201, is('spec.storageClassName', undefined), claim('classless')],
    [`POST ${STORAGE}/storageclasses`, 201, [], storageClass('usual', true)],
    [`POST ${NS}/persistentvolumeclaims`, 201, is('spec.storageClassName', 'usual'), claim('classy')],
    [
      `POST ${NS}/persistentvolumeclaims`,
      201,
      is('spec.storageClassName', 'other'),
      claim('other', { storageClassName: 'other' }),
    ],
    [
      `PATCH ${NS}/persistentvolumeclaims/classless`,
      200,
      is('spec.storageClassName', undefined),
      { headers: MERGE, body: { metadata: { labels: { a: 'b' } } } },
    ],
  ],
  'DefaultStorageClass refuses claims where there are several defaults': [
    [`POST ${STORAGE}/storageclasses`, 201, [], storageClass('second', true)],
    [`POST ${NS}/persistentvolumeclaims`, 403, '2 default StorageClasses were found', claim('torn')],
    [`DELETE ${STORAGE}/storageclasses/second`, 200],
  ],
  'DefaultIngressClass gives new ingresses the class that is the default': [
    [
      'POST /apis/networking.orch.io/v1/ingressclasses',
      201,
      [],
      {
        body: {
          metadata: { name: 'usual', annotations: { 'ingressclass.orch.io/is-default-class': 'true' } },
          spec: { controller: 'example.com/c' },
        },
      },
    ],
    [
      'POST /apis/networking.orch.io/v1/namespaces/default/ingresses',
      201,
      is('spec.ingressClassName', 'usual'),
      named('i', { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } }),
    ],
  ],
  'DefaultIngressClass refuses ingresses where there are several defaults': [
    [
      'POST /apis/networking.orch.io/v1/ingressclasses',
      201,
      [],
      {
        body: {
          metadata: { name: 'second', annotations: { 'ingressclass.orch.io/is-default-class': 'true' } },
          spec: { controller: 'example.com/c' },
        },
      },
    ],
    [
      'POST /apis/networking.orch.io/v1/namespaces/default/ingresses',
      403,
      '2 default IngressClasses were found',
      named('j', { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } }),
    ],
  ],
  'PersistentVolumeClaimResize holds sizes unless the class allows it': [
    [`POST ${STORAGE}/storageclasses`, 201, [], storageClass('fixed', false)],
    [`POST ${STORAGE}/storageclasses`, 201, [], storageClass('grows', false, { allowVolumeExpansion: true })],
    ...['fixed', 'grows'].flatMap((name): Turn[] => [
      [`POST ${NS}/persistentvolumeclaims`, 201, [], claim(name, { storageClassName: name, volumeName: 'v' })],
      [
        `PATCH ${NS}/persistentvolumeclaims/${name}/status`,
        200,
        [],
        { headers: MERGE, body: { status: { phase: 'Bound', capacity: { storage: '1Gi' } } } },
      ],
    ]),
    [
      `PATCH ${NS}/persistentvolumeclaims/fixed`,
      403,
      'only dynamically provisioned pvc can be resized',
      { headers: MERGE, body: { spec: { resources: { requests: { storage: '2Gi' } } } } },
    ],
    [
      `PATCH ${NS}/persistentvolumeclaims/grows`,
      200,
      [],
      { headers: MERGE, body: { spec: { resources: { requests: { storage: '2Gi' } } } } },
    ],
  ],
  'PodSecurity holds pods to the standard of their namespace': [
    [
      'POST /api/v1/namespaces',
      201,
      [],
      { body: { metadata: { name: 'strict', labels: { 'pod-security.orch.io/enforce': 'baseline' } } } },
    ],
    ['POST /api/v1/namespaces/strict/serviceaccounts', 201, [], named('default')],
    [
      'POST /api/v1/namespaces/strict/pods',
      403,
      'violates PodSecurity \\"baseline:latest\\"',
      pod('host', { hostNetwork: true }),
    ],
    ['POST /api/v1/namespaces/strict/pods', 201, [], pod('plain')],
  ],
  'DenyServiceExternalIPs is off by default': [
    [
      `POST ${NS}/services`,
      201,
      is('spec.externalIPs', ['192.0.2.1']),
      named('ext', { spec: { ports: [{ port: 80 }], externalIPs: ['192.0.2.1'] } }),
    ],
  ],
  'NamespaceAutoProvision and NamespaceExists are off by default': [
    ['POST /api/v1/namespaces/nosuch/configmaps', 404, [], named('x')],
    ['GET /api/v1/namespaces/nosuch/configmaps', 200],
  ],
  'AlwaysPullImages is off by default': [
    [
      `POST ${NS}/pods`,
      201,
      is('spec.containers.0.imagePullPolicy', 'IfNotPresent'),
      pod('pulled', { containers: [{ name: 'c', image: 'i:1' }] }),
    ],
  ],
};

const webhook = (more: object = {}) => ({
  name: 'w.example.com',
  clientConfig: { url: 'https://x' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...more,
});
const rule = (more: object = {}) => ({
  operations: ['*'],
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: ['none'],
  ...more,
});
/** A webhook that is refused, or taken: nothing is stored of either. */
const tried = (more: object, status: number, says: Turn[2] = []): Turn => [
  `POST ${HOOKS}/mutatingwebhookconfigurations?dryRun=All`,
  status,
  says,
  { body: { metadata: { name: 'tried' }, webhooks: [webhook(more)] } },
];
const FIELDS: Conversations = {
  'a webhook needs a name': [tried({ name: undefined }, 422, 'webhooks[0].name')],
  'names of webhooks are unique within a configuration': [
    [
      `POST ${HOOKS}/validatingwebhookconfigurations?dryRun=All`,
      422,
      'webhooks[1].name: Duplicate value',
      { body: { metadata: { name: 'twice' }, webhooks: [webhook(), webhook()] } },
    ],
  ],
  'operations of a rule are CREATE, UPDATE, DELETE, CONNECT or a star': [
    tried({ rules: [rule({ operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] })] }, 201),
    tried({ rules: [rule({ operations: ['*'] })] }, 201),
    tried({ rules: [rule({ operations: ['READ'] })] }, 422, 'webhooks[0].rules[0].operations[0]'),
    tried({ rules: [rule({ operations: [] })] }, 422, 'webhooks[0].rules[0].operations'),
  ],
  'a rule names groups, versions and resources': [
    tried({ rules: [rule({ apiGroups: [] })] }, 422, 'webhooks[0].rules[0].apiGroups'),
    tried({ rules: [rule({ apiVersions: [] })] }, 422, 'webhooks[0].rules[0].apiVersions'),
    tried({ rules: [rule({ resources: [] })] }, 422, 'webhooks[0].rules[0].resources'),
  ],
  'the scope of a rule is Cluster, Namespaced or a star, which is the default': [
    ...['Cluster', 'Namespaced', '*'].map((scope) => tried({ rules: [rule({ scope })] }, 201, `"scope":"${scope}"`)),
    tried({ rules: [rule({ scope: 'Local' })] }, 422, 'webhooks[0].rules[0].scope'),
    tried({ rules: [rule()] }, 201, '"scope":"*"'),
  ],
  'matchPolicy is Exact or Equivalent, which is the default': [
    tried({ matchPolicy: 'Exact' }, 201, '"matchPolicy":"Exact"'),
    tried({ matchPolicy: 'Near' }, 422, 'webhooks[0].matchPolicy'),
    tried({}, 201, '"matchPolicy":"Equivalent"'),
  ],
  'clientConfig is needed, and has either a URL or a service': [
    tried({ clientConfig: undefined }, 422, 'webhooks[0].clientConfig'),
    tried(
      { clientConfig: { url: 'https://x', service: { namespace: 'n', name: 's' } } },
      422,
      'webhooks[0].clientConfig',
    ),
    tried({ clientConfig: { service: { namespace: 'n', name: 's' } } }, 201),
  ],
  'a URL uses https, and has no user, fragment or query': [
    tried({ clientConfig: { url: 'http://x' } }, 422, 'clientConfig.url'),
    tried({ clientConfig: { url: 'https://u:p@x' } }, 422, 'clientConfig.url'),
    tried({ clientConfig: { url: 'https://x#f' } }, 422, 'clientConfig.url'),
    tried({ clientConfig: { url: 'https://x?q=1' } }, 422, 'clientConfig.url'),
    tried({ clientConfig: { url: 'https://x/path' } }, 201),
  ],
  'a bundle of authorities is PEM': [
    tried(
      { clientConfig: { url: 'https://x', caBundle: Buffer.from('no').toString('base64') } },
      422,
      'clientConfig.caBundle',
    ),
  ],
  'a service needs namespace and name; its port is 443 and its path / by default': [
    tried({ clientConfig: { service: { name: 's' } } }, 422, 'clientConfig.service'),
    tried({ clientConfig: { service: { namespace: 'n' } } }, 422, 'clientConfig.service'),
    tried({ clientConfig: { service: { namespace: 'n', name: 's' } } }, 201, '"port":443'),
    tried({ clientConfig: { service: { namespace: 'n', name: 's', port: 0 } } }, 422, 'clientConfig.service.port'),
  ],
  'admissionReviewVersions are needed, and name v1 or v1beta1': [
    tried({ admissionReviewVersions: undefined }, 422, 'webhooks[0].admissionReviewVersions'),
    tried({ admissionReviewVersions: ['v3'] }, 422, 'must include at least one of v1, v1beta1'),
    tried({ admissionReviewVersions: ['v1beta1'] }, 201),
  ],
  'sideEffects are needed, and None or NoneOnDryRun': [
    tried({ sideEffects: undefined }, 422, 'webhooks[0].sideEffects'),
    tried({ sideEffects: 'Some' }, 422, 'webhooks[0].sideEffects'),
    tried({ sideEffects: 'NoneOnDryRun' }, 201),
  ],
  'timeoutSeconds is from 1 to 30, and 10 by default': [
    tried({ timeoutSeconds: 0 }, 422, 'webhooks[0].timeoutSeconds'),
    tried({ timeoutSeconds: 31 }, 422, 'webhooks[0].timeoutSeconds'),
    tried({ timeoutSeconds: 30 }, 201),
    tried({}, 201, '"timeoutSeconds":10'),
  ],
  'failurePolicy is Ignore or Fail, which is the default': [
    tried({ failurePolicy: 'Ignore' }, 201),
    tried({ failurePolicy: 'Try' }, 422, 'webhooks[0].failurePolicy'),
    tried({}, 201, '"failurePolicy":"Fail"'),
  ],
  'reinvocationPolicy is Never, which is the default, or IfNeeded, and for mutating webhooks alone': [
    tried({ reinvocationPolicy: 'IfNeeded' }, 201),
    tried({ reinvocationPolicy: 'Always' }, 422, 'webhooks[0].reinvocationPolicy'),
    tried({}, 201, '"reinvocationPolicy":"Never"'),
    [
      `POST ${HOOKS}/validatingwebhookconfigurations?dryRun=All`,
      201,
      lacks('reinvocationPolicy'),
      { body: { metadata: { name: 'v' }, webhooks: [webhook({ reinvocationPolicy: 'Never' })] } },
    ],
  ],
};

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
  /** Does something while a webhook of the path is registered, and returns the requests that it got. */
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

  describe('of webhooks', () => {
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

    it('they are asked by POST of JSON', () => assert.match(String(headers['content-type']), /^application\/json/));
    it('each call has a uid of its own', () => {
      assert.match(created.uid, /^[0-9a-f-]{36}$/);
      assert.notEqual(created.uid, updated.uid);
    });
    it('a call says the kind of the object', () =>
      assert.deepEqual(created.kind, { group: '', version: 'v1', kind: 'ConfigMap' }));
    it('a call says the resource', () =>
      assert.deepEqual(created.resource, { group: '', version: 'v1', resource: 'configmaps' }));
    it('a call of no sub-resource names none', () => assert.equal(created.subResource, undefined));
    it('a call says what was requested, which is the same where nothing was converted', () => {
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
    it('a call says who asks, with uid, groups and extra values', () => {
      const { username, uid, groups, extra } = updated.userInfo;
      assert.deepEqual([username, uid, extra], ['jane', 'u', { scopes: ['s'] }]);
      assert.ok(groups.includes('system:masters'));
    });
    it('the object is the new one, and null of a delete', () => {
      assert.deepEqual([created.object.data, updated.object.data, deleted.object], [{ a: '1' }, { a: '2' }, null]);
    });
    it('the old object is what is there, and null of a create', () => {
      assert.deepEqual(
        [created.oldObject, updated.oldObject.data, deleted.oldObject.data],
        [null, { a: '1' }, { a: '1' }],
      );
    });
    it('the options are those of the operation', () => {
      assert.deepEqual(
        [created, updated, deleted].map(({ options }) => options.kind),
        ['CreateOptions', 'UpdateOptions', 'DeleteOptions'],
      );
      assert.equal(created.options.fieldManager, 'me');
    });
    it('a trial says so', () =>
      assert.deepEqual(
        [created, updated, deleted].map(({ dryRun }) => dryRun),
        [false, true, false],
      ));

    it('a review is of the first version that both know', async () => {
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
    it('an answer that does not allow is a refusal', async () => {
      const { answer } = await hooked('bare', {}, create('refused'));
      assert.equal(answer.status, 400);
      assert.match(answer.json.message, /denied the request/);
    });
    it('the code and message of a refusal are those of the webhook', async () => {
      const { answer } = await hooked('deny', {}, create('refused'));
      assert.equal(answer.status, 418);
      assert.match(answer.json.message, /no tea$/);
    });
    it('an answer of another uid is an error', async () => {
      const { answer } = await hooked('other', {}, create('refused'));
      assert.equal(answer.status, 500);
      assert.match(answer.json.message, /failed calling webhook/);
    });
    it('a patch is a JSON patch in base64', async () => {
      const { answer } = await hooked('label', {}, create('patched'), 'mutating');
      assert.deepEqual(answer.json.metadata.labels, { from: 'webhook' });
    });
    it('no other type of patch is taken', async () => {
      const { answer } = await hooked('odd', {}, create('odd'), 'mutating');
      assert.equal(answer.status, 500);
    });
    it('validating webhooks cannot patch', async () => {
      const { answer } = await hooked('label', {}, create('unpatched'));
      assert.equal(answer.status, 500);
      assert.match(answer.json.message, /may not return response.patch/);
    });
    it('refusals are counted by name, operation, type, cause and code, which is 600 at most', async () => {
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
    it('warnings of more than 4096 characters in all drop the rest', async () => {
      const { answer } = await hooked('long', {}, create('long'));
      const texts = String(answer.headers['warning'])
        .split(', ')
        .map((one) => one.slice('299 - "'.length, -1));
      assert.deepEqual([...new Set(texts.map(({ length }) => length))], [256]);
      assert.ok(texts.length < 20 && texts.join('').length <= 4096 + 256, String(texts.length));
    });
    it('a webhook that takes too long fails, as the policy says', async () => {
      const began = Date.now();
      const { answer } = await hooked('slow', { timeoutSeconds: 1 }, create('late'));
      assert.equal(answer.status, 500);
      assert.ok(Date.now() - began < 4000);
    });
    it('Ignore lets pass what fails', async () => {
      const { answer } = await hooked('other', { failurePolicy: 'Ignore' }, create('ignored'));
      assert.equal(answer.status, 201);
    });
    it('any refusal refuses the request, and the error reaches the client', async () => {
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
    it('a namespace selector matches namespaces themselves', async () => {
      const rules = [rule({ resources: ['namespaces'] })];
      const change = () =>
        replica.call('PATCH', '/api/v1/namespaces/hooked', {
          headers: MERGE,
          body: { metadata: { annotations: { a: 'b' } } },
        });
      assert.equal((await hooked('deny', { rules }, change)).answer.status, 418);
    });
    it('a namespace selector has no effect on other objects of the cluster', async () => {
      const rules = [rule({ resources: ['nodes'] })];
      const make = () => replica.call('POST', '/api/v1/nodes?dryRun=All', { body: { metadata: { name: 'n2' } } });
      assert.equal((await hooked('deny', { rules }, make)).answer.status, 418);
    });
    it('a trial is sent to webhooks without side effects, which is said to them', async () => {
      for (const sideEffects of ['None', 'NoneOnDryRun']) {
        const { answer, calls } = await hooked('', { sideEffects }, create('trial', '?dryRun=All'));
        assert.deepEqual([answer.status, calls[0]?.request.dryRun], [201, true]);
      }
    });
    it('a webhook is in force soon after it is registered', async () => {
      const { answer } = await hooked('deny', {}, create('soon'));
      assert.equal(answer.status, 418);
      assert.equal((await create('soon')()).status, 201);
    });
    it('reads are not sent to webhooks', async () => {
      const { answer, calls } = await hooked('deny', {}, () => replica.call('GET', MAPS));
      assert.deepEqual([answer.status, calls.length], [200, 0]);
    });
    it('connections are sent to webhooks as CONNECT, without objects and options', async () => {
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
    it('a service stands for its name in the domain svc', async () => {
      const service = { namespace: 'hooked', name: 'none', port: 8443 };
      const clientConfig = { service, caBundle: Buffer.from(hook.ca).toString('base64') };
      const { answer } = await hooked('', { clientConfig }, create('svc'));
      assert.equal(answer.status, 500);
      assert.match(answer.json.message, /none\.hooked\.svc:8443/);
    });
  });
});
