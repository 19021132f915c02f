import assert from 'node:assert/strict';
import { aroundAll } from '#server/testing/around-all.ts';
import type { TestReplica } from '#server/testing/replica.ts';
import { type Conversations, converse, is, lacks, type Says, type Turn } from './conversation.ts';

const NS = '/api/v1/namespaces/default';
const MAPS = `${NS}/configmaps`;
const SERVICES = `${NS}/services`;
const RBAC = '/apis/rbac.authorization.orch.io/v1';
const TYPE = 'application/apply-patch+yaml';
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const DEFINITIONS = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';

/** A map that a manager applies. */
function applied(
  manager: string,
  name: string,
  data: Record<string, string>,
  status: number,
  says: Says | readonly Says[] = [],
  more: { force?: boolean; metadata?: object; as?: string } = {},
): Turn {
  const query = `fieldManager=${manager}${more.force ? '&force=true' : ''}`;
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...more.metadata }, data };
  return [
    `PATCH ${MAPS}/${name}?${query}`,
    status,
    says,
    { headers: { 'Content-Type': TYPE }, body, ...(more.as === undefined ? {} : { as: more.as }) },
  ];
}
/** A map that a manager changes without applying. */
const updated = (
  manager: string,
  name: string,
  data: Record<string, string | null>,
  says: Says | readonly Says[] = [],
): Turn => [`PATCH ${MAPS}/${name}?fieldManager=${manager}`, 200, says, { headers: MERGE, body: { data } }];
/** The fields of data that a manager owns by an operation, as `manager/operation`. */
const owns =
  (owner: string, ...keys: string[]): Says =>
  ({ json, text }) => {
    const entry = (json.metadata.managedFields ?? []).find(
      ({ manager, operation }: { manager: string; operation: string }) => `${manager}/${operation}` === owner,
    );
    const fields = Object.keys(entry?.fieldsV1['f:data'] ?? {}).filter((key) => key !== '.');
    assert.deepEqual(
      fields,
      keys.map((key) => `f:${key}`),
      text,
    );
  };
/** An object of any kind that a manager applies. */
const put = (manager: string, path: string, body: object, status: number, says: Says | readonly Says[] = []): Turn => [
  `PATCH ${path}?fieldManager=${manager}`,
  status,
  says,
  { headers: { 'Content-Type': TYPE }, body },
];
const service = (name: string, spec: object) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec });
const widget = (name: string, spec: object) => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec,
});
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const port = (number: number, name: string) => ({ port: number, name });

const RULES: Conversations = {
  'apply is a PATCH of its own type, with the fields that its manager cares about': [
    applied('a', 'first', { x: '1' }, 201, is('data', { x: '1' })),
    updated('u', 'first', { y: '2' }),
    applied('a', 'first', { x: '3' }, 200, is('data', { x: '3', y: '2' })),
  ],
  'an apply names its manager': [
    [
      `PATCH ${MAPS}/first`,
      422,
      'fieldManager',
      { headers: { 'Content-Type': TYPE }, body: { apiVersion: 'v1', kind: 'ConfigMap' } },
    ],
    [
      `PATCH ${MAPS}/first?fieldManager=`,
      422,
      'fieldManager',
      { headers: { 'Content-Type': TYPE }, body: { apiVersion: 'v1', kind: 'ConfigMap' } },
    ],
  ],
  'an applied body has no managed fields': [
    applied('a', 'first', { x: '1' }, 400, 'managedFields', {
      metadata: {
        managedFields: [{ manager: 'a', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }],
      },
    }),
  ],
  'an applied value replaces the stored value': [
    updated('a', 'first', { z: '1' }),
    applied('a', 'won', { x: '1' }, 201),
    applied('a', 'won', { x: '2' }, 200, is('data.x', '2')),
  ],
  'a field that a manager no longer applies is removed, unless another manager owns it': [
    applied('a', 'left', { x: '1', y: '1' }, 201),
    applied('b', 'left', { y: '1' }, 200),
    applied('a', 'left', {}, 200, [is('data', { y: '1' }), owns('b/Apply', 'y')]),
  ],
  'an update never conflicts, and takes over the fields that it changes': [
    applied('a', 'taken', { x: '1', y: '1' }, 201),
    updated('u', 'taken', { x: '2' }, [is('data.x', '2'), owns('u/Update', 'x'), owns('a/Apply', 'y')]),
  ],
  'applying another value of a field of another manager is a conflict': [
    applied('a', 'fought', { x: '1' }, 201),
    applied('b', 'fought', { x: '2' }, 409, ['conflict with \\"a\\"', '.data.x']),
    [`GET ${MAPS}/fought`, 200, is('data.x', '1')],
  ],
  'force overrides the value, and other managers lose the field': [
    applied('b', 'fought', { x: '2' }, 200, [is('data.x', '2'), owns('b/Apply', 'x'), owns('a/Apply')], {
      force: true,
    }),
  ],
  'a manager that drops a field gives up its claim, and the value stays': [
    applied('a', 'dropped', { x: '1', y: '1' }, 201),
    updated('u', 'dropped', { x: '2' }),
    applied('a', 'dropped', { x: '1', y: '1' }, 409, 'conflict'),
    applied('a', 'dropped', { y: '1' }, 200, [is('data.x', '2'), owns('a/Apply', 'y'), owns('u/Update', 'x')]),
  ],
  'a manager that applies the same value shares the field': [
    applied('a', 'dropped', { x: '2', y: '1' }, 200, [owns('a/Apply', 'x', 'y'), owns('u/Update', 'x')]),
  ],
  'managers that apply the same value share the field, and a change by one of them is a conflict': [
    applied('a', 'shared', { x: '1' }, 201),
    applied('b', 'shared', { x: '1' }, 200, [owns('a/Apply', 'x'), owns('b/Apply', 'x')]),
    applied('a', 'shared', { x: '2' }, 409, 'conflict with \\"b\\"'),
    applied('b', 'shared', { x: '2' }, 409, 'conflict with \\"a\\"'),
  ],
  'a field that is no longer applied gets its default, unless another manager owns it': [
    put(
      'a',
      `${SERVICES}/reset`,
      service('reset', { sessionAffinity: 'ClientIP', ports: [port(80, 'http')] }),
      201,
      is('spec.sessionAffinity', 'ClientIP'),
    ),
    put(
      'a',
      `${SERVICES}/reset`,
      service('reset', { ports: [port(80, 'http')] }),
      200,
      is('spec.sessionAffinity', 'None'),
    ),
  ],
  'a list item is removed if no other manager owns it': [
    put('a', `${SERVICES}/items`, service('items', { ports: [port(80, 'http'), port(81, 'more')] }), 201),
    put('b', `${SERVICES}/items`, service('items', { ports: [port(82, 'other')] }), 200, ({ json }) =>
      assert.equal(json.spec.ports.length, 3),
    ),
    put('a', `${SERVICES}/items`, service('items', { ports: [port(80, 'http')] }), 200, ({ json }) =>
      assert.deepEqual(json.spec.ports.map(({ name }: { name: string }) => name).sort(), ['http', 'other']),
    ),
  ],
  'an apply that creates an object needs the verbs patch and create': [
    [
      `POST ${RBAC}/namespaces/default/roles`,
      201,
      [],
      {
        body: {
          metadata: { name: 'patcher' },
          rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] }],
        },
      },
    ],
    [
      `POST ${RBAC}/namespaces/default/rolebindings`,
      201,
      [],
      {
        body: {
          metadata: { name: 'patcher' },
          subjects: [{ kind: 'User', name: 'patcher', apiGroup: 'rbac.authorization.orch.io' }],
          roleRef: { kind: 'Role', name: 'patcher', apiGroup: 'rbac.authorization.orch.io' },
        },
      },
    ],
    applied('a', 'by-patcher', { x: '1' }, 403, [], { as: 'patcher' }),
    applied('a', 'by-patcher', { x: '1' }, 201),
    applied('a', 'by-patcher', { x: '2' }, 200, [], { as: 'patcher' }),
  ],
  'managed fields are cleared by a list with one empty entry': [
    applied('a', 'cleared', { x: '1' }, 201),
    [
      `PATCH ${MAPS}/cleared`,
      200,
      is('metadata.managedFields', undefined),
      { headers: MERGE, body: { metadata: { managedFields: [{}] } } },
    ],
  ],
  'an empty list of managed fields clears nothing': [
    applied('a', 'uncleared', { x: '1' }, 201),
    [
      `PATCH ${MAPS}/uncleared`,
      200,
      owns('a/Apply', 'x'),
      { headers: MERGE, body: { metadata: { managedFields: [] } } },
    ],
  ],
  'a reset together with other changes comes first, and the writer owns the other changes': [
    applied('a', 'reset', { x: '1' }, 201),
    [
      `PATCH ${MAPS}/reset?fieldManager=u`,
      200,
      [owns('u/Update', 'y'), lacks('"manager":"a"')],
      { headers: MERGE, body: { metadata: { managedFields: [{}] }, data: { y: '2' } } },
    ],
  ],
  'an apply needs neither a read nor a resource version': [
    applied('a', 'unread', { x: '1' }, 201),
    applied('controller', 'unread', { y: '2' }, 200, is('data', { x: '1', y: '2' }), { force: true }),
  ],
  'a field can be handed over by a manager that owns only this field': [
    applied('user', 'handed', { replicas: '1', other: 'x' }, 201),
    applied('handover', 'handed', { replicas: '1' }, 200),
    applied('user', 'handed', { other: 'x' }, 200, [is('data.replicas', '1'), owns('handover/Apply', 'replicas')]),
    updated('controller', 'handed', { replicas: '5' }, [owns('controller/Update', 'replicas')]),
  ],
  'a conflict of that manager shows that the controller already owns the field': [
    applied('handover', 'handed', { replicas: '1' }, 409, 'conflict with \\"controller\\"'),
  ],
  'a manager without fields is not listed': [
    applied('other', 'handed', { once: '1' }, 200, '"other"'),
    applied('other', 'handed', {}, 200),
    updated('controller', 'handed', { once: '2' }),
    [`GET ${MAPS}/handed`, 200, lacks('"handover"')],
  ],
};

const array = (items: object, more: object) => ({ type: 'array', items, ...more });
const item = {
  type: 'object',
  properties: { name: { type: 'string' }, value: { type: 'string' } },
  required: ['name'],
};
const texts = { type: 'string' };
const definition = (name: string, spec: object) => ({
  metadata: { name: `${name}s.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: `${name}s`, singular: name, kind: name[0]!.toUpperCase() + name.slice(1) },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
      },
    ],
  },
});
const WIDGET = definition('widget', {
  type: 'object',
  properties: {
    whole: array(texts, { 'x-orch-list-type': 'atomic' }),
    unique: array(texts, { 'x-orch-list-type': 'set' }),
    keyed: array(item, { 'x-orch-list-type': 'map', 'x-orch-list-map-keys': ['name'] }),
    plain: array(texts, {}),
    closed: { type: 'object', additionalProperties: texts, 'x-orch-map-type': 'atomic' },
    open: { type: 'object', additionalProperties: texts, 'x-orch-map-type': 'granular' },
  },
});
const FREE = definition('gadget', { type: 'object', 'x-orch-preserve-unknown-fields': true });
const GADGETS = WIDGETS.replace('widgets', 'gadgets');
const gadget = (name: string, spec: object) => ({ ...widget(name, spec), kind: 'Gadget' });

const MARKERS: Conversations = {
  'an atomic list is replaced as a whole, and has one owner': [
    put('a', `${WIDGETS}/atomic`, widget('atomic', { whole: ['x'] }), 201),
    put('b', `${WIDGETS}/atomic`, widget('atomic', { whole: ['y'] }), 409, '.spec.whole'),
    put('a', `${WIDGETS}/atomic`, widget('atomic', { whole: ['y'] }), 200, is('spec.whole', ['y'])),
  ],
  'items of a set are owned one by one': [
    put('a', `${WIDGETS}/set`, widget('set', { unique: ['x'] }), 201),
    put('b', `${WIDGETS}/set`, widget('set', { unique: ['y'] }), 200, is('spec.unique', ['x', 'y'])),
    put('a', `${WIDGETS}/set`, widget('set', { unique: [] }), 200, is('spec.unique', ['y'])),
  ],
  'a set holds scalars that are unique': [
    put('a', `${WIDGETS}/twice`, widget('twice', { unique: ['x', 'x'] }), 400, 'duplicate entries'),
  ],
  'items of a map list are owned by their keys': [
    put('a', `${WIDGETS}/keyed`, widget('keyed', { keyed: [{ name: 'x', value: '1' }] }), 201),
    put('b', `${WIDGETS}/keyed`, widget('keyed', { keyed: [{ name: 'y', value: '1' }] }), 200, ({ json }) =>
      assert.equal(json.spec.keyed.length, 2),
    ),
    put(
      'b',
      `${WIDGETS}/keyed`,
      widget('keyed', { keyed: [{ name: 'x', value: '2' }] }),
      409,
      '.spec.keyed[name=\\"x\\"].value',
    ),
  ],
  'the keys of a map list are scalar fields that it names': [
    put('a', `${WIDGETS}/unkeyed`, widget('unkeyed', { keyed: [{ value: '1' }] }), 400, 'leaves out its key'),
    [
      `POST ${DEFINITIONS}`,
      422,
      'x-orch-list-map-keys',
      {
        body: definition('keyless', {
          type: 'object',
          properties: { list: array(item, { 'x-orch-list-type': 'map' }) },
        }),
      },
    ],
  ],
  'an atomic map is replaced by one manager': [
    put('a', `${WIDGETS}/closed`, widget('closed', { closed: { x: '1' } }), 201),
    put('b', `${WIDGETS}/closed`, widget('closed', { closed: { y: '1' } }), 409, '.spec.closed'),
  ],
  'managers own single fields of a granular map': [
    put('a', `${WIDGETS}/open`, widget('open', { open: { x: '1' } }), 201),
    put('b', `${WIDGETS}/open`, widget('open', { open: { y: '1' } }), 200, is('spec.open', { x: '1', y: '1' })),
  ],
  'items of a list that has only a merge key are owned by that key': [
    put(
      'a',
      `${NS}/serviceaccounts/keys`,
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'keys' }, secrets: [{ name: 'x' }] },
      201,
    ),
    put(
      'b',
      `${NS}/serviceaccounts/keys`,
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'keys' }, secrets: [{ name: 'y' }] },
      200,
      ({ json }) => assert.equal(json.secrets.length, 2),
    ),
  ],
  'without a schema keys are like struct fields, and lists are atomic': [
    put('a', `${GADGETS}/free`, gadget('free', { map: { x: '1' }, list: ['x'] }), 201),
    put('b', `${GADGETS}/free`, gadget('free', { map: { y: '1' } }), 200, is('spec.map', { x: '1', y: '1' })),
    put('b', `${GADGETS}/free`, gadget('free', { list: ['y'] }), 409, '.spec.list'),
  ],
};

describe('the specification: server-side apply', () => {
  let replica: TestReplica;

  aroundAll((started) => {
    replica = started;
  });
  before(async () => {
    for (const [body, path] of [
      [WIDGET, WIDGETS],
      [FREE, GADGETS],
    ] as const) {
      assert.equal((await replica.call('POST', DEFINITIONS, { body })).status, 201);
      while ((await replica.call('GET', path)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

  converse(() => replica, RULES);
  converse(() => replica, MARKERS);
});
