import { type Conversations, names, type Turn } from '../conversation.ts';
import { APPLY, MAPS, MERGE, map, NS, POD, RBAC, refused } from './request-parts.ts';

const ROLE = (verbs: string[], resources: string[]) => ({
  rules: [{ apiGroups: [''], verbs, resources }],
});

/** Turns that grant a user only these verbs, and only on config maps. */
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

export const VERBS: Conversations = {
  'POST needs the verb create': [
    ...granted('creator', 'create'),
    [`POST ${MAPS}`, 201, [], { ...map('made'), as: 'creator' }],
    [`GET ${MAPS}/made`, 403, refused('get'), { as: 'creator' }],
  ],
  'GET and HEAD need get for one object, and list for a collection': [
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
  'GET with watch needs the verb watch': [
    [`GET ${MAPS}?watch=1`, 403, refused('watch'), { as: 'lister' }],
    ...granted('watcher', 'watch'),
    [`GET ${MAPS}?watch=1&timeoutSeconds=1&resourceVersion=0`, 200, '"ADDED"', { as: 'watcher' }],
  ],
  'PUT needs the verb update': [
    ...granted('updater', 'update'),
    [`PUT ${MAPS}/made`, 200, [], { ...map('made', { data: { a: '1' } }), as: 'updater' }],
    [`PUT ${MAPS}/made`, 403, refused('update'), { ...map('made'), as: 'creator' }],
  ],
  'PUT creates objects of some types if they do not exist': [
    [`PUT ${NS}/limitranges/put`, 201, [], { body: { metadata: { name: 'put' }, spec: { limits: [] } } }],
    [`PUT ${NS}/limitranges/put`, 200, [], { body: { metadata: { name: 'put' }, spec: { limits: [] } } }],
  ],
  'PATCH needs the verb patch': [
    ...granted('patcher', 'patch'),
    [`PATCH ${MAPS}/made`, 200, [], { headers: MERGE, body: { data: { b: '1' } }, as: 'patcher' }],
    [`PATCH ${MAPS}/made`, 403, refused('patch'), { headers: MERGE, body: {}, as: 'updater' }],
  ],
  'DELETE needs delete for one object, and deletecollection for a collection': [
    ...granted('deleter', 'delete'),
    [`DELETE ${MAPS}`, 403, refused('deletecollection'), { as: 'deleter' }],
    [`DELETE ${MAPS}/made`, 200, [], { as: 'deleter' }],
    ...granted('sweeper', 'deletecollection'),
    [`DELETE ${MAPS}/here`, 403, refused('delete'), { as: 'sweeper' }],
    [`DELETE ${MAPS}?labelSelector=none`, 200, [], { as: 'sweeper' }],
  ],
  'a proxy request needs a verb of its sub-resource': [
    [`GET ${NS}/pods/p/proxy`, 403, 'cannot get resource \\"pods/proxy\\"', { as: 'nobody' }],
    [`POST ${NS}/services/s/proxy/x`, 403, 'cannot create resource \\"services/proxy\\"', { as: 'nobody' }],
    ['GET /api/v1/nodes/n/proxy/metrics', 403, 'cannot get resource \\"nodes/proxy\\"', { as: 'nobody' }],
  ],
  'an apply needs the verb patch': [
    [`PATCH ${MAPS}/here?fieldManager=m`, 403, refused('patch'), { headers: APPLY, body: {}, as: 'updater' }],
    [
      `PATCH ${MAPS}/here?fieldManager=m`,
      200,
      [],
      { headers: APPLY, body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'here' } }, as: 'patcher' },
    ],
  ],
  'only list, watch and deletecollection act on several objects': [
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
