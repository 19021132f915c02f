import { notFound } from '#base/errors/status-error.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { turnIfDue } from '#base/time/fair-turn.ts';
import { asJson } from '#schema/objects/as-json.ts';
import type { Answer } from '../api/answer.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { ServedResource, StoredServedResource } from '../api/served-resource.ts';
import { writeOptions } from '../api/write-options.ts';
import { servedObject, toServed, toWorking, workingObject } from '../codecs/convert.ts';
import { type Registry, subjectOf } from '../resources/registry.ts';
import { expectedOf } from './expected.ts';
import { requestedKey } from './get.ts';
import { inStepsOf, isLarge } from './is-large.ts';
import { trackWrite } from './managed-fields.ts';
import { matchNamespace } from './object-meta.ts';
import { patched, readPatch } from './patched.ts';
import { precondition, requireVersion } from './precondition.ts';
import { prepareUpdate, updateRequest } from './prepare-update.ts';
import { matchName } from './update.ts';
import { type Counts, updateLoop } from './update-loop.ts';
import { writeContext } from './write-context.ts';

/** Answers a PATCH with a JSON patch, a merge patch or a strategic merge patch. */
export async function patch(
  registry: Registry,
  served: StoredServedResource,
  context: RequestContext,
): Promise<Answer> {
  const { namespace, name, subresource } = context.info;
  const options = writeOptions(context, 'PatchOptions', registry);
  const expected = expectedOf(served);
  const asked = await readPatch(context, expected, options.fieldValidation);
  const inVersion = (apiVersion: string) =>
    served.versions.find((one) => one.apiVersion === apiVersion && one.type.kind === served.type.kind);
  const write = writeContext(registry, served, context, options.dryRun);
  const request = updateRequest(registry, served, context, options, write);
  const subject = subjectOf(served);
  return updateLoop(registry, served, context, requestedKey(served, context.info), write, async (current) => {
    if (current === undefined) throw notFound(subject, name);
    const old = await workingObject(served, current);
    if (isLarge(context)) await turnIfDue();
    const live = servedObject(served, old);
    const shown: JsonObject = {
      ...asJson(live),
      kind: expected.kind,
      apiVersion: expected.apiVersion,
    };
    let counts: Counts | undefined;
    let named: ServedResource = served;
    const patching = patched(
      registry,
      asked,
      shown,
      (apiVersion) => {
        const other = inVersion(apiVersion);
        named = other ?? named;
        return other && expectedOf(other);
      },
      ({ respelled }) => {
        if (respelled) counts = 'always';
      },
    );
    const outcome = await inStepsOf(context, patching);
    named.model.defaults(outcome);
    const object = named === served ? outcome : toServed(served, await served.reading.fromVersion(outcome, named));
    matchName(object, name);
    const version = precondition(served, name, outcome.metadata.resourceVersion, live, registry.schema.release);
    requireVersion(served, name, version, current);
    matchNamespace(served, object, old.metadata.namespace ?? namespace);
    if (isLarge(context)) await turnIfDue();
    await trackWrite(served, live, object, { manager: options.fieldManager, subresource }, context);
    if (isLarge(context)) await turnIfDue();
    return prepareUpdate(request, toWorking(served, object), old, counts);
  });
}
