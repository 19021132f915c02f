import assert from 'node:assert/strict';
import { aroundAll } from '#server/testing/around-all.ts';
import type { TestReplica } from '#server/testing/replica.ts';
import { type Conversations, converse, header, is, lacks, names, type Turn } from './conversation.ts';

const NS = '/api/v1/namespaces/default';
const MAPS = `${NS}/configmaps`;
const SECRETS = `${NS}/secrets`;
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const RBAC = '/apis/rbac.authorization.orch.io/v1';
const REQUESTS = '/apis/certificates.orch.io/v1/certificatesigningrequests';
const JSON_TYPE = { Accept: 'application/json' };
const TABLE = { Accept: 'application/json;as=Table;g=meta.orch.io;v=v1' };
const PROTOBUF = { Accept: 'application/vnd.orch.protobuf' };
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const JSON_PATCH = { 'Content-Type': 'application/json-patch+json' };
const APPLY = { 'Content-Type': 'application/apply-patch+yaml' };
const POD = { spec: { containers: [{ name: 'c', image: 'i' }] } };
const LABELS = { app: 'a' };
const DEPLOYMENT = {
  metadata: { name: 'web' },
  spec: { selector: { matchLabels: LABELS }, template: { metadata: { labels: LABELS }, ...POD } },
};
const map = (name: string, more: object = {}) => ({ body: { metadata: { name }, ...more } });

const PATHS: Conversations = {
  'core types are collections at /api/v1/TYPE': [['GET /api/v1/nodes', 200, is('kind', 'NodeList')]],
  'core objects are at /api/v1/TYPE/NAME': [['GET /api/v1/namespaces/default', 200, is('metadata.name', 'default')]],
  'namespaced core types are at /api/v1/namespaces/NAMESPACE/TYPE': [
    [`POST ${MAPS}`, 201, [], map('here')],
    ['POST /api/v1/namespaces/orch-public/configmaps', 201, [], map('there')],
    [`GET ${MAPS}`, 200, names('here')],
  ],
  'namespaced core objects are at /api/v1/namespaces/NAMESPACE/TYPE/NAME': [
    [`GET ${MAPS}/here`, 200, is('metadata.namespace', 'default')],
    [`GET ${MAPS}/there`, 404],
  ],
  'cluster-scoped types of groups are at /apis/GROUP/VERSION/TYPE': [
    [`GET ${RBAC}/clusterroles/view`, 200, is('kind', 'ClusterRole')],
    [`GET ${RBAC}/clusterroles`, 200, is('kind', 'ClusterRoleList')],
  ],
  'namespaced types of groups are at /apis/GROUP/VERSION/namespaces/NAMESPACE/TYPE': [
    [`POST ${DEPLOYMENTS}`, 201, [], { body: DEPLOYMENT }],
    [`GET ${DEPLOYMENTS}`, 200, names('web')],
    [`GET ${DEPLOYMENTS}/web`, 200, is('metadata.namespace', 'default')],
  ],
  'sub-resources follow the path of their object': [
    [`GET ${DEPLOYMENTS}/web/scale`, 200, is('kind', 'Scale')],
    [`GET ${DEPLOYMENTS}/web/status`, 200, is('kind', 'Deployment')],
    [`GET ${DEPLOYMENTS}/web/nothing`, 404],
  ],
  'without a namespace the objects of all namespaces are listed': [
    ['GET /api/v1/configmaps?fieldSelector=metadata.namespace!%3Dorch-system', 200, names('here', 'there')],
  ],
  'namespaces are listed and read as a type of the cluster': [
    ['GET /api/v1/namespaces', 200, [is('kind', 'NamespaceList'), '"name":"orch-system"', '"name":"orch-public"']],
    ['GET /api/v1/namespaces/orch-system', 200, [is('kind', 'Namespace'), is('metadata.namespace', undefined)]],
  ],
  'no sub-resource is reached across several objects': [
    [`GET ${DEPLOYMENTS}/scale`, 404],
    ['GET /api/v1/pods/status', 404],
    ['GET /apis/apps/v1/deployments/web/scale', 404],
  ],
  'verbs differ between sub-resources': [
    [`GET ${DEPLOYMENTS}/web/scale`, 200],
    [`POST ${DEPLOYMENTS}/web/scale`, 405],
    [`POST ${NS}/pods`, 201, [], { body: { metadata: { name: 'p' }, ...POD } }],
    [`GET ${NS}/pods/p/eviction`, 405],
    [`PUT ${NS}/pods/p/log`, 405],
    [`DELETE ${DEPLOYMENTS}/web/status`, 405],
  ],
  'pods have logs': [
    // it runs nowhere, so there is nothing to tell
    [`GET ${NS}/pods/p/log`, 204],
    [`GET ${NS}/pods/nosuch/log`, 404],
  ],
  'pods are evicted through the API': [
    [
      `POST ${NS}/pods/p/eviction`,
      201,
      [],
      { body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } } },
    ],
    [`GET ${NS}/pods/p`, 404],
  ],
  'a scale shows and sets how many replicas a workload has': [
    [`GET ${DEPLOYMENTS}/web/scale`, 200, [is('kind', 'Scale'), is('spec.replicas', 1)]],
    [
      `PATCH ${DEPLOYMENTS}/web/scale`,
      200,
      is('spec.replicas', 3),
      { headers: MERGE, body: { spec: { replicas: 3 } } },
    ],
    [`GET ${DEPLOYMENTS}/web`, 200, is('spec.replicas', 3)],
  ],
  'the status is updated through its own sub-resource': [
    [
      `PATCH ${DEPLOYMENTS}/web/status`,
      200,
      [is('status.readyReplicas', 1), is('spec.replicas', 3)],
      { headers: MERGE, body: { status: { replicas: 1, readyReplicas: 1 }, spec: { replicas: 9 } } },
    ],
    [
      `PATCH ${DEPLOYMENTS}/web`,
      200,
      is('status.readyReplicas', 1),
      { headers: MERGE, body: { status: { replicas: 2, readyReplicas: 2 } } },
    ],
  ],
};

const ROLE = (verbs: string[], resources: string[]) => ({
  rules: [{ apiGroups: [''], verbs, resources }],
});
/** A user who may do just that with config maps. */
const granted = (user: string, ...verbs: string[]): Turn[] => [
  [
    `POST ${RBAC}/namespaces/default/roles`,
    201,
    [],
    { body: { metadata: { name: user }, ...ROLE(verbs, ['configmaps']) } },
  ],
  [
    `POST ${RBAC}/namespaces/default/rolebindings`,
    201,
    [],
    {
      body: {
        metadata: { name: user },
        subjects: [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.orch.io' }],
        roleRef: { kind: 'Role', name: user, apiGroup: 'rbac.authorization.orch.io' },
      },
    },
  ],
];
const refused = (verb: string) => `cannot ${verb} resource`;
const VERBS: Conversations = {
  'POST asks for create': [
    ...granted('creator', 'create'),
    [`POST ${MAPS}`, 201, [], { ...map('made'), as: 'creator' }],
    [`GET ${MAPS}/made`, 403, refused('get'), { as: 'creator' }],
  ],
  'GET and HEAD ask for get of one object, and for list of a collection': [
    ...granted('getter', 'get'),
    [`GET ${MAPS}/made`, 200, [], { as: 'getter' }],
    [`HEAD ${MAPS}/made`, 200, [], { as: 'getter' }],
    [`GET ${MAPS}`, 403, refused('list'), { as: 'getter' }],
    [`HEAD ${MAPS}`, 403, [], { as: 'getter' }],
    ...granted('lister', 'list'),
    [`GET ${MAPS}`, 200, [], { as: 'lister' }],
    [`HEAD ${MAPS}`, 200, [], { as: 'lister' }],
    [`GET ${MAPS}/made`, 403, refused('get'), { as: 'lister' }],
  ],
  'GET with watch asks for watch': [
    [`GET ${MAPS}?watch=1`, 403, refused('watch'), { as: 'lister' }],
    ...granted('watcher', 'watch'),
    [`GET ${MAPS}?watch=1&timeoutSeconds=1&resourceVersion=0`, 200, '"ADDED"', { as: 'watcher' }],
  ],
  'PUT asks for update': [
    ...granted('updater', 'update'),
    [`PUT ${MAPS}/made`, 200, [], { ...map('made', { data: { a: '1' } }), as: 'updater' }],
    [`PUT ${MAPS}/made`, 403, refused('update'), { ...map('made'), as: 'creator' }],
  ],
  'PUT creates some types where nothing is there': [
    [`PUT ${NS}/limitranges/put`, 201, [], { body: { metadata: { name: 'put' }, spec: { limits: [] } } }],
    [`PUT ${NS}/limitranges/put`, 200, [], { body: { metadata: { name: 'put' }, spec: { limits: [] } } }],
  ],
  'PATCH asks for patch': [
    ...granted('patcher', 'patch'),
    [`PATCH ${MAPS}/made`, 200, [], { headers: MERGE, body: { data: { b: '1' } }, as: 'patcher' }],
    [`PATCH ${MAPS}/made`, 403, refused('patch'), { headers: MERGE, body: {}, as: 'updater' }],
  ],
  'DELETE asks for delete of one object, and for deletecollection': [
    ...granted('deleter', 'delete'),
    [`DELETE ${MAPS}`, 403, refused('deletecollection'), { as: 'deleter' }],
    [`DELETE ${MAPS}/made`, 200, [], { as: 'deleter' }],
    ...granted('sweeper', 'deletecollection'),
    [`DELETE ${MAPS}/here`, 403, refused('delete'), { as: 'sweeper' }],
    [`DELETE ${MAPS}?labelSelector=none`, 200, [], { as: 'sweeper' }],
  ],
  'what goes through a proxy asks for its sub-resource': [
    [`GET ${NS}/pods/p/proxy`, 403, 'cannot get resource \\"pods/proxy\\"', { as: 'nobody' }],
    [`POST ${NS}/services/s/proxy/x`, 403, 'cannot create resource \\"services/proxy\\"', { as: 'nobody' }],
    ['GET /api/v1/nodes/n/proxy/metrics', 403, 'cannot get resource \\"nodes/proxy\\"', { as: 'nobody' }],
  ],
  'an apply asks for patch': [
    [`PATCH ${MAPS}/here?fieldManager=m`, 403, refused('patch'), { headers: APPLY, body: {}, as: 'updater' }],
    [
      `PATCH ${MAPS}/here?fieldManager=m`,
      200,
      [],
      { headers: APPLY, body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'here' } }, as: 'patcher' },
    ],
  ],
  'no verb acts on several objects but list, watch and deletecollection': [
    [`PUT ${MAPS}`, 405],
    [`PATCH ${MAPS}`, 405, [], { headers: MERGE, body: {} }],
    [`POST ${MAPS}/here`, 405],
    [`POST ${MAPS}`, 400, [], { body: { apiVersion: 'v1', kind: 'ConfigMapList', items: [] } }],
  ],
  'list, watch and deletecollection act on many objects': [
    [`POST ${NS}/podtemplates`, 201, [], { body: { metadata: { name: 'm1' }, template: POD } }],
    [`POST ${NS}/podtemplates`, 201, [], { body: { metadata: { name: 'm2' }, template: POD } }],
    [`GET ${NS}/podtemplates`, 200, names('m1', 'm2')],
    [`WATCH ${NS}/podtemplates?watch=1`, 200, ['"name":"m1"', '"name":"m2"'], { events: 2 }],
    [`DELETE ${NS}/podtemplates`, 200],
    [`GET ${NS}/podtemplates`, 200, names()],
  ],
  'paths outside of resources use the lower-cased method as verb': [
    ['GET /metrics', 403, 'cannot get path', { as: 'nobody' }],
    ['POST /metrics', 403, 'cannot post path', { as: 'nobody' }],
    ['DELETE /nosuch', 403, 'cannot delete path', { as: 'nobody' }],
    [
      `POST ${RBAC}/clusterroles`,
      201,
      [],
      { body: { metadata: { name: 'metrics' }, rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }] } },
    ],
    [
      `POST ${RBAC}/clusterrolebindings`,
      201,
      [],
      {
        body: {
          metadata: { name: 'metrics' },
          subjects: [{ kind: 'User', name: 'collector', apiGroup: 'rbac.authorization.orch.io' }],
          roleRef: { kind: 'ClusterRole', name: 'metrics', apiGroup: 'rbac.authorization.orch.io' },
        },
      },
    ],
    ['GET /metrics', 200, [], { as: 'collector' }],
    ['HEAD /metrics', 403, [], { as: 'collector' }],
  ],
};

const PARAMETERS: Conversations = {
  'watch=1 turns a request for a collection or an object into a watch': [
    [`GET ${MAPS}?watch=1&timeoutSeconds=1`, 200, '{"type":"ADDED"'],
    [`GET ${MAPS}/here?watch=1&timeoutSeconds=1`, 200, '{"type":"ADDED"'],
  ],
  'events come as a chunked stream': [
    [`GET ${MAPS}?watch=1&timeoutSeconds=1`, 200, header('transfer-encoding', 'chunked')],
  ],
  'resourceVersion is taken by get, list and watch, as it was given': [
    [`GET ${MAPS}/here`, 200, [], { keep: { rv: 'metadata.resourceVersion' } }],
    [`GET ${MAPS}/here?resourceVersion={rv}`, 200, is('metadata.name', 'here')],
    [`GET ${MAPS}?resourceVersion={rv}`, 200, names('here')],
    [`GET ${MAPS}?watch=1&resourceVersion={rv}&timeoutSeconds=1`, 200],
    [`GET ${MAPS}/here?resourceVersion=odd`, 400],
    [`GET ${MAPS}?resourceVersion=odd`, 400],
    [`GET ${MAPS}?watch=1&resourceVersion=odd`, 400],
  ],
  'resourceVersionMatch is Exact or NotOlderThan': [
    [`GET ${MAPS}?resourceVersionMatch=Exact&resourceVersion=1`, 200, names()],
    [`GET ${MAPS}?resourceVersionMatch=NotOlderThan&resourceVersion=1`, 200],
    [`GET ${MAPS}?resourceVersionMatch=Newest&resourceVersion=1`, 422, 'resourceVersionMatch'],
  ],
  'resourceVersionMatch is invalid without a resource version': [
    [
      `GET ${MAPS}?resourceVersionMatch=Exact`,
      422,
      'resourceVersionMatch is forbidden unless resourceVersion is provided',
    ],
    [
      `GET ${MAPS}?resourceVersionMatch=NotOlderThan`,
      422,
      'resourceVersionMatch is forbidden unless resourceVersion is provided',
    ],
  ],
  'limit is the most that a chunk holds': [
    [`POST ${SECRETS}`, 201, [], map('s1')],
    [`POST ${SECRETS}`, 201, [], map('s2')],
    [
      `GET ${SECRETS}?limit=1`,
      200,
      [names('s1'), ({ json }) => assert.ok(json.metadata.continue)],
      { keep: { token: 'metadata.continue' } },
    ],
    [`GET ${SECRETS}?limit=1&continue={token}`, 200, names('s2')],
  ],
  'continue takes the token of the chunk before, and nothing else': [
    [`GET ${SECRETS}?limit=1&continue=made-up`, 400, 'continue'],
  ],
  'fieldValidation is Ignore, Warn or Strict, on POST, PUT and PATCH': [
    [`POST ${MAPS}?fieldValidation=Never`, 422, 'fieldValidation', map('v')],
    [`PUT ${MAPS}/here?fieldValidation=Never`, 422, 'fieldValidation', map('here')],
    [`PATCH ${MAPS}/here?fieldValidation=Never`, 422, 'fieldValidation', { headers: MERGE, body: {} }],
    [`POST ${MAPS}?fieldValidation=Strict&dryRun=All`, 201, [], map('v')],
  ],
  'dryRun has no value or All': [
    [`POST ${MAPS}?dryRun=All`, 201, [], map('dry')],
    [`POST ${MAPS}?dryRun=Some`, 422, 'dryRun', map('dry')],
    [`GET ${MAPS}/dry`, 404],
    [`POST ${MAPS}?dryRun=`, 201, [], map('dry')],
    [`DELETE ${MAPS}/dry?dryRun=All`, 200],
    [`GET ${MAPS}/dry`, 200],
  ],
  'fieldManager names the manager, and is the start of the user agent otherwise': [
    [
      `POST ${MAPS}?fieldManager=me`,
      201,
      is('metadata.managedFields.0.manager', 'me'),
      map('mine', { data: { a: '1' } }),
    ],
    [
      `POST ${MAPS}`,
      201,
      is('metadata.managedFields.0.manager', 'tool'),
      { ...map('yours', { data: { a: '1' } }), headers: { 'User-Agent': 'tool/1.2 (x)' } },
    ],
  ],
  'an apply needs a fieldManager': [
    [`PATCH ${MAPS}/applied`, 422, 'fieldManager', { headers: APPLY, body: { apiVersion: 'v1', kind: 'ConfigMap' } }],
  ],
  'force is for apply, and overrides conflicts': [
    [
      `PATCH ${MAPS}/mine?fieldManager=other`,
      409,
      'conflict',
      { headers: APPLY, body: { apiVersion: 'v1', kind: 'ConfigMap', data: { a: '2' } } },
    ],
    [
      `PATCH ${MAPS}/mine?fieldManager=other&force=true`,
      200,
      is('data.a', '2'),
      { headers: APPLY, body: { apiVersion: 'v1', kind: 'ConfigMap', data: { a: '2' } } },
    ],
    [`PATCH ${MAPS}/mine?force=true`, 422, 'force', { headers: MERGE, body: {} }],
  ],
  'pretty sets an answer out for people, also beside a bare dryRun': [
    [`GET ${MAPS}/here?pretty=true`, 200, '{\n  "kind": "ConfigMap"'],
    [`POST ${MAPS}?dryRun=All&pretty`, 201, '\n', map('p')],
    [`PATCH ${MAPS}/here?dryRun&pretty`, 200, [], { headers: MERGE, body: {} }],
  ],
};

const FORMS: Conversations = {
  'an answer is JSON unless something else is asked for': [
    [`GET ${MAPS}`, 200, header('content-type', 'application/json')],
    [`GET ${MAPS}`, 200, header('content-type', 'application/json'), { headers: { Accept: '*/*' } }],
    [`GET ${MAPS}`, 200, header('content-type', 'application/json'), { headers: JSON_TYPE }],
  ],
  'an answer is Protobuf where that is asked for': [
    [`GET ${MAPS}`, 200, header('content-type', 'application/vnd.orch.protobuf'), { headers: PROTOBUF }],
  ],
  'an answer is a Table where that is asked for': [[`GET ${MAPS}`, 200, is('kind', 'Table'), { headers: TABLE }]],
  'a list of media types is tried in its order': [
    [`GET ${MAPS}`, 200, is('kind', 'Table'), { headers: { Accept: `${TABLE.Accept},application/json` } }],
    [`GET ${MAPS}`, 200, is('kind', 'ConfigMapList'), { headers: { Accept: 'application/pdf, application/json' } }],
  ],
  'bodies are JSON or Protobuf': [
    [`POST ${MAPS}`, 201, [], map('as-json')],
    [
      `POST ${MAPS}`,
      400,
      'does not appear to be a protobuf message',
      { raw: 'no envelope', headers: { 'Content-Type': PROTOBUF.Accept } },
    ],
    [`POST ${MAPS}`, 415, [], { raw: 'x', headers: { 'Content-Type': 'text/plain' } }],
  ],
  'apply takes JSON and YAML bodies under one type': [
    [
      `PATCH ${MAPS}/both?fieldManager=m`,
      201,
      is('data.a', '1'),
      { headers: APPLY, body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'both' }, data: { a: '1' } } },
    ],
    [
      `PATCH ${MAPS}/both?fieldManager=m`,
      200,
      is('data.a', '2'),
      { headers: APPLY, raw: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: both\ndata:\n  a: "2"\n' },
    ],
  ],
  'a merge patch has a type of its own': [
    [`PATCH ${MAPS}/both`, 200, is('data', { b: '3' }), { headers: MERGE, body: { data: { a: null, b: '3' } } }],
  ],
  'a JSON patch has a type of its own': [
    [
      `PATCH ${MAPS}/both`,
      200,
      is('data.b', '4'),
      { headers: JSON_PATCH, body: [{ op: 'replace', path: '/data/b', value: '4' }] },
    ],
  ],
  'Table is left for plain JSON where a type has none': [
    [`POST ${NS}/serviceaccounts`, 201, [], map('tabled')],
    [`POST ${NS}/serviceaccounts/tabled/token`, 406, [], { body: { spec: {} }, headers: TABLE }],
    [
      `POST ${NS}/serviceaccounts/tabled/token`,
      201,
      is('kind', 'TokenRequest'),
      { body: { spec: {} }, headers: { Accept: `${TABLE.Accept},application/json` } },
    ],
  ],
  'where no media type fits the answer is 406': [
    [`GET ${MAPS}`, 406, 'NotAcceptable', { headers: { Accept: 'application/pdf' } }],
  ],
};

const VALIDATION: Conversations = {
  'a wrong type is an error at every level': ['Ignore', 'Warn', 'Strict'].flatMap((level): Turn[] => [
    [`POST ${MAPS}?fieldValidation=${level}`, 400, 'data', { body: { metadata: { name: 'x' }, data: ['a'] } }],
    [
      `POST ${NS}/pods?fieldValidation=${level}`,
      400,
      'priority',
      { body: { metadata: { name: 'x' }, spec: { priority: 'high' } } },
    ],
  ]),
  'a missing required field is an error at every level': ['Ignore', 'Warn', 'Strict'].map(
    (level): Turn => [
      `POST ${DEPLOYMENTS}?fieldValidation=${level}`,
      422,
      'spec.selector: Required value',
      { body: { metadata: { name: 'x' }, spec: { template: { metadata: {}, ...POD } } } },
    ],
  ),
  'unknown fields are dropped, of the default level too': [
    [`POST ${MAPS}`, 201, lacks('"odd"'), map('dropped', { odd: 1, data: { a: '1' } })],
    [`GET ${MAPS}/dropped`, 200, [lacks('"odd"'), is('data.a', '1')]],
  ],
  'of duplicate fields the last one stays': [
    [`POST ${MAPS}`, 201, is('data.a', '2'), { raw: '{"metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}' }],
  ],
  'Ignore drops in silence': [
    [
      `POST ${MAPS}?fieldValidation=Ignore`,
      201,
      [lacks('"odd"'), header('warning', undefined)],
      map('silent', { odd: 1 }),
    ],
  ],
  'Warn succeeds, with a warning for each field': [
    [
      `POST ${MAPS}?fieldValidation=Warn`,
      201,
      [header('warning', /299 - "unknown field \\"odd\\"", 299 - "unknown field \\"queer\\""/)],
      map('warned', { odd: 1, queer: 2 }),
    ],
    [
      `POST ${MAPS}`,
      201,
      header('warning', /299 - "duplicate field \\"data\.a\\""/),
      { raw: '{"metadata":{"name":"doubled"},"data":{"a":"1","a":"2"}}' },
    ],
  ],
  'Warn is the default level': [
    [`PUT ${MAPS}/warned`, 200, header('warning', /unknown field \\"odd\\"/), map('warned', { odd: 1 })],
    [`PATCH ${MAPS}/warned`, 200, header('warning', /unknown field \\"odd\\"/), { headers: MERGE, body: { odd: 1 } }],
  ],
  'Strict refuses, and names all of the fields': [
    [
      `POST ${MAPS}?fieldValidation=Strict`,
      400,
      ['unknown field \\"odd\\"', 'unknown field \\"queer\\"', 'duplicate field \\"kind\\"'],
      { raw: '{"kind":"ConfigMap","kind":"ConfigMap","metadata":{"name":"x"},"odd":1,"queer":2}' },
    ],
    [`PUT ${MAPS}/warned?fieldValidation=Strict`, 400, 'odd', map('warned', { odd: 1 })],
    [`PATCH ${MAPS}/warned?fieldValidation=Strict`, 400, 'odd', { headers: MERGE, body: { odd: 1 } }],
    [
      `PATCH ${MAPS}/warned?fieldValidation=Strict`,
      400,
      'odd',
      { headers: JSON_PATCH, body: [{ op: 'add', path: '/odd', value: 1 }] },
    ],
  ],
  'with another defect beside them the answer is 400 at every level': ['Ignore', 'Warn', 'Strict'].map(
    (level): Turn => [
      `POST ${MAPS}?fieldValidation=${level}`,
      400,
      [],
      { body: { metadata: { name: 'x' }, odd: 1, data: ['a'] } },
    ],
  ),
  'fields are validated by the server without being asked': [
    [`POST ${MAPS}`, 201, header('warning', /unknown field/), map('unasked', { odd: 1 })],
  ],
};

const TRIALS: Conversations = {
  'POST, PUT, PATCH and DELETE can be tried': [
    [`POST ${MAPS}?dryRun=All`, 201, [], map('tried')],
    [`POST ${MAPS}`, 201, [], map('stays', { data: { a: '1' } })],
    [`PUT ${MAPS}/stays?dryRun=All`, 200, is('data.a', '2'), map('stays', { data: { a: '2' } })],
    [`PATCH ${MAPS}/stays?dryRun=All`, 200, is('data.a', '3'), { headers: MERGE, body: { data: { a: '3' } } }],
    [`DELETE ${MAPS}/stays?dryRun=All`, 200],
    [`DELETE ${MAPS}?dryRun=All`, 200],
    [`GET ${MAPS}/stays`, 200, is('data.a', '1')],
    [`GET ${MAPS}/tried`, 404],
  ],
  'dryRun without a value is an ordinary request': [
    [`PATCH ${MAPS}/stays?dryRun=`, 200, [], { headers: MERGE, body: { data: { a: '4' } } }],
    [`GET ${MAPS}/stays`, 200, is('data.a', '4')],
  ],
  'a trial is admitted, validated, merged and defaulted': [
    [`POST ${NS}/pods?dryRun=All`, 422, 'Required value', { body: { metadata: { name: 'x' }, spec: {} } }],
    [`POST /api/v1/namespaces/nosuch/configmaps?dryRun=All`, 404, 'namespaces', map('x')],
    [`POST ${NS}/secrets?dryRun=All`, 201, is('type', 'Opaque'), map('defaulted')],
    [
      `POST ${NS}/pods?dryRun=All`,
      201,
      [is('spec.restartPolicy', 'Always'), '"tolerationSeconds":300'],
      { body: { metadata: { name: 'x' }, ...POD } },
    ],
    [`POST ${MAPS}?dryRun=All&fieldValidation=Strict`, 400, 'odd', map('x', { odd: 1 })],
  ],
  'a trial is answered with what would be stored, under the usual status': [
    [
      `POST ${MAPS}?dryRun=All`,
      201,
      [is('data.a', '1'), ({ json }) => assert.ok(json.metadata.uid)],
      map('would', { data: { a: '1' } }),
    ],
    [`POST ${MAPS}?dryRun=All`, 409, 'AlreadyExists', map('stays')],
    [`GET ${MAPS}/would`, 404],
  ],
  'a trial has no side effects': [
    [
      `POST ${NS}/resourcequotas`,
      201,
      [],
      { body: { metadata: { name: 'q' }, spec: { hard: { 'count/configmaps': '0' } } } },
    ],
    [
      `PATCH ${NS}/resourcequotas/q/status`,
      200,
      [],
      { headers: MERGE, body: { status: { hard: { 'count/secrets': '100' }, used: { 'count/secrets': '0' } } } },
    ],
    [`POST ${NS}/secrets?dryRun=All`, 201, [], map('uncounted')],
    [`GET ${NS}/resourcequotas/q`, 200, is('status.used', { 'count/secrets': '0' })],
    [`POST ${NS}/secrets`, 201, [], map('counted')],
    [`GET ${NS}/resourcequotas/q`, 200, is('status.used', { 'count/secrets': '1' })],
    [`DELETE ${NS}/resourcequotas/q`, 200],
  ],
  'who may not do it may not try it': [
    [`POST ${MAPS}?dryRun=All`, 403, refused('create'), { ...map('x'), as: 'nobody' }],
    [`POST ${MAPS}?dryRun=All`, 201, [], { ...map('x'), as: 'creator' }],
    [`DELETE ${MAPS}/stays?dryRun=All`, 403, refused('delete'), { as: 'creator' }],
  ],
  'generated values may differ between a trial and the request': [
    [
      `POST ${MAPS}?dryRun=All`,
      201,
      [],
      { body: { metadata: { generateName: 'g-' } }, keep: { name: 'metadata.name' } },
    ],
    [
      `POST ${MAPS}`,
      201,
      ({ json }) => assert.match(json.metadata.name, /^g-/),
      { body: { metadata: { generateName: 'g-' } } },
    ],
    [`GET ${MAPS}/{name}`, 404],
  ],
};

const SIGNING: Conversations = {
  'the approval of a request has its own sub-resource': [[`GET ${REQUESTS}/nosuch/approval`, 404, 'not found']],
};

describe('the specification: requests', () => {
  let replica: TestReplica;

  aroundAll((started) => {
    replica = started;
  });
  // pods are admitted with the account that a controller makes
  before(() => replica.call('POST', `${NS}/serviceaccounts`, { body: { metadata: { name: 'default' } } }));

  for (const conversations of [PATHS, VERBS, PARAMETERS, FORMS, VALIDATION, TRIALS, SIGNING])
    converse(() => replica, conversations);

  it('all built-in types answer in JSON', async () => {
    const { json: groups } = await replica.call('GET', '/apis');
    const versions = groups.groups.flatMap((group: { versions: { groupVersion: string }[] }) =>
      group.versions.map(({ groupVersion }) => `/apis/${groupVersion}`),
    );
    for (const path of ['/api/v1', ...versions]) {
      const { json } = await replica.call('GET', path);
      for (const { name, verbs } of json.resources) {
        if (name.includes('/') || !verbs.includes('list')) continue;
        const list = await replica.call('GET', `${path}/${name}?limit=1`, { headers: JSON_TYPE });
        assert.equal(list.headers['content-type'], 'application/json', `${path}/${name}`);
      }
    }
  });
});
