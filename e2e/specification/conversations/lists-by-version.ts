import { type Conversations, is, names } from '../conversation.ts';
import { add, LIST } from './version-parts.ts';

export const LISTS: Conversations = {
  'a list without a version is the most recent': [
    add('a'),
    [`GET ${LIST}`, 200, names('a')],
    add('b'),
    [`GET ${LIST}`, 200, names('a', 'b')],
  ],
  'a list at version 0 is of any version': [[`GET ${LIST}?resourceVersion=0`, 200]],
  'a list at another version is not older than that': [
    add('c'),
    [`GET ${LIST}?resourceVersion={rv}`, 200, names('a', 'b', 'c')],
    [`GET ${LIST}?resourceVersion=1`, 200, names('a', 'b', 'c')],
  ],
  'a first page without a version is the most recent': [
    add('d'),
    [`GET ${LIST}?limit=3`, 200, [names('a', 'b', 'c'), is('metadata.remainingItemCount', 1)]],
  ],
  'a first page at version 0 is of any version': [[`GET ${LIST}?limit=1&resourceVersion=0`, 200]],
  'a first page at another version is exactly of that': [
    add('e'),
    add('f', 'later'),
    [
      `GET ${LIST}?limit=5&resourceVersion={rv}`,
      200,
      [names('a', 'b', 'c', 'd', 'e'), is('metadata.remainingItemCount', undefined)],
    ],
  ],
  'a page by a token is exactly of the version of the first': [
    [`GET ${LIST}?limit=5`, 200, [], { keep: { token: 'metadata.continue' } }],
    add('g'),
    [`GET ${LIST}?limit=5&continue={token}`, 200, names('f')],
  ],
  'version 0 with a continue token is ignored': [
    [`GET ${LIST}?limit=6`, 200, [], { keep: { token: 'metadata.continue' } }],
    [`GET ${LIST}?limit=6&continue={token}&resourceVersion=0`, 200, names('g')],
  ],
  'another version with a continue token is invalid': [
    [`GET ${LIST}?limit=6`, 200, [], { keep: { token: 'metadata.continue', rv: 'metadata.resourceVersion' } }],
    [
      `GET ${LIST}?limit=6&continue={token}&resourceVersion={rv}`,
      400,
      'specifying resource version is not allowed when using continue',
    ],
  ],
  'Exact is invalid without a version': [
    [`GET ${LIST}?resourceVersionMatch=Exact`, 422, 'resourceVersionMatch'],
    [`GET ${LIST}?resourceVersionMatch=Exact&limit=1`, 422, 'resourceVersionMatch'],
  ],
  'Exact is invalid at version 0': [
    [`GET ${LIST}?resourceVersionMatch=Exact&resourceVersion=0`, 422, 'resourceVersionMatch'],
    [`GET ${LIST}?resourceVersionMatch=Exact&resourceVersion=0&limit=1`, 422, 'resourceVersionMatch'],
  ],
  'Exact at another version is of that version, which the collection shows': [
    add('h'),
    add('i', 'later'),
    [
      `GET ${LIST}?resourceVersionMatch=Exact&resourceVersion={rv}`,
      200,
      [names('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')],
      { keep: { shown: 'metadata.resourceVersion' } },
    ],
    [
      `GET ${LIST}?resourceVersionMatch=Exact&resourceVersion={shown}&limit=8`,
      200,
      [names('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'), is('metadata.continue', undefined)],
    ],
  ],
  'NotOlderThan is invalid without a version': [
    [`GET ${LIST}?resourceVersionMatch=NotOlderThan`, 422, 'resourceVersionMatch'],
    [`GET ${LIST}?resourceVersionMatch=NotOlderThan&limit=1`, 422, 'resourceVersionMatch'],
  ],
  'NotOlderThan at version 0 is any version': [
    [`GET ${LIST}?resourceVersionMatch=NotOlderThan&resourceVersion=0`, 200],
    [`GET ${LIST}?resourceVersionMatch=NotOlderThan&resourceVersion=0&limit=1`, 200],
  ],
  'NotOlderThan at another version is at least that': [
    add('j'),
    [`GET ${LIST}?resourceVersionMatch=NotOlderThan&resourceVersion={rv}`, 200, '"name":"j"'],
    [`GET ${LIST}?resourceVersionMatch=NotOlderThan&resourceVersion=1&limit=99`, 200, '"name":"j"'],
  ],
  'resourceVersionMatch with a continue token is invalid': [
    [`GET ${LIST}?limit=1`, 200, [], { keep: { token: 'metadata.continue', rv: 'metadata.resourceVersion' } }],
    [
      `GET ${LIST}?limit=1&continue={token}&resourceVersionMatch=Exact&resourceVersion={rv}`,
      422,
      'resourceVersionMatch',
    ],
  ],
};
