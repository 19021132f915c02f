import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { defaultRelease, type Release, releaseOf } from '#base/release/release.ts';
import type { Answer } from '../../api/answer.ts';
import { request } from '../../openapi/testing/request.ts';
import { documentsByDefault } from '../../openapi/testing/served-by-default.ts';
import { documentTypes, openapiAnswer } from './openapi.ts';

const documents = documentsByDefault();

async function answer(
  line: string,
  headers: Record<string, string> = {},
  release: Release = defaultRelease,
): Promise<Extract<Answer, { kind: 'bytes' | 'empty' }> | undefined> {
  const found = await openapiAnswer(request(line, headers), documentTypes(release), () => documents);
  if (found === undefined) return undefined;
  assert.ok(found.kind === 'bytes' || found.kind === 'empty');
  return found;
}

async function textOf(body: Buffer | AsyncIterable<Buffer>): Promise<string> {
  return String(Buffer.isBuffer(body) ? body : await buffer(body));
}

/** `status content-type first-bytes` */
async function shown(line: string, headers: Record<string, string> = {}, release?: Release): Promise<string> {
  const found = await answer(line, headers, release);
  if (found === undefined) return 'no such path';
  if (found.kind === 'empty') return `${found.status}`;
  return `${found.status} ${found.contentType} ${(await textOf(found.body)).slice(0, 9).trim()}`;
}

const protobuf = (version: string): string => `application/com.github.proto-openapi.spec.${version}@v1.0+protobuf`;

describe('the OpenAPI paths', () => {
  const cases: readonly [line: string, accept: string, shown: string][] = [
    ['GET /openapi/v2', '', '200 text/plain; charset=utf-8 {"swagger'],
    ['POST /openapi/v2', '', '200 text/plain; charset=utf-8 {"swagger'],
    ['GET /openapi/v2', '*/*', '200 text/plain; charset=utf-8 {"swagger'],
    ['GET /openapi/v2', 'application/*', '200 text/plain; charset=utf-8 {"swagger'],
    ['GET /openapi/v2', 'application/yaml', '406'],
    ['GET /openapi/v2', 'application/yaml, application/json;q=0.1', '200 text/plain; charset=utf-8 {"swagger'],
    ['GET /openapi/v2', protobuf('v3'), '406'],
    ['GET /openapi/v3', 'application/yaml', '200 text/plain; charset=utf-8 {"paths":'],
    ['GET /openapi/v3/apis/apps/v1', '', '200 text/plain; charset=utf-8 {"openapi'],
    ['GET /openapi/v3/apis/apps/v1', 'text/html', '406'],
    ['GET /openapi/v3/apis/apps/v7', '', '404'],
    ['GET /openapi/v3/', '', '404'],
    ['GET /openapi/v2/', '', 'no such path'],
    ['GET /openapi', '', 'no such path'],
  ];
  for (const [line, accept, expected] of cases) {
    it(`${line} ${accept} -> ${expected}`, async () => {
      assert.equal(await shown(line, { accept }), expected);
    });
  }

  const named: readonly [path: string, accept: string, in27: string][] = [
    ['/openapi/v2', '', 'application/json'],
    ['/openapi/v3', '', 'text/plain; charset=utf-8'],
    ['/openapi/v3/apis/apps/v1', '', 'application/json'],
    ['/openapi/v2', protobuf('v2'), protobuf('v2').replace('@', '.')],
    ['/openapi/v3/apis/apps/v1', protobuf('v3'), protobuf('v3').replace('@', '.')],
    ['/openapi/v3/apis/apps/v1', protobuf('v3').replace('@', '.'), protobuf('v3').replace('@', '.')],
  ];
  for (const [path, accept, in27] of named)
    it(`GET ${path} ${accept} -> ${in27} since 1.27`, async () => {
      const found = await answer(`GET ${path}`, { accept }, releaseOf('1.27'));
      assert.ok(found?.kind === 'bytes');
      assert.equal(found.contentType, in27);
    });

  it('answer Protobuf with the same ETag as JSON', async () => {
    for (const [path, version] of [
      ['/openapi/v2', 'v2'],
      ['/openapi/v3/apis/apps/v1', 'v3'],
    ] as const) {
      const [json, binary] = [await answer(`GET ${path}`), await answer(`GET ${path}`, { accept: protobuf(version) })];
      assert.ok(binary?.kind === 'bytes');
      assert.equal(binary.contentType, 'application/octet-stream');
      assert.equal(binary.headers?.['ETag'], json?.headers?.['ETag']);
    }
  });

  it('list every v3 document with its hash', async () => {
    const index = await answer('GET /openapi/v3');
    assert.ok(index?.kind === 'bytes');
    const { paths } = JSON.parse(String(index.body)) as { paths: Record<string, { serverRelativeURL: string }> };
    assert.deepEqual(Object.keys(paths), documents.keys);
    const document = await documents.v3('apis/apps/v1');
    assert.equal(paths['apis/apps/v1']?.serverRelativeURL, `/openapi/v3/apis/apps/v1?hash=${document?.hash}`);
  });

  it('allow caching forever for a URL with the current hash', async () => {
    const { hash } = (await documents.v3('version'))!;
    const found = await answer(`GET /openapi/v3/version?hash=${hash}`);
    assert.equal(found?.status, 200);
    assert.equal(found?.headers?.['Cache-Control'], 'public, immutable');
    assert.equal(found?.headers?.['Vary'], 'Accept');
    assert.ok(Date.parse(String(found?.headers?.['Expires'])) > Date.now());
  });

  it('redirect a URL with an old hash to the current one', async () => {
    const address = `/openapi/v3/version?hash=${(await documents.v3('version'))!.hash}`;
    const found = await answer('GET /openapi/v3/version?hash=0');
    assert.ok(found?.kind === 'bytes');
    assert.equal(found.status, 301);
    assert.equal(found.headers?.['Location'], address);
    assert.equal(String(found.body), `<a href="${address}">Moved Permanently</a>.\n\n`);
    assert.equal(await shown('POST /openapi/v3/version?hash=0'), '301');
  });
});
