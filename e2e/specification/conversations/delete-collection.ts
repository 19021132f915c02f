import assert from 'node:assert/strict';
import { type Conversations, is, lacks, names, type Turn } from '../conversation.ts';
import { LISTED, MERGE, TEMPLATE } from './resource-parts.ts';

export const COLLECTION: Conversations = {
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
