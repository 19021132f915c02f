import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica } from '#server/testing/replica.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

const DEFINITIONS = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
const MERGE = { 'content-type': 'application/merge-patch+json' };

function definition(group: string, spec: object = {}, schema: object = {}): object {
  return {
    apiVersion: 'apiextensions.orch.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', properties: { n: { type: 'integer', ...schema } } } },
            },
          },
        },
      ],
      ...spec,
    },
  };
}

const objectsOf = (group: string) => `/apis/${group}/v1/namespaces/default/widgets`;

function widget(group: string, name: string, spec: object = {}, meta: object = {}): object {
  return { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name, ...meta }, spec };
}

/** One group, in the form of the document of all groups. */
async function documentedBy(replica: TestReplica, group: string): Promise<unknown> {
  const accept = 'application/json;g=apidiscovery.orch.io;v=v2;as=APIGroupDiscoveryList';
  const { json } = await replica.call('GET', '/apis', { headers: { accept } });
  return json.items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === group);
}

const WIDGETS = (group: string) => ({
  resource: 'widgets',
  responseKind: { group, version: 'v1', kind: 'Widget' },
  scope: 'Namespaced',
  singularResource: 'widget',
  verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
});

/** Repeats a request until its answer is as expected. */
async function until<T>(ask: () => Promise<T>, isRight: (answer: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries++) {
    const answer = await ask();
    if (isRight(answer)) return answer;
    if (tries === 300) throw new Error(`not so within 30 s: ${JSON.stringify(answer)}`);
    await sleep(100);
  }
}

describe('custom resources on two replicas', function () {
  this.timeout(120_000);
  let etcd: EtcdProcess;
  let a: TestReplica;
  let b: TestReplica;

  before(async () => {
    etcd = await startBootstrappedEtcd();
    [a, b] = await Promise.all([startReplica(etcd.endpoint), startReplica(etcd.endpoint)]);
  });

  after(async () => {
    await Promise.all([a?.stop(), b?.stop()]);
    await etcd?.stop();
  });

  it('are served by the other replica as soon as the definition is created or changed', async () => {
    for (let i = 0; i < 15; i++) {
      const group = `g${i}.example.com`;
      const path = objectsOf(group);
      assert.equal((await a.call('POST', DEFINITIONS, { body: definition(group) })).status, 201);
      assert.deepEqual(await documentedBy(b, group), {
        metadata: { name: group, creationTimestamp: null },
        versions: [{ version: 'v1', resources: [WIDGETS(group)], freshness: 'Current' }],
      });
      const first = await b.call('POST', path, { body: widget(group, 'a', { n: 1, unknown: 1 }) });
      assert.equal(first.status, 201, first.text);
      assert.deepEqual(first.json.spec, { n: 1 });
      const tighter = [
        { op: 'add', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/n/maximum', value: 3 },
      ];
      const headers = { 'content-type': 'application/json-patch+json' };
      const changed = await b.call('PATCH', `${DEFINITIONS}/widgets.${group}`, { body: tighter, headers });
      assert.equal(changed.status, 200, changed.text);
      const refused = await a.call('POST', path, { body: widget(group, 'b', { n: 9 }) });
      assert.equal(refused.status, 422, 'by the schema that was acknowledged');
      const listed = await a.call('GET', `/apis/${group}/v1`);
      assert.equal(listed.json.resources[0].name, 'widgets');
    }
  });

  it('have conditions that one of the replicas writes once', async () => {
    const group = 'conditions.example.com';
    const name = `${DEFINITIONS}/widgets.${group}`;
    const made = await a.call('POST', `${DEFINITIONS}?fieldManager=author`, { body: definition(group) });
    const { json } = await until(
      () => b.call('GET', name),
      (answer) => answer.json.status.conditions?.length === 2,
    );
    const byAuthor = (answer: { metadata: { managedFields: { manager: string }[] } }) =>
      answer.metadata.managedFields.filter(({ manager }) => manager === 'author');
    assert.deepEqual(byAuthor(json), byAuthor(made.json));
    assert.deepEqual([json.metadata.managedFields.length, json.spec], [2, made.json.spec]);
    assert.deepEqual(
      json.status.conditions.map(({ type, status }: { type: string; status: string }) => [type, status]),
      [
        ['NamesAccepted', 'True'],
        ['Established', 'True'],
      ],
    );
    await sleep(500);
    assert.equal((await a.call('GET', name)).json.metadata.resourceVersion, json.metadata.resourceVersion);
  });

  it('are deleted with their definition, whichever replica gets the request', async () => {
    const group = 'going.example.com';
    const [path, name] = [objectsOf(group), `${DEFINITIONS}/widgets.${group}`];
    await a.call('POST', DEFINITIONS, { body: definition(group) });
    for (let i = 0; i < 20; i++) await b.call('POST', path, { body: widget(group, `w${i}`) });
    await b.call('POST', path, { body: widget(group, 'held', {}, { finalizers: ['example.com/hold'] }) });
    const begun = await b.call('DELETE', name);
    assert.deepEqual(begun.json.metadata.finalizers, ['customresourcecleanup.apiextensions.orch.io']);
    const refused = await a.call('POST', path, { body: widget(group, 'late') });
    assert.equal(refused.status, 405, refused.text);
    const { json } = await until(
      () => a.call('GET', path),
      (answer) => answer.json.items.length === 1 && answer.json.items[0].metadata.deletionTimestamp !== undefined,
    );
    assert.equal(json.items[0].metadata.name, 'held');
    const told = await until(
      () => b.call('GET', name),
      (answer) => answer.text.includes('InstanceDeletionInProgress'),
    );
    assert.equal(told.status, 200);
    const released = await a.call('PATCH', `${path}/held`, {
      body: { metadata: { finalizers: null } },
      headers: MERGE,
    });
    assert.equal(released.status, 200, released.text);
    for (const replica of [a, b]) {
      await until(
        () => replica.call('GET', name),
        (answer) => answer.status === 404,
      );
      assert.equal((await replica.call('GET', path)).status, 404);
    }
    await a.call('POST', DEFINITIONS, { body: definition(group) });
    assert.deepEqual(
      (await b.call('GET', path)).json.items,
      [],
      'a second definition of that name begins without objects',
    );
  });

  it('are not served in built-in groups, and cannot delete built-in objects', async () => {
    const stored = '/apis/scheduling.orch.io/v1/priorityclasses/kept';
    const kept = { metadata: { name: 'kept' }, value: 1 };
    assert.equal((await a.call('POST', stored.replace('/kept', ''), { body: kept })).status, 201);
    for (const [group, plural, kind] of [
      ['scheduling.orch.io', 'priorityclasses', 'PriorityClass'],
      ['scheduling.orch.io', 'widgets', 'Widget'],
      ['apiextensions.orch.io', 'customresourcedefinitions', 'CustomResourceDefinition'],
    ] as const) {
      const body = definition(group, { scope: 'Cluster', names: { plural, kind } }) as { metadata: object };
      const name = `${plural}.${group}`;
      body.metadata = { name, annotations: { 'api-approved.orch.io': 'https://example.com/1' } };
      const made = await a.call('POST', DEFINITIONS, { body });
      assert.equal(made.status, 201, made.text);
      if (kind === 'Widget') assert.equal((await b.call('GET', `/apis/${group}/v1/${plural}`)).status, 404);
      await b.call('DELETE', `${DEFINITIONS}/${name}`);
      await until(
        () => a.call('GET', `${DEFINITIONS}/${name}`),
        (answer) => answer.status === 404,
      );
      for (const replica of [a, b]) assert.equal((await replica.call('GET', stored)).json.value, 1, name);
    }
  });

  it('are not served if their names are taken', async () => {
    const group = 'taken.example.com';
    await a.call('POST', DEFINITIONS, { body: definition(group) });
    const other = definition(group, { names: { plural: 'gadgets', kind: 'Widget' } }) as { metadata: { name: string } };
    other.metadata.name = `gadgets.${group}`;
    assert.equal((await b.call('POST', DEFINITIONS, { body: other })).status, 201);
    const { json } = await until(
      () => a.call('GET', `${DEFINITIONS}/gadgets.${group}`),
      (answer) => answer.json.status.conditions?.length === 2,
    );
    assert.equal(json.status.conditions[0].reason, 'ListKindConflict');
    assert.equal((await b.call('GET', `/apis/${group}/v1/gadgets`)).status, 404);
    await a.call('DELETE', `${DEFINITIONS}/widgets.${group}`);
    await until(
      () => b.call('GET', `/apis/${group}/v1/gadgets`),
      (answer) => answer.status === 200,
    );
  });

  it('refuse objects without the right apiVersion and kind', async () => {
    const group = 'named.example.com';
    const path = objectsOf(group);
    await a.call('POST', DEFINITIONS, { body: definition(group) });
    const whole = widget(group, 'a') as Record<string, unknown>;
    assert.equal((await a.call('POST', path, { body: whole })).status, 201);
    const refusals: [body: object, message: RegExp][] = [
      [{ ...whole, kind: undefined }, /Object 'Kind' is missing in '{"apiVersion"/],
      [{ ...whole, kind: null }, /Object 'Kind' is missing/],
      [{ ...whole, apiVersion: undefined }, /the API version in the data \(\) does not match the expected API version/],
      [{ ...whole, apiVersion: 'v1', kind: 'Pod' }, /the API version in the data \(v1\) does not match/],
      [{ ...whole, apiVersion: 'a/b/c' }, /unexpected GroupVersion string: a\/b\/c/],
    ];
    for (const [body, message] of refusals) {
      for (const [verb, at] of [
        ['POST', path],
        ['PUT', `${path}/a`],
      ] as const) {
        const { status, json } = await a.call(verb, at, { body });
        assert.equal(status, 400, `${verb} ${JSON.stringify(body)}`);
        assert.match(json.message, message);
      }
    }
    const patched = async (patch: object) => {
      const { status, json } = await a.call('PATCH', `${path}/a`, { body: patch, headers: MERGE });
      return [status, ...json.details.causes.map(({ field }: { field: string }) => field)];
    };
    assert.deepEqual(await patched({ kind: null }), [422, 'patch']);
    assert.deepEqual(await patched({ apiVersion: 'a/b/c' }), [422, 'patch']);
    assert.deepEqual(await patched({ apiVersion: 'v1', kind: 'Nope' }), [422, 'kind', 'apiVersion']);
  });

  it('are in discovery documents for any method and media type', async () => {
    const group = 'listed.example.com';
    await a.call('POST', DEFINITIONS, { body: definition(group) });
    const version = `/apis/${group}/v1`;
    const built = '/apis/apps/v1';
    const rows: [method: string, path: string, accept: string, status: number, says: RegExp][] = [
      ...['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'].flatMap((method) => [
        [method, version, '*/*', 200, /"APIResourceList".*"widgets"/s] as [string, string, string, number, RegExp],
        [method, built, '*/*', 405, /MethodNotAllowed/] as [string, string, string, number, RegExp],
      ]),
      ['GET', version, 'application/*', 200, /"widgets"/],
      ['GET', version, 'text/plain', 406, /"only the following media types are accepted: application\/json/],
      ['GET', built, 'application/*', 406, /Available representations/],
      ['GET', objectsOf(group), 'application/*', 200, /"WidgetList"/],
      ['GET', '/api/v1/pods', 'application/*', 406, /Available representations/],
      ['GET', `${objectsOf(group)}?fieldSelector=spec.n%3D1`, '*/*', 400, /field label not supported: spec.n"/],
    ];
    for (const [method, path, accept, status, says] of rows) {
      const answer = await b.call(method, path, { headers: { accept } });
      assert.equal(answer.status, status, `${method} ${path} ${accept}: ${answer.text}`);
      assert.match(answer.text, says);
    }
  });

  it('accept finalizers without a domain, and so do their definitions', async () => {
    const group = 'kept.example.com';
    await a.call('POST', DEFINITIONS, { body: definition(group) });
    await a.call('POST', objectsOf(group), { body: widget(group, 'a') });
    for (const path of [`${DEFINITIONS}/widgets.${group}`, `${objectsOf(group)}/a`]) {
      const body = { metadata: { finalizers: ['bare'] } };
      const { status, text } = await b.call('PATCH', `${path}?dryRun=All`, { body, headers: MERGE });
      assert.equal(status, 200, text);
    }
  });

  it('keep an applied null for nullable fields, and refuse other nulls without a default', async () => {
    const group = 'null.example.com';
    const text = { type: 'string' };
    const properties = { plain: text, nullable: { ...text, nullable: true }, filled: { ...text, default: 'x' } };
    const inner = { type: 'object', properties: { a: text } };
    await a.call('POST', DEFINITIONS, {
      body: definition(group, {}, { type: 'object', properties: { ...properties, inner } }),
    });
    const written = async (n: object, applied: boolean) => {
      const body = widget(group, 'a', { n });
      const headers = { 'content-type': 'application/apply-patch+yaml' };
      const { status, json } = applied
        ? await a.call('PATCH', `${objectsOf(group)}/a?fieldManager=m&dryRun=All`, { body, headers })
        : await a.call('POST', `${objectsOf(group)}?dryRun=All`, { body });
      return status === 201 ? json.spec.n : json.message;
    };
    const cases: [sent: object, created: object, applied: object | RegExp][] = [
      [{ nullable: null }, { nullable: null, filled: 'x' }, { nullable: null, filled: 'x' }],
      [{ filled: null }, { filled: 'x' }, { filled: 'x' }],
      [{ plain: null }, { filled: 'x' }, /spec\.n\.plain: Invalid value: "null": .* must be of type string: "null"$/],
    ];
    for (const [sent, created, applied] of cases) {
      assert.deepEqual(await written(sent, false), created);
      const answer = await written(sent, true);
      if (applied instanceof RegExp) assert.match(answer, applied);
      else assert.deepEqual(answer, applied);
    }
    // A member is also null if the next apply no longer contains its fields.
    const apply = (n: object) =>
      a.call('PATCH', `${objectsOf(group)}/b?fieldManager=m`, {
        body: widget(group, 'b', { n }),
        headers: { 'content-type': 'application/apply-patch+yaml' },
      });
    assert.equal((await apply({ inner: { a: 'x' } })).status, 201);
    const { status, json } = await apply({ inner: {} });
    assert.deepEqual([status, json.details.causes[0].field], [422, 'spec.n.inner']);
  });

  it('get the defaults of the storage version and are pruned to the requested version', async () => {
    const version = (name: string, properties: object) => {
      const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
      return { name, served: true, storage: name === 'v1', schema: { openAPIV3Schema } };
    };
    const text = (more: object) => ({ type: 'string', ...more });
    const first = { both: text({ default: '1' }), first: text({ default: '1' }), either: text({ nullable: true }) };
    const second = { both: text({ default: '2' }), second: text({ default: '2' }), either: text({ default: '2' }) };
    const group = 'fitted.example.com';
    const versions = [version('v1', first), version('v2', second)];
    await a.call('POST', DEFINITIONS, { body: definition(group, { versions }) });
    // The sent object and its version, and the object in both versions afterwards.
    const cases: [sent: object, version: 'v1' | 'v2', inFirst: object, inSecond: object][] = [
      [{}, 'v1', { both: '1', first: '1' }, { both: '1' }],
      [{ first: 'x', second: 'x' }, 'v1', { both: '1', first: 'x' }, { both: '1' }],
      [{ either: null }, 'v1', { both: '1', either: null, first: '1' }, { both: '1', either: null }],
      [{}, 'v2', { both: '2', either: '2', first: '1' }, { both: '2', either: '2' }],
      [{ first: 'x', second: 'x' }, 'v2', { both: '2', either: '2', first: '1' }, { both: '2', either: '2' }],
    ];
    for (const [i, [spec, sentIn, inFirst, inSecond]] of cases.entries()) {
      const told = JSON.stringify([sentIn, spec]);
      const inVersion = (name: string) => objectsOf(group).replace('/v1/', `/${name}/`);
      const body = { ...widget(group, `w${i}`, spec), apiVersion: `${group}/${sentIn}` };
      const answers = [
        await a.call('POST', `${inVersion(sentIn)}?dryRun=All`, { body }),
        await a.call('POST', inVersion(sentIn), { body }),
      ];
      for (const { json } of answers) assert.deepEqual(json.spec, sentIn === 'v1' ? inFirst : inSecond, told);
      for (const [name, expected] of [
        ['v1', inFirst],
        ['v2', inSecond],
      ] as const) {
        assert.deepEqual((await b.call('GET', `${inVersion(name)}/w${i}`)).json.spec, expected, told);
        const { json } = await b.call('GET', inVersion(name));
        assert.deepEqual(json.items[i].spec, expected, told);
      }
    }
  });

  it('are validated by rules, including rules about changes', async () => {
    const group = 'rules.example.com';
    const rule = { 'x-orch-validations': [{ rule: 'self >= oldSelf', message: 'must not go down' }], enum: [1, 2, 3] };
    await a.call('POST', DEFINITIONS, { body: definition(group, {}, rule) });
    const path = objectsOf(group);
    assert.equal((await b.call('POST', path, { body: widget(group, 'a', { n: 2 }) })).status, 201);
    const change = (n: number) => a.call('PATCH', `${path}/a`, { body: { spec: { n } }, headers: MERGE });
    assert.equal((await change(3)).status, 200);
    const refused = await change(1);
    assert.equal(refused.status, 422);
    assert.equal(refused.json.details.causes[0].message, 'Invalid value: "integer": must not go down');
    // The server also evaluates rules for a value that is not in the list.
    const causes: { reason: string }[] = (await change(0)).json.details.causes;
    assert.deepEqual(
      causes.map(({ reason }) => reason),
      ['FieldValueNotSupported', 'FieldValueInvalid'],
    );
  });
});
