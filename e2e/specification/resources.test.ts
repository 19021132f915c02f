import assert from 'node:assert/strict';
import { aroundAll } from '#server/testing/around-all.ts';
import { type TestReplica, testNaming } from '#server/testing/replica.ts';
import { type Conversations, converse, is, lacks, names, type Turn } from './conversation.ts';

const CORE = '/api/v1';
const NS = `${CORE}/namespaces/default`;
const MAPS = `${NS}/configmaps`;
const RBAC = '/apis/rbac.authorization.orch.io/v1';
const HOOKS = '/apis/admissionregistration.orch.io/v1';
const REVIEWS = '/apis/authorization.orch.io/v1/selfsubjectaccessreviews';
const REVIEW = { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } };
const TABLE = { Accept: 'application/json;as=Table;g=meta.orch.io;v=v1' };
const PROTOBUF = { Accept: 'application/vnd.orch.protobuf' };
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const APPLY = { 'Content-Type': 'application/apply-patch+yaml' };
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const make = (name: string, more: object = {}): Turn => [
  `POST ${MAPS}`,
  201,
  [],
  { body: { metadata: { name, ...more } } },
];

const TERMINOLOGY: Conversations = {
  'the plural name of a type stands in URLs, its kind in objects': [
    [`GET ${CORE}`, 200, '"name":"configmaps","singularName":"","namespaced":true,"kind":"ConfigMap"'],
    [`GET ${MAPS}`, 200, '"kind":"ConfigMapList"'],
    [`GET ${CORE}/ConfigMap`, 404],
  ],
  'an object is one instance of a type': [
    make('one'),
    [`GET ${MAPS}/one`, 200, [is('kind', 'ConfigMap'), is('metadata.name', 'one')]],
  ],
  'a sub-resource is a segment below a resource': [
    [`GET ${CORE}/namespaces/default/status`, 200, is('kind', 'Namespace')],
    [`GET ${MAPS}/one/status`, 404],
  ],
  'a type is of the cluster or of namespaces': [
    [
      `GET ${CORE}`,
      200,
      ['"name":"nodes","singularName":"","namespaced":false', '"name":"pods","singularName":"","namespaced":true'],
    ],
    [`GET ${NS}/nodes`, 404],
  ],
  'a virtual resource type is an operation whose outcome is stored nowhere': [
    [`POST ${REVIEWS}`, 201, is('status.allowed', true), { body: REVIEW }],
    [`GET ${REVIEWS}`, 405],
  ],
  'a virtual resource type may go without a name': [
    [`POST ${REVIEWS}`, 201, [is('metadata.name', undefined), is('metadata.uid', undefined)], { body: REVIEW }],
  ],
};

const NAMING: Conversations = {
  'every object that is created has a name': [
    [`POST ${MAPS}`, 422, 'name or generateName is required', { body: { metadata: {} } }],
    [`POST ${CORE}/nodes`, 422, 'name or generateName is required', { body: {} }],
  ],
  'a name is unique within its namespace, for its kind': [
    make('unique'),
    [`POST ${MAPS}`, 409, 'AlreadyExists', { body: { metadata: { name: 'unique' } } }],
    [`POST ${NS}/secrets`, 201, [], { body: { metadata: { name: 'unique' } } }],
    [`POST ${CORE}/namespaces/orch-public/configmaps`, 201, [], { body: { metadata: { name: 'unique' } } }],
  ],
  'a name can be used again after a deletion': [
    make('reused'),
    [`GET ${MAPS}/reused`, 200, [], { keep: { uid: 'metadata.uid' } }],
    [`DELETE ${MAPS}/reused`, 200],
    make('reused'),
    [`GET ${MAPS}/reused`, 200, ({ json }) => assert.ok(json.metadata.uid)],
  ],
  'names of cluster-scoped objects are unique in the whole cluster': [
    [`POST ${CORE}/nodes`, 201, [], { body: { metadata: { name: 'n1' } } }],
    [`POST ${CORE}/nodes`, 409, 'AlreadyExists', { body: { metadata: { name: 'n1' } } }],
  ],
};

const ROLE_REF = { apiGroup: 'rbac.authorization.orch.io', kind: 'ClusterRole', name: 'view' };
for (const [kind, path, body] of [
  ['roles', `${RBAC}/namespaces/default/roles`, {}],
  ['cluster roles', `${RBAC}/clusterroles`, {}],
  ['role bindings', `${RBAC}/namespaces/default/rolebindings`, { roleRef: ROLE_REF }],
  ['cluster role bindings', `${RBAC}/clusterrolebindings`, { roleRef: ROLE_REF }],
] as const) {
  const named = (name: string) => ({ body: { ...body, metadata: { name } } });
  Object.assign(NAMING, {
    [`names of ${kind} are path segments`]: [
      [`POST ${path}`, 422, 'metadata.name', named('a%b')],
      [`POST ${path}`, 422, 'metadata.name', named('a/b')],
      [`POST ${path}`, 422, 'metadata.name', named('..')],
      [`POST ${path}`, 201, 'a:B_c', named('a:B_c')],
    ] satisfies Turn[],
  });
}
for (const type of ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'])
  Object.assign(NAMING, {
    [`names of ${type} are DNS subdomains`]: [
      [`POST ${HOOKS}/${type}`, 422, 'RFC 1123 subdomain', { body: { metadata: { name: 'a:b' } } }],
      [`POST ${HOOKS}/${type}`, 422, 'RFC 1123 subdomain', { body: { metadata: { name: 'Ab' } } }],
      [`POST ${HOOKS}/${type}`, 201, [], { body: { metadata: { name: 'a.b' } } }],
    ] satisfies Turn[],
  });

const METADATA: Conversations = {
  'a name is generated where generateName is set': [
    [`POST ${MAPS}`, 201, [], { body: { metadata: { generateName: 'g-' } }, keep: { first: 'metadata.name' } }],
    [`GET ${MAPS}/{first}`, 200, /"name":"g-[a-z0-9]{5}"/],
    [`POST ${MAPS}`, 201, [], { body: { metadata: { generateName: 'g-' } }, keep: { second: 'metadata.name' } }],
    [`GET ${MAPS}/{second}`, 200],
  ],
  'generateName stays as the prefix it was': [
    [`POST ${MAPS}`, 201, is('metadata.generateName', 'kept-'), { body: { metadata: { generateName: 'kept-' } } }],
  ],
  'namespaced objects show their namespace': [
    [`POST ${MAPS}`, 201, is('metadata.namespace', 'default'), { body: { metadata: { name: 'within' } } }],
    [`GET ${CORE}/nodes/n1`, 200, is('metadata.namespace', undefined)],
  ],
  'the uid is the server’s, random and another one each time': [
    [
      `POST ${MAPS}`,
      201,
      /"uid":"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/,
      { body: { metadata: { name: 'u1', uid: 'mine' } }, keep: { uid: 'metadata.uid' } },
    ],
    [`DELETE ${MAPS}/u1`, 200],
    [`POST ${MAPS}`, 201, [], { body: { metadata: { name: 'u1' } } }],
    [`DELETE ${MAPS}/u1`, 409, 'the UID in the precondition', { body: { preconditions: { uid: '{uid}' } } }],
  ],
  'the resource version changes with the object': [
    [`POST ${MAPS}`, 201, [], { body: { metadata: { name: 'versioned' } }, keep: { rv: 'metadata.resourceVersion' } }],
    [
      `PATCH ${MAPS}/versioned`,
      200,
      ({ json }) => assert.notEqual(json.metadata.resourceVersion, ''),
      { headers: MERGE, body: { data: { a: '1' } } },
    ],
    [
      `PUT ${MAPS}/versioned`,
      409,
      'the object has been modified',
      { body: { metadata: { name: 'versioned', resourceVersion: '{rv}' } } },
    ],
  ],
  'the server sets the time of creation': [
    [
      `POST ${MAPS}`,
      201,
      ({ json }) => {
        assert.match(json.metadata.creationTimestamp, TIME);
        assert.ok(Math.abs(Date.parse(json.metadata.creationTimestamp) - Date.now()) < 60_000);
      },
      { body: { metadata: { name: 'created', creationTimestamp: '2001-01-01T00:00:00Z' } } },
    ],
  ],
  'the time of deletion is set by the first delete': [
    make('ending', { finalizers: ['example.com/a'] }),
    [`GET ${MAPS}/ending`, 200, is('metadata.deletionTimestamp', undefined)],
    [
      `DELETE ${MAPS}/ending`,
      200,
      ({ json }) => assert.match(json.metadata.deletionTimestamp, TIME),
      { keep: { time: 'metadata.deletionTimestamp' } },
    ],
    [`DELETE ${MAPS}/ending`, 200],
    [`GET ${MAPS}/ending`, 200, ({ json }) => assert.match(json.metadata.deletionTimestamp, TIME)],
    [`PATCH ${MAPS}/ending`, 200, [], { headers: MERGE, body: { metadata: { finalizers: null } } }],
  ],
  'who may write an object may put its finalizers in another order': [
    make('ordered', { finalizers: ['example.com/a', 'example.com/b'] }),
    [
      `PATCH ${MAPS}/ordered`,
      200,
      is('metadata.finalizers', ['example.com/b', 'example.com/a']),
      { headers: MERGE, body: { metadata: { finalizers: ['example.com/b', 'example.com/a'] } } },
    ],
    [`PATCH ${MAPS}/ordered`, 200, [], { headers: MERGE, body: { metadata: { finalizers: null } } }],
  ],
  'selectors use labels, which are texts': [
    make('labelled', { labels: { tier: 'a' } }),
    [`GET ${MAPS}?labelSelector=tier%3Da`, 200, names('labelled')],
    [`POST ${MAPS}`, 400, 'labels', { body: { metadata: { name: 'x', labels: { a: 1 } } } }],
    [`POST ${MAPS}`, 422, 'metadata.labels', { body: { metadata: { name: 'x', labels: { a: 'no spaces' } } } }],
  ],
  'annotations are texts of any form': [
    make('annotated', { annotations: { free: 'any { text } — at all\n' } }),
    [`GET ${MAPS}/annotated`, 200, is('metadata.annotations.free', 'any { text } — at all\n')],
  ],
  'the server keeps managed fields': [
    [`POST ${MAPS}`, 201, '"f:data"', { body: { metadata: { name: 'managed' }, data: { a: '0' } } }],
    [
      `PATCH ${MAPS}/managed?fieldManager=me`,
      200,
      '"manager":"me","operation":"Update"',
      { headers: MERGE, body: { data: { a: '1' } } },
    ],
  ],
  'owner references may block the deletion of their owner': [
    make('owner'),
    [`GET ${MAPS}/owner`, 200, [], { keep: { uid: 'metadata.uid' } }],
    [
      `POST ${MAPS}`,
      201,
      is('metadata.ownerReferences.0.blockOwnerDeletion', true),
      {
        body: {
          metadata: {
            name: 'owned',
            ownerReferences: [
              { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '{uid}', blockOwnerDeletion: true },
            ],
          },
        },
      },
    ],
  ],
  'objects of the core group say v1, those of others group and version': [
    [`GET ${NS.replace('default', 'orch-system')}`, 200, [is('apiVersion', 'v1'), is('kind', 'Namespace')]],
    [
      `GET ${RBAC}/clusterroles/view`,
      200,
      [is('apiVersion', 'rbac.authorization.orch.io/v1'), is('kind', 'ClusterRole')],
    ],
  ],
};

const LISTED = `${NS}/podtemplates`;
const TEMPLATE = { spec: { containers: [{ name: 'c', image: 'i' }] } };
const COLLECTION: Conversations = {
  'a collection has a kind, a version, a resource version and items': [
    ...['a', 'b', 'c'].map(
      (name): Turn => [
        `POST ${LISTED}`,
        201,
        [],
        { body: { metadata: { name, labels: { name } }, template: TEMPLATE } },
      ],
    ),
    [
      `GET ${LISTED}`,
      200,
      [
        is('kind', 'PodTemplateList'),
        is('apiVersion', 'v1'),
        ({ json }) => assert.match(json.metadata.resourceVersion, /./),
        names('a', 'b', 'c'),
      ],
    ],
    [
      'GET /apis/apps/v1/deployments',
      200,
      [is('kind', 'DeploymentList'), is('apiVersion', 'apps/v1'), is('items', [])],
    ],
  ],
  'the version of a collection is the same in all of its chunks': [
    [`GET ${LISTED}?limit=1`, 200, [], { keep: { token: 'metadata.continue', rv: 'metadata.resourceVersion' } }],
    [`PATCH ${LISTED}/c`, 200, [], { headers: MERGE, body: { metadata: { labels: { more: 'x' } } } }],
    [
      `GET ${LISTED}?limit=1&continue={token}`,
      200,
      [],
      { keep: { token: 'metadata.continue', again: 'metadata.resourceVersion' } },
    ],
    [`GET ${LISTED}?limit=1&continue={token}`, 200, [], { keep: { last: 'metadata.resourceVersion' } }],
    [`GET ${LISTED}?resourceVersion={rv}&resourceVersionMatch=Exact`, 200, lacks('"more":"x"')],
    [`GET ${LISTED}?resourceVersion={last}&resourceVersionMatch=Exact`, 200, lacks('"more":"x"')],
    [`GET ${LISTED}?resourceVersion={again}&resourceVersionMatch=Exact`, 200, lacks('"more":"x"')],
  ],
  'the token for the next chunk is absent or empty in the last one': [
    [
      `GET ${LISTED}?limit=2`,
      200,
      ({ json }) => assert.match(json.metadata.continue, /./),
      { keep: { token: 'metadata.continue' } },
    ],
    [`GET ${LISTED}?limit=2&continue={token}`, 200, ({ json }) => assert.ok(!json.metadata.continue)],
  ],
  'a chunk says how many items remain': [
    [`GET ${LISTED}?limit=1`, 200, is('metadata.remainingItemCount', 2)],
    [`GET ${LISTED}?limit=2`, 200, is('metadata.remainingItemCount', 1)],
  ],
  'lists by selectors do not say how many items remain': [
    [`GET ${LISTED}?limit=1&labelSelector=name`, 200, [is('metadata.remainingItemCount', undefined), names('a')]],
    [
      `GET ${LISTED}?limit=1&fieldSelector=metadata.name!%3Dz`,
      200,
      [is('metadata.remainingItemCount', undefined), names('a')],
    ],
  ],
  'complete lists do not say how many items remain': [
    [`GET ${LISTED}`, 200, is('metadata.remainingItemCount', undefined)],
    [`GET ${LISTED}?limit=3`, 200, is('metadata.remainingItemCount', undefined)],
  ],
};

const WATCH: Conversations = {
  'a watch event is a JSON document of a type and an object': [
    [`GET ${LISTED}`, 200, [], { keep: { rv: 'metadata.resourceVersion' } }],
    [`POST ${LISTED}`, 201, [], { body: { metadata: { name: 'w' }, template: TEMPLATE } }],
    [`PATCH ${LISTED}/w`, 200, [], { headers: MERGE, body: { metadata: { labels: { a: 'b' } } } }],
    [
      `WATCH ${LISTED}?watch=1&resourceVersion={rv}`,
      200,
      ({ json }) => {
        assert.deepEqual(json.map(Object.keys), [
          ['type', 'object'],
          ['type', 'object'],
        ]);
        assert.deepEqual(
          json.map((event: { type: string }) => event.type),
          ['ADDED', 'MODIFIED'],
        );
        assert.deepEqual(json[1].object.metadata.labels, { a: 'b' });
        assert.equal(json[1].object.kind, 'PodTemplate');
      },
      { events: 2 },
    ],
  ],
};

const TABLES: Conversations = {
  'a table says its kind, and the version meta.orch.io/v1': [
    [`GET ${MAPS}`, 200, [is('kind', 'Table'), is('apiVersion', 'meta.orch.io/v1')], { headers: TABLE }],
  ],
  'the columns of a table have names and types': [
    [
      `GET ${MAPS}`,
      200,
      ({ json }) => {
        assert.ok(json.columnDefinitions.length > 0);
        for (const { name, type } of json.columnDefinitions) {
          assert.match(name, /./);
          assert.match(type, /^(string|integer|number|boolean|date)$/);
        }
      },
      { headers: TABLE },
    ],
  ],
  'a type without columns of its own has Name and Created At': [
    [
      `GET ${RBAC}/clusterroles?limit=1`,
      200,
      ({ json }) =>
        assert.deepEqual(
          json.columnDefinitions.map(({ name, type }: { name: string; type: string }) => [name, type]),
          [
            ['Name', 'string'],
            ['Created At', 'date'],
          ],
        ),
      { headers: TABLE },
    ],
  ],
};

const ENTRIES: Conversations = {
  'an entry of managed fields names its manager': [
    [
      `PATCH ${MAPS}/entries?fieldManager=applier`,
      201,
      is('metadata.managedFields.0.manager', 'applier'),
      {
        headers: APPLY,
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'entries' }, data: { a: '1' } },
      },
    ],
  ],
  'the operation of an entry is Apply or Update': [
    [
      `PATCH ${MAPS}/entries?fieldManager=updater`,
      200,
      [is('metadata.managedFields.0.operation', 'Apply'), is('metadata.managedFields.1.operation', 'Update')],
      { headers: MERGE, body: { data: { b: '1' } } },
    ],
  ],
  'an entry names the version that the object had': [
    [`GET ${MAPS}/entries`, 200, is('metadata.managedFields.0.apiVersion', 'v1')],
  ],
  'entries of updates have a time': [
    [`GET ${MAPS}/entries`, 200, ({ json }) => assert.match(json.metadata.managedFields[1].time, TIME)],
  ],
  'the fields of an entry are of the type FieldsV1': [
    [`GET ${MAPS}/entries`, 200, is('metadata.managedFields.0.fieldsType', 'FieldsV1')],
  ],
  'fields are a tree with f: before each name and {} at its leaves': [
    [`GET ${MAPS}/entries`, 200, is('metadata.managedFields.1.fieldsV1', { 'f:data': { 'f:b': {} } })],
  ],
};

describe('the specification: resources and their fields', () => {
  let replica: TestReplica;

  aroundAll((started) => {
    replica = started;
  });

  for (const conversations of [TERMINOLOGY, NAMING, METADATA, COLLECTION, WATCH, TABLES, ENTRIES])
    converse(() => replica, conversations);

  it('the kind of each collection is that of its resources followed by List', async () => {
    const { json: groups } = await replica.call('GET', '/apis');
    const versions = groups.groups.flatMap((group: { versions: { groupVersion: string }[] }) =>
      group.versions.map(({ groupVersion }) => `/apis/${groupVersion}`),
    );
    let checked = 0;
    for (const path of ['/api/v1', ...versions]) {
      const { json } = await replica.call('GET', path);
      for (const { name, kind, verbs, group, version } of json.resources) {
        assert.notEqual(kind, 'List');
        if (name.includes('/') || !verbs.includes('list') || group !== undefined || version !== undefined) continue;
        const list = await replica.call('GET', `${path}/${name}?limit=1`);
        assert.equal(list.json.kind, `${kind}List`, `${path}/${name}`);
        assert.equal(list.json.apiVersion, path.replace(/^\/apis?\//, ''));
        checked++;
      }
    }
    assert.ok(checked > 50, String(checked));
  });

  it('there is no kind named List', async () => {
    const { definitions } = JSON.parse((await replica.call('GET', '/openapi/v2')).text);
    const kinds = Object.values(definitions).flatMap((definition) =>
      ((definition as Record<string, { kind: string }[]>)['x-orch-group-version-kind'] ?? []).map(({ kind }) => kind),
    );
    assert.ok(kinds.includes('ConfigMap'));
    assert.ok(!kinds.includes('List'));
    assert.equal(
      (await replica.call('POST', MAPS, { body: { apiVersion: 'v1', kind: 'List', items: [] } })).status,
      400,
    );
  });

  it('a protobuf answer begins with four magic bytes', async () => {
    const bytes = await replica.bytes(MAPS, PROTOBUF);
    assert.deepEqual([...bytes.subarray(0, 4)], [0x6b, 0x38, 0x73, 0x00]);
    assert.deepEqual([...testNaming.protobufMagic], [0x6b, 0x38, 0x73, 0x00]);
  });

  it('the envelope names version and kind, then holds the object, and neither encoding nor type', async () => {
    const bytes = await replica.bytes(`${CORE}/namespaces/default`, PROTOBUF);
    const fields = fieldsOf(bytes.subarray(4));
    for (const unset of [3, 4]) assert.equal(fields.get(unset)?.length ?? 0, 0);
    const typeMeta = fieldsOf(fields.get(1)!);
    assert.equal(typeMeta.get(1)!.toString(), 'v1');
    assert.equal(typeMeta.get(2)!.toString(), 'Namespace');
    // the first field of an object is its metadata, of which the first one is the name
    assert.equal(
      fieldsOf(fieldsOf(fields.get(2)!).get(1)!)
        .get(1)!
        .toString(),
      'default',
    );
  });

  it('an envelope that names an encoding is refused, one that names nothing is taken', async () => {
    const raw = Buffer.from([0x0a, 0x05, 0x0a, 0x03, ...Buffer.from('env')]);
    const typeMeta = Buffer.from([0x0a, 0x02, ...Buffer.from('v1'), 0x12, 0x09, ...Buffer.from('ConfigMap')]);
    const envelope = (more: Buffer) =>
      Buffer.concat([
        Buffer.from([0x6b, 0x38, 0x73, 0x00, 0x0a, typeMeta.length]),
        typeMeta,
        Buffer.from([0x12, raw.length]),
        raw,
        more,
      ]);
    const send = (body: Buffer) =>
      replica.call('POST', MAPS, { raw: body, headers: { 'Content-Type': 'application/vnd.orch.protobuf' } });
    assert.equal((await send(envelope(Buffer.alloc(0)))).status, 201);
    const refused = await send(envelope(Buffer.from([0x1a, 4, ...Buffer.from('gzip')])));
    assert.ok(refused.status >= 400 && refused.status < 500, refused.text);
  });

  it('the bookmark of a watch holds kind, version and resource version alone, after all changes up to that', async () => {
    const seen: { type: string; object: object }[] = [];
    await replica.call('POST', MAPS, { body: { metadata: { name: 'before-bookmark' } } });
    const { json } = await replica.call('GET', MAPS);
    const query = `watch=1&allowWatchBookmarks=true&timeoutSeconds=3&resourceVersion=${json.metadata.resourceVersion}`;
    const stream = await replica.watch(`${MAPS}?${query}`, (event) => seen.push(event));
    await replica.call('POST', MAPS, { body: { metadata: { name: 'beside-bookmark' } } });
    await stream.ended;
    const bookmark = seen.find(({ type }) => type === 'BOOKMARK');
    const { metadata, ...rest } = bookmark!.object as { metadata: Record<string, unknown> };
    assert.deepEqual(rest, { kind: 'ConfigMap', apiVersion: 'v1' });
    const { resourceVersion, creationTimestamp, ...others } = metadata;
    assert.match(String(resourceVersion), /./);
    assert.equal(creationTimestamp ?? null, null);
    const { type, object } = seen[seen.indexOf(bookmark!) - 1] as { type: string; object: typeof json };
    assert.deepEqual([type, object.metadata.name], ['ADDED', 'beside-bookmark']);
    assert.ok(Number(resourceVersion) >= Number(object.metadata.resourceVersion));
    assert.deepEqual(others, {});
  });
});

/** The fields of a protobuf message that are texts, bytes or messages; it has fewer than 16 fields. */
function fieldsOf(message: Buffer): Map<number, Buffer> {
  const fields = new Map<number, Buffer>();
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++]!;
      value += (byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const value = varint();
    if ((tag & 7) === 0) continue;
    assert.equal(tag & 7, 2);
    fields.set(tag >> 3, message.subarray(at, at + value));
    at += value;
  }
  return fields;
}
