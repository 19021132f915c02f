import assert from 'node:assert/strict';
import { type Conversations, is } from '../conversation.ts';
import { MAPS, MERGE, map, NS, POD, refused } from './request-parts.ts';

export const TRIALS: Conversations = {
  'POST, PUT, PATCH and DELETE support dry runs': [
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
  'a dry run is admitted, validated, merged and defaulted': [
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
  'a dry run returns the object that would be stored, with the usual status code': [
    [
      `POST ${MAPS}?dryRun=All`,
      201,
      [is('data.a', '1'), ({ json }) => assert.ok(json.metadata.uid)],
      map('would', { data: { a: '1' } }),
    ],
    [`POST ${MAPS}?dryRun=All`, 409, 'AlreadyExists', map('stays')],
    [`GET ${MAPS}/would`, 404],
  ],
  'a dry run has no side effects': [
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
  'a dry run needs the same permissions as the request': [
    [`POST ${MAPS}?dryRun=All`, 403, refused('create'), { ...map('x'), as: 'nobody' }],
    [`POST ${MAPS}?dryRun=All`, 201, [], { ...map('x'), as: 'creator' }],
    [`DELETE ${MAPS}/stays?dryRun=All`, 403, refused('delete'), { as: 'creator' }],
  ],
  'generated values may differ between a dry run and the request': [
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
