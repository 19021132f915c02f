import assert from 'node:assert/strict';
import { type Conversations, is, names } from '../conversation.ts';
import { CORE, MAPS, MERGE, make, NS, RBAC, TIME } from './resource-parts.ts';

export const METADATA: Conversations = {
  'generateName makes the server generate a name': [
    [`POST ${MAPS}`, 201, [], { body: { metadata: { generateName: 'g-' } }, keep: { first: 'metadata.name' } }],
    [`GET ${MAPS}/{first}`, 200, /"name":"g-[a-z0-9]{5}"/],
    [`POST ${MAPS}`, 201, [], { body: { metadata: { generateName: 'g-' } }, keep: { second: 'metadata.name' } }],
    [`GET ${MAPS}/{second}`, 200],
  ],
  'generateName stays in the object': [
    [`POST ${MAPS}`, 201, is('metadata.generateName', 'kept-'), { body: { metadata: { generateName: 'kept-' } } }],
  ],
  'namespaced objects show their namespace': [
    [`POST ${MAPS}`, 201, is('metadata.namespace', 'default'), { body: { metadata: { name: 'within' } } }],
    [`GET ${CORE}/nodes/n1`, 200, is('metadata.namespace', undefined)],
  ],
  'the server sets a random uid, different for each object': [
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
  'the order of finalizers can be changed with the permission to update': [
    make('ordered', { finalizers: ['example.com/a', 'example.com/b'] }),
    [
      `PATCH ${MAPS}/ordered`,
      200,
      is('metadata.finalizers', ['example.com/b', 'example.com/a']),
      { headers: MERGE, body: { metadata: { finalizers: ['example.com/b', 'example.com/a'] } } },
    ],
    [`PATCH ${MAPS}/ordered`, 200, [], { headers: MERGE, body: { metadata: { finalizers: null } } }],
  ],
  'selectors use labels, whose values are texts': [
    make('labelled', { labels: { tier: 'a' } }),
    [`GET ${MAPS}?labelSelector=tier%3Da`, 200, names('labelled')],
    [`POST ${MAPS}`, 400, 'labels', { body: { metadata: { name: 'x', labels: { a: 1 } } } }],
    [`POST ${MAPS}`, 422, 'metadata.labels', { body: { metadata: { name: 'x', labels: { a: 'no spaces' } } } }],
  ],
  'annotations are any texts': [
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
  'apiVersion is v1 for the core group, and GROUP/VERSION for others': [
    [`GET ${NS.replace('default', 'orch-system')}`, 200, [is('apiVersion', 'v1'), is('kind', 'Namespace')]],
    [
      `GET ${RBAC}/clusterroles/view`,
      200,
      [is('apiVersion', 'rbac.authorization.orch.io/v1'), is('kind', 'ClusterRole')],
    ],
  ],
};
