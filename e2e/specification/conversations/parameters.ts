import assert from 'node:assert/strict';
import { type Conversations, header, is, names } from '../conversation.ts';
import { APPLY, MAPS, MERGE, map, NS } from './request-parts.ts';

const SECRETS = `${NS}/secrets`;

export const PARAMETERS: Conversations = {
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
  'limit is the maximum number of items in a chunk': [
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
  'continue accepts only the token of the previous chunk': [
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
  'fieldManager names the manager, and defaults to the start of the user agent': [
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
  'force is only for apply and overrides conflicts': [
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
  'pretty indents the response, even together with dryRun without a value': [
    [`GET ${MAPS}/here?pretty=true`, 200, '{\n  "kind": "ConfigMap"'],
    [`POST ${MAPS}?dryRun=All&pretty`, 201, '\n', map('p')],
    [`PATCH ${MAPS}/here?dryRun&pretty`, 200, [], { headers: MERGE, body: {} }],
  ],
};
