import assert from 'node:assert/strict';
import { aroundAll } from '#server/testing/around-all.ts';
import { type TestReplica, testNaming } from '#server/testing/replica.ts';
import { type Conversations, converse, is, type Turn } from './conversation.ts';
import { COLLECTION } from './conversations/delete-collection.ts';
import { METADATA } from './conversations/metadata.ts';
import { CORE, LISTED, MAPS, MERGE, make, NS, RBAC, TEMPLATE, TIME } from './conversations/resource-parts.ts';
import { TABLES } from './conversations/tables.ts';

const HOOKS = '/apis/admissionregistration.orch.io/v1';
const REVIEWS = '/apis/authorization.orch.io/v1/selfsubjectaccessreviews';
const REVIEW = { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } };
const PROTOBUF = { Accept: 'application/vnd.orch.protobuf' };
const APPLY = { 'Content-Type': 'application/apply-patch+yaml' };

const TERMINOLOGY: Conversations = {
  'URLs have the plural name of a type, objects have its kind': [
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
  'a type is cluster-scoped or namespaced': [
    [
      `GET ${CORE}`,
      200,
      ['"name":"nodes","singularName":"","namespaced":false', '"name":"pods","singularName":"","namespaced":true'],
    ],
    [`GET ${NS}/nodes`, 404],
  ],
  'a virtual resource type is an operation whose result is not stored': [
    [`POST ${REVIEWS}`, 201, is('status.allowed', true), { body: REVIEW }],
    [`GET ${REVIEWS}`, 405],
  ],
  'an object of a virtual resource type may have no name': [
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
  it('no kind is named List', async () => {
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
  it('a protobuf response starts with four magic bytes', async () => {
    const bytes = await replica.bytes(MAPS, PROTOBUF);
    assert.deepEqual([...bytes.subarray(0, 4)], [0x6b, 0x38, 0x73, 0x00]);
    assert.deepEqual([...testNaming.protobufMagic], [0x6b, 0x38, 0x73, 0x00]);
  });
  it('the protobuf envelope has the version, the kind and the object, but no encoding or type', async () => {
    const bytes = await replica.bytes(`${CORE}/namespaces/default`, PROTOBUF);
    const fields = fieldsOf(bytes.subarray(4));
    for (const unset of [3, 4]) assert.equal(fields.get(unset)?.length ?? 0, 0);
    const typeMeta = fieldsOf(fields.get(1)!);
    assert.equal(typeMeta.get(1)!.toString(), 'v1');
    assert.equal(typeMeta.get(2)!.toString(), 'Namespace');
    // The first field of an object is its metadata, whose first field is the name.
    assert.equal(
      fieldsOf(fieldsOf(fields.get(2)!).get(1)!)
        .get(1)!
        .toString(),
      'default',
    );
  });
  it('a protobuf envelope with an encoding is refused, and one without is accepted', async () => {
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
  it('a bookmark has only kind, version and resource version, and follows all changes up to it', async () => {
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

/** The fields of a protobuf message that are texts, bytes or messages. The message has fewer than 16 fields. */
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
