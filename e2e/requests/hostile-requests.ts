import { type TestRequest, testNaming } from '#server/testing/replica.ts';

export const MAPS = '/api/v1/namespaces/default/configmaps';
export const POD = '/api/v1/namespaces/default/pods';
export const patch = (type: string, raw: string): TestRequest => ({
  raw,
  headers: { 'Content-Type': `application/${type}` },
});

const BROKEN_PROTOBUF: TestRequest = {
  raw: Buffer.concat([testNaming.protobufMagic, Buffer.from('0affffffffff', 'hex')]),
  headers: { 'Content-Type': testNaming.protobufMediaType },
};

const ESCAPING_TOKEN = Buffer.from(
  JSON.stringify({ v: testNaming.apiVersion('meta', 'v1'), rv: 1, start: '../../x' }),
).toString('base64url');

/** The requests of a client, and the answers. */
export const table: readonly [what: string, method: string, path: string, request: TestRequest, status: number][] = [
  ['an unknown path', 'GET', '/nope', {}, 404],
  ['an unknown version', 'GET', '/apis/apps/v9/deployments', {}, 404],
  ['an unknown resource', 'GET', '/api/v1/things', {}, 404],
  ['a path with broken escapes', 'GET', '/api/v1/namespaces/%zz/pods', {}, 400],
  ['a path that is no UTF-8', 'GET', '/api/v1/namespaces/default/pods/%ff', {}, 404],
  ['an object in no namespace', 'GET', '/api/v1/namespaces//pods/x', {}, 400],
  ['an object for no namespace', 'POST', '/api/v1/namespaces//configmaps', { body: { metadata: { name: 'x' } } }, 400],
  ['an empty segment before the resource', 'GET', '/api/v1//pods', {}, 404],
  ['namespaces within a namespace', 'GET', '/api/v1/namespaces/default/namespaces', {}, 404],
  ['a namespace within itself', 'GET', '/api/v1/namespaces/default/namespaces/default', {}, 404],
  ['nodes in no namespace', 'GET', '/api/v1/namespaces//nodes', {}, 404],
  ['a timeout that takes for ever to read', 'GET', `${MAPS}?timeout=${'1000s'.repeat(20_000)}!`, {}, 400],
  ['a manager of control characters', 'POST', `${MAPS}?fieldManager=${'%01'.repeat(60_000)}`, { body: {} }, 422],
  ['an Accept header of ranges', 'GET', MAPS, { headers: { Accept: 'a/b;c=d,'.repeat(25_000) } }, 406],
  ['an Accept header of blanks', 'GET', MAPS, { headers: { Accept: `a/b; c=d${' '.repeat(200_000)}x` } }, 406],
  [
    'a media type of blanks',
    'POST',
    MAPS,
    { raw: '{}', headers: { 'Content-Type': `a/b; c=d${' '.repeat(200_000)}x` } },
    415,
  ],
  ['credentials of blanks', 'GET', MAPS, { token: `${'a '.repeat(100_000)}` }, 401],
  ['a very long name', 'GET', `${MAPS}/${'x'.repeat(4000)}`, {}, 404],
  ['an empty body', 'POST', MAPS, { raw: '' }, 400],
  ['no JSON', 'POST', MAPS, { raw: '{"metadata":' }, 400],
  ['a list', 'POST', MAPS, { raw: '[]' }, 400],
  ['a number', 'POST', MAPS, { raw: '1e999' }, 400],
  ['deep nesting', 'POST', MAPS, { raw: `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}` }, 400],
  ['invalid UTF-8', 'POST', MAPS, { raw: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) }, 400],
  ['another kind', 'POST', MAPS, { raw: '{"kind":"Pod","apiVersion":"v1"}' }, 400],
  ['a foreign media type', 'POST', MAPS, { raw: '<a/>', headers: { 'Content-Type': 'text/xml' } }, 415],
  ['broken protobuf', 'POST', MAPS, BROKEN_PROTOBUF, 400],
  [
    'a YAML bomb',
    'POST',
    MAPS,
    patch(
      'yaml',
      `a: &a [x,x]\n${Array.from({ length: 30 }, (_, n) => `b${n}: &b${n} [*${n === 0 ? 'a' : `b${n - 1}`},*${n === 0 ? 'a' : `b${n - 1}`}]`).join('\n')}`,
    ),
    400,
  ],
  [
    'a body over the limit',
    'POST',
    MAPS,
    { raw: JSON.stringify({ metadata: { name: 'x' }, data: { k: 'x'.repeat(4 << 20) } }) },
    413,
  ],
  [
    'prototype keys',
    'POST',
    MAPS,
    { raw: '{"metadata":{"name":"proto","labels":{"__proto__":"x"}},"data":{"__proto__":"y","constructor":"z"}}' },
    422,
  ],
  ['an odd resource version', 'GET', `${MAPS}?resourceVersion=abc`, {}, 400],
  ['a negative resource version', 'GET', `${MAPS}?resourceVersion=-1`, {}, 400],
  ['a resource version beyond all stores', 'GET', `${MAPS}/x?resourceVersion=18446744073709551615`, {}, 504],
  ['a resource version beyond 64 bits', 'GET', `${MAPS}?resourceVersion=18446744073709551616`, {}, 400],
  ['an odd continue token', 'GET', `${MAPS}?continue=%00`, {}, 400],
  ['a token that leaves its collection', 'GET', `${MAPS}?continue=${ESCAPING_TOKEN}`, {}, 400],
  ['an odd label selector', 'GET', `${MAPS}?labelSelector=${encodeURIComponent('a in (b')}`, {}, 400],
  ['an odd field selector', 'GET', `${MAPS}?fieldSelector=nope%3D1`, {}, 400],
  ['an odd limit', 'GET', `${MAPS}?limit=many`, {}, 400],
  ['an odd patch of nothing', 'PATCH', `${MAPS}/none`, patch('merge-patch+json', '{'), 404],
  ['a patch of nothing', 'PATCH', `${MAPS}/none`, patch('merge-patch+json', '{}'), 404],
  ['a patch without a type', 'PATCH', `${MAPS}/none`, { raw: '{}' }, 415],
  ['an odd dry run', 'POST', `${MAPS}?dryRun=Maybe`, { body: { metadata: { name: 'x' } } }, 422],
  ['an odd grace period', 'DELETE', `${POD}/x?gracePeriodSeconds=soon`, {}, 400],
  ['an odd Accept', 'GET', MAPS, { headers: { Accept: 'text/html' } }, 406],
  ['a wrong method', 'PUT', MAPS, { body: {} }, 405],
  [
    'a namespace that is not there',
    'POST',
    '/api/v1/namespaces/nowhere/configmaps',
    { body: { metadata: { name: 'x' } } },
    404,
  ],
  ['another namespace in the body', 'POST', MAPS, { body: { metadata: { name: 'x', namespace: 'other' } } }, 400],
  ['a bad name', 'POST', MAPS, { body: { metadata: { name: 'Not Good' } } }, 422],
  ['control characters in a name', 'POST', MAPS, { body: { metadata: { name: 'a\u0000b' } } }, 422],
];
