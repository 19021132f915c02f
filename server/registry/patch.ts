import { stringify } from '../codecs/json/stringify.ts';
import { invalidValue } from '../errors/field-error.ts';
import { conflict, invalid, notFound, StatusError } from '../errors/status-error.ts';
import type { Answer } from '../http/answer.ts';
import { patchType } from '../http/negotiation.ts';
import type { RequestContext } from '../http/request-context.ts';
import { applyPatch, type PatchKind } from '../patch/apply-patch.ts';
import { unknownOperationMembers } from '../patch/json-patch.ts';
import type { ApiObject } from '../schema/api-object.ts';
import { DecodeError } from '../schema/decode.ts';
import { isObject, type JsonObject } from '../schema/json-value.ts';
import { servedObject, storedObject, toServed, toStorage } from './convert.ts';
import { decodeValue, isKnown, judge, notRegistered, parseText, type RawBody } from './decode-body.ts';
import { expectedOf } from './expected.ts';
import { requestedKey } from './get.ts';
import { trackWrite } from './managed-fields.ts';
import { matchNamespace } from './object-meta.ts';
import { resourceVersion } from './parse-query.ts';
import { prepareUpdate, updateRequest } from './prepare-update.ts';
import { type Registry, subjectOf } from './registry.ts';
import type { ServedResource } from './served-resource.ts';
import { MODIFIED, matchName } from './update.ts';
import { type Counts, updateLoop } from './update-loop.ts';
import { writeContext } from './write-context.ts';
import { writeOptions } from './write-options.ts';

const KINDS: Readonly<Record<string, PatchKind>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
};

/** The version that a patch compares: what the merged object carries, unless the live object carried the same. */
function precondition(merged: JsonObject, live: ApiObject): number {
  const { metadata } = merged;
  const text = isObject(metadata) ? metadata['resourceVersion'] : undefined;
  if (typeof text !== 'string' || text === live.metadata.resourceVersion) return 0;
  return resourceVersion(text) ?? 0;
}

/** Decodes what a patch made. Throws 422 about the patch where the patched document no longer fits the kind. */
function decodePatched(kind: PatchKind, merged: JsonObject, decode: () => ApiObject): ApiObject {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof DecodeError) || kind === 'strategic') throw error;
    throw unfitting(merged, error.detail);
  }
}

function unfitting(merged: JsonObject, detail: string): StatusError {
  return invalid({ group: '', kind: '' }, '', [invalidValue('patch', stringify(merged), detail)]);
}

/** Throws 422 about a patch that makes an object of a kind that there is not. */
function checkKind(registry: Registry, patchKind: PatchKind, merged: JsonObject): void {
  const { kind, apiVersion } = merged;
  if (patchKind === 'strategic' || typeof kind !== 'string' || typeof apiVersion !== 'string') return;
  if (kind === '' || apiVersion === '' || isKnown(registry, kind, apiVersion)) return;
  throw unfitting(merged, notRegistered(kind, apiVersion));
}

/** The resource whose version the patched document names, which a patch may change: else that of the request. */
function namedVersion(registry: Registry, served: ServedResource, merged: JsonObject): ServedResource {
  const { kind, apiVersion } = merged;
  if (apiVersion === served.apiVersion || kind !== served.type.kind) return served;
  const other = registry.allServed.find((one) => one.apiVersion === apiVersion && one.stored === served.stored);
  return other !== undefined && other.type.kind === kind ? other : served;
}

/** The format of a patch by its content type. Throws 415. */
export function patchKind(context: RequestContext): PatchKind {
  const kind = KINDS[patchType(context.header('content-type'))];
  if (kind === undefined) throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  return kind;
}

/** PATCH with a JSON, merge or strategic merge patch. */
export async function patch(registry: Registry, served: ServedResource, context: RequestContext): Promise<Answer> {
  const { namespace, name, subresource } = context.info;
  const kind = patchKind(context);
  const options = writeOptions(context, 'PatchOptions', registry.naming);
  const expected = expectedOf(served);
  const raw: RawBody = parseText('json', await context.readBody(), expected.kind);
  context.audit?.request(raw.value);
  const write = writeContext(registry, served, context, options.dryRun);
  const request = updateRequest(registry, served, context, options, write);
  const subject = subjectOf(served);
  const complaints =
    kind === 'json'
      ? [...raw.duplicates.map((text) => `json patch ${text}`), ...unknownOperationMembers(raw.value)]
      : raw.duplicates;
  judge(complaints, options.fieldValidation, expected, context);
  return updateLoop(registry, served, requestedKey(served, context.info), write, async (current) => {
    if (current === undefined) throw notFound(subject, name);
    const old = storedObject(registry, served.stored!, current, false);
    const live = servedObject(registry, served, old);
    const shown: JsonObject = {
      ...(live as unknown as JsonObject),
      kind: expected.kind,
      apiVersion: expected.apiVersion,
    };
    const merged = applyPatch(kind, served.type.message, shown, raw.value);
    const version = precondition(merged, live);
    checkKind(registry, kind, merged);
    const named = namedVersion(registry, served, merged);
    let counts: Counts | undefined;
    const decoded = decodePatched(kind, merged, () =>
      decodeValue(
        registry,
        { value: merged, duplicates: [] },
        expectedOf(named),
        options.fieldValidation,
        context,
        ({ respelled }) => {
          if (respelled) counts = 'always';
        },
      ),
    );
    named.versionRules.defaults?.(decoded, registry);
    const object = named === served ? decoded : toServed(registry, served, toStorage(registry, named, decoded));
    matchName(object, name);
    if (version !== 0 && version !== current.revision) throw conflict(subject, name, MODIFIED);
    matchNamespace(served, object, old.metadata.namespace ?? namespace);
    trackWrite(registry, served, live, object, { manager: options.fieldManager, subresource });
    return prepareUpdate(request, toStorage(registry, served, object), old, counts);
  });
}
