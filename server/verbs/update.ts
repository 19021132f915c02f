import { badRequest, notFound } from '#base/errors/status-error.ts';
import { turnIfDue } from '#base/time/fair-turn.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Answer } from '../api/answer.ts';
import { resourceVersion } from '../api/parse-query.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { StoredServedResource } from '../api/served-resource.ts';
import { writeOptions } from '../api/write-options.ts';
import { servedObject, toWorking, workingObject } from '../codecs/convert.ts';
import { type Registry, subjectOf } from '../resources/registry.ts';
import { createObject } from './create.ts';
import { decodeBody } from './decode-body.ts';
import { expectedOf } from './expected.ts';
import { requestedKey } from './get.ts';
import { isLarge } from './is-large.ts';
import { trackWrite } from './managed-fields.ts';
import { matchNamespace } from './object-meta.ts';
import { requireUid, requireVersion } from './precondition.ts';
import { prepareUpdate, updateRequest } from './prepare-update.ts';
import { mergeRepeatedOwners } from './repeated-owners.ts';
import { updateLoop } from './update-loop.ts';
import { versionRequired } from './validate.ts';
import { writeContext } from './write-context.ts';

/** The message about a body that does not name its object. */
export function nameless(name: string): string {
  return `the name of the object (${name} based on URL) was undeterminable: name must be provided`;
}

/**
 * Checks that the body and the path name the same object.
 *
 * @throws StatusError (400)
 */
export function matchName(object: ApiObject, name: string): void {
  const given = object.metadata.name ?? '';
  if (given === '') throw badRequest(nameless(name));
  matchGivenName(given, name);
}

/**
 * Checks that a name in the body equals the name in the path.
 *
 * @throws StatusError (400)
 */
export function matchGivenName(given: string, name: string): void {
  if (given !== '' && given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
}

/** Answers a PUT. It replaces an object, or creates it if the kind allows this. */
export async function update(
  registry: Registry,
  served: StoredServedResource,
  context: RequestContext,
): Promise<Answer> {
  const { namespace, name, subresource } = context.info;
  const options = writeOptions(context, 'UpdateOptions', registry);
  const read = async (): Promise<ApiObject> => {
    const object = await decodeBody(registry, context, expectedOf(served), options.fieldValidation);
    matchName(object, name);
    matchNamespace(served, object, namespace);
    mergeRepeatedOwners(object, context, false);
    return object;
  };
  let body: ApiObject | undefined = await read();
  const { resourceVersion: givenVersion = '' } = body.metadata;
  const uid = body.metadata.uid ?? '';
  // An attempt changes its object, so each attempt needs another object. Hardly any update needs a second attempt.
  const take = async (): Promise<ApiObject> => {
    const object = body ?? (await read());
    body = undefined;
    return object;
  };
  const write = writeContext(registry, served, context, options.dryRun);
  const request = updateRequest(registry, served, context, options, write);
  const subject = subjectOf(served);
  const writer = { manager: options.fieldManager, subresource };
  return updateLoop(registry, served, context, requestedKey(served, context.info), write, async (current) => {
    requireUid(served, name, uid, current);
    const creates = served.type.allowCreateOnUpdate && subresource === '';
    if (current === undefined && !creates) throw notFound(subject, name);
    const version = resourceVersion(givenVersion) ?? 0;
    if (current === undefined) {
      await registry.guard?.createByUpdate(context);
      const make = async (): Promise<ApiObject> => {
        const fresh = await take();
        delete fresh.metadata.resourceVersion;
        await trackWrite(served, undefined, fresh, writer, context);
        return fresh;
      };
      return { kind: 'done', answer: await createObject(registry, served, context, make, options) };
    }
    // An object that cannot be converted to the version of the request is refused first.
    const old = await workingObject(served, current);
    if (version === 0 && !served.type.unconditionalUpdate) throw versionRequired(served, name, registry.schema.release);
    requireVersion(served, name, version, current);
    if (isLarge(context)) await turnIfDue();
    const object = await take();
    await trackWrite(served, servedObject(served, old), object, writer, context);
    if (isLarge(context)) await turnIfDue();
    return prepareUpdate(request, toWorking(served, object), old);
  });
}
