import { table } from '#base/collections/own-properties.ts';
import type { Release } from '#base/release/release.ts';
import type { Answer } from '../../api/answer.ts';
import { parseAccept } from '../../api/negotiation.ts';
import type { RequestContext } from '../../api/request-context.ts';
import type { OpenApi } from '../../openapi/openapi.ts';
import type { PublishedDocument } from '../../openapi/published-document.ts';
import { type ServedContent, serveContent } from '../../openapi/serve-content.ts';

const V2 = '/openapi/v2';
const V3 = '/openapi/v3';

/** The paths of the documents, which the root lists. */
export const openapiPaths: readonly string[] = [V2, V3, `${V3}/`];

/** A type under which clients also accept JSON, because they are used to it. */
const PLAIN_TYPE = 'text/plain; charset=utf-8';

/** The names of the forms of documents in a release: the types of answers, and the names in an Accept header. */
interface DocumentTypes {
  readonly json: string;
  protobuf(version: 'v2' | 'v3'): string;
  readonly subtypes: Readonly<Record<'v2' | 'v3', Readonly<Record<string, DocumentForm>>>>;
}

function subtypesOf(version: 'v2' | 'v3', dotted: boolean): Readonly<Record<string, DocumentForm>> {
  return table({
    '*': 'json',
    json: 'json',
    [`com.github.proto-openapi.spec.${version}@v1.0+protobuf`]: 'protobuf',
    ...(dotted && { [`com.github.proto-openapi.spec.${version}.v1.0+protobuf`]: 'protobuf' as const }),
  });
}

/** The type of a document before release 1.27. It depends on the first bytes. */
export function documentTypes(release: Release): DocumentTypes {
  const named = release.atLeast(27);
  return {
    json: named ? 'application/json' : PLAIN_TYPE,
    protobuf: (version) =>
      named ? `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf` : 'application/octet-stream',
    subtypes: { v2: subtypesOf('v2', named), v3: subtypesOf('v3', named) },
  };
}

const YEAR = 365 * 24 * 60 * 60 * 1000;

type DocumentForm = 'json' | 'protobuf';

/** The form of a document that an Accept header asks for; undefined if it accepts no form. */
function acceptedForm(
  accept: string | undefined,
  subtypes: Readonly<Record<string, DocumentForm>>,
): DocumentForm | undefined {
  for (const { type, subtype } of parseAccept(accept || '*/*')) {
    const form = type === 'application' || type === '*' ? subtypes[subtype] : undefined;
    if (form !== undefined) return form;
  }
  return undefined;
}

function contentOf(
  document: PublishedDocument,
  form: DocumentForm,
  contentType: string,
  headers: ServedContent['headers'],
): ServedContent {
  return {
    contentType,
    etag: `"${document.hash}"`,
    lastModified: document.lastModified,
    headers,
    body: async () => (await document.packed(form)).gzip,
  };
}

async function answerV2(context: RequestContext, openapi: OpenApi, types: DocumentTypes): Promise<Answer> {
  const vary = { Vary: 'Accept-Encoding, Accept' };
  const form = acceptedForm(context.header('accept'), types.subtypes.v2);
  if (form === undefined) return { kind: 'empty', status: 406, headers: vary };
  return serveContent(
    context,
    contentOf(await openapi.v2(), form, form === 'json' ? types.json : types.protobuf('v2'), vary),
  );
}

/** The path of a v3 document with a hash. This path always has the same content. */
function addressOf(key: string, document: PublishedDocument): string {
  return `${V3}/${key}?hash=${document.hash}`;
}

async function answerIndex(context: RequestContext, openapi: OpenApi): Promise<Answer> {
  const paths: Record<string, { serverRelativeURL: string }> = table();
  let lastModified = 0;
  for (const key of openapi.keys) {
    const document = await openapi.v3(key);
    if (document === undefined) continue;
    paths[key] = { serverRelativeURL: addressOf(key, document) };
    lastModified = Math.max(lastModified, document.lastModified);
  }
  const body = Buffer.from(JSON.stringify({ paths }));
  return serveContent(context, {
    contentType: PLAIN_TYPE,
    etag: undefined,
    lastModified,
    headers: {},
    body,
  });
}

function moved(context: RequestContext, address: string): Answer {
  const headers = { Location: address };
  if (context.info.method !== 'GET' && context.info.method !== 'HEAD') return { kind: 'empty', status: 301, headers };
  const body = Buffer.from(`<a href="${address}">Moved Permanently</a>.\n\n`);
  return { kind: 'bytes', status: 301, contentType: 'text/html; charset=utf-8', body, headers };
}

async function answerV3(context: RequestContext, openapi: OpenApi, key: string, types: DocumentTypes): Promise<Answer> {
  const vary = { Vary: 'Accept' };
  const form = acceptedForm(context.header('accept'), types.subtypes.v3);
  if (form === undefined) return { kind: 'empty', status: 406, headers: vary };
  const document = await openapi.v3(key);
  if (document === undefined) return { kind: 'empty', status: 404, headers: vary };
  if (form === 'protobuf' && !document.hasProtobuf) return { kind: 'empty', status: 406, headers: vary };
  const type = form === 'json' ? types.json : types.protobuf('v3');
  const hash = context.query.get('hash') ?? '';
  if (hash === '') return serveContent(context, contentOf(document, form, type, vary));
  if (hash !== document.hash) return moved(context, addressOf(key, document));
  const immutable = {
    ...vary,
    'Cache-Control': 'public, immutable',
    Expires: new Date(Date.now() + YEAR).toUTCString(),
  };
  return serveContent(context, contentOf(document, form, type, immutable));
}

/** Answers with the published documents of `now`, to any method. Undefined for other paths. */
export async function openapiAnswer(
  context: RequestContext,
  types: DocumentTypes,
  now: () => OpenApi,
): Promise<Answer | undefined> {
  const { path } = context.info;
  if (path === V2) return answerV2(context, now(), types);
  if (path === V3) return answerIndex(context, now());
  return path.startsWith(`${V3}/`) ? answerV3(context, now(), path.slice(V3.length + 1), types) : undefined;
}
