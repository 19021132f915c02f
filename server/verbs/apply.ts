import { notFound } from '#base/errors/status-error.ts';
import { isObject, type JsonObject } from '#base/json/json-value.ts';
import { turnIfDue } from '#base/time/fair-turn.ts';
import { applyInSteps } from '#schema/apply/apply.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson } from '#schema/objects/as-json.ts';
import type { Answer } from '../api/answer.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { StoredServedResource } from '../api/served-resource.ts';
import { writeOptions } from '../api/write-options.ts';
import { servedObject, toWorking, workingObject } from '../codecs/convert.ts';
import { type Registry, subjectOf } from '../resources/registry.ts';
import { complainOfDuplicates, readConfig } from './apply-config.ts';
import { createObject } from './create.ts';
import { decodeValue } from './decode-body.ts';
import { expectedOf } from './expected.ts';
import { requestedKey } from './get.ts';
import { isLarge } from './is-large.ts';
import { acrossVersions, resetFields } from './managed-fields.ts';
import { matchNamespace } from './object-meta.ts';
import { precondition, requireUid, requireVersion } from './precondition.ts';
import { prepareUpdate, updateRequest } from './prepare-update.ts';
import { matchGivenName, matchName } from './update.ts';
import { type Counts, updateLoop } from './update-loop.ts';
import { writeContext } from './write-context.ts';

function metadataText(config: JsonObject, field: 'uid' | 'name'): string {
  const { metadata } = config;
  const text = isObject(metadata) ? metadata[field] : undefined;
  return typeof text === 'string' ? text : '';
}

/**
 * Answers a PATCH with a configuration to apply. It merges the configuration of its manager, and records the owners of
 * fields.
 */
export async function apply(
  registry: Registry,
  served: StoredServedResource,
  context: RequestContext,
): Promise<Answer> {
  const { namespace, name, subresource } = context.info;
  const options = writeOptions(context, 'PatchOptions', registry, true);
  const expected = expectedOf(served);
  const given = await readConfig(context, expected);
  const wanted = () => {
    const read = given();
    matchGivenName(metadataText(read.config, 'name'), name);
    return read;
  };
  const write = writeContext(registry, served, context, options.dryRun);
  const request = updateRequest(registry, served, context, options, write);
  const subject = subjectOf(served);
  let counts: Counts | undefined;
  const merge = async (live: ApiObject | undefined): Promise<ApiObject> => {
    const { config, duplicates } = wanted();
    const typeMeta = { kind: expected.kind, apiVersion: expected.apiVersion };
    const apply = {
      live: live === undefined ? undefined : { ...asJson(live), ...typeMeta },
      config,
      force: options.force,
      toleratesRepeats: registry.schema.release.atLeast(29),
      manager: options.fieldManager,
      subresource,
      apiVersion: served.apiVersion,
      now: new Date(),
      resetFields: resetFields(served, subresource),
      clientSide: {
        manager: registry.naming.commandLine,
        annotation: registry.naming.key('ctl/last-applied-configuration'),
      },
    };
    const { object } = await acrossVersions(served, context, (versions) => applyInSteps({ ...apply, versions }));
    if (isLarge(context)) await turnIfDue();
    complainOfDuplicates(duplicates, options.fieldValidation, context);
    const raw = { value: { ...object, ...typeMeta }, duplicates: [], applied: true } as const;
    let drops = false;
    const merged = decodeValue(registry, raw, expected, 'Ignore', context, {
      lost: ({ leftEmptyOut }) => {
        counts = leftEmptyOut ? 'times' : undefined;
      },
      unknown: () => {
        drops = true;
      },
    });
    if (isLarge(context)) await turnIfDue();
    // The merge accepts untyped parts that a schema preserves, although the schema may later drop fields below them.
    // The client finds such fields by their places in its own configuration.
    if (drops) decodeValue(registry, { value: config, duplicates: [] }, expected, options.fieldValidation, context);
    return merged;
  };
  return updateLoop(registry, served, context, requestedKey(served, context.info), write, async (current) => {
    if (current === undefined) {
      if (subresource !== '') throw notFound(subject, name);
      requireUid(served, name, metadataText(wanted().config, 'uid'), current);
      await registry.guard?.createByUpdate(context);
      const make = async (): Promise<ApiObject> => {
        const object = await merge(undefined);
        matchName(object, name);
        matchNamespace(served, object, namespace);
        served.model.defaults(object);
        if (isLarge(context)) await turnIfDue();
        return object;
      };
      return { kind: 'done', answer: await createObject(registry, served, context, make, options) };
    }
    const old = await workingObject(served, current);
    if (isLarge(context)) await turnIfDue();
    const live = servedObject(served, old);
    const object = await merge(live);
    matchName(object, name);
    const version = precondition(served, name, object.metadata.resourceVersion, live, registry.schema.release);
    requireVersion(served, name, version, current);
    matchNamespace(served, object, old.metadata.namespace ?? namespace);
    served.model.defaults(object);
    if (isLarge(context)) await turnIfDue();
    return prepareUpdate(request, toWorking(served, object), old, counts);
  });
}
