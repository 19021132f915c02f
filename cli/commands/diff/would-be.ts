import { isObject, type JsonObject } from '#base/json/json-value.ts';
import { isNotFound } from '#client/errors.ts';
import { parseJson } from '#client/json.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { shapeOf } from '#schema/patch/merge-shape.ts';
import type { Invocation } from '../../command-line/command.ts';
import type { Target } from '../../resources/selection.ts';
import { asNewObject } from '../../write/as-new-object.ts';
import { lastApplied } from '../../write/last-applied.ts';
import { checkKind, messageOf } from '../../write/shape.ts';
import { threeWayPatch } from '../../write/three-way-patch.ts';
import { withoutNulls } from '../../write/without-nulls.ts';
import { writeOptions } from '../../write/write-options.ts';

/** An object in its present state, and after the change. */
export interface Versions {
  /** Undefined means that the object does not exist. */
  readonly live: ApiObject | undefined;
  readonly merged: ApiObject;
}

/** The present object, and the result of applying the file. The server computes the result and stores nothing. */
export async function versionsOf(invocation: Invocation, target: Target): Promise<Versions> {
  const { session, flags } = invocation;
  const { type, namespace, name, object } = target;
  const resource = (await session.client()).resource(type).in(namespace);
  const onServer = flags.bool('server-side');
  const options = await writeOptions(invocation, onServer ? '' : '-client-side-apply', 'server');
  const live =
    name === undefined
      ? undefined
      : await resource.get(name).catch((error: unknown) => {
          if (isNotFound(error)) return undefined;
          throw error;
        });
  if (onServer)
    return { live, merged: await resource.apply(object!, { ...options, force: flags.bool('force-conflicts') }) };
  const message = await messageOf(session, target);
  const shape = shapeOf(message);
  if (live === undefined) {
    const made = asNewObject(asObject(withoutNulls(json(object!), shape)));
    return { live, merged: await resource.create(made, options) };
  }
  checkKind(target);
  const original = parsed(await lastApplied(session).of(live));
  const { metadata } = object!;
  const wanted = { ...json(object!), metadata: { ...json(metadata), annotations: metadata.annotations ?? {} } };
  const patch = threeWayPatch(original, wanted as JsonObject, json(live), shape);
  if (Object.keys(patch).length === 0) return { live, merged: live };
  // The live and the merged object must be from one moment; otherwise the server reports a conflict.
  const { resourceVersion } = live.metadata;
  if (resourceVersion !== undefined)
    patch['metadata'] = { ...(isObject(patch['metadata']) ? patch['metadata'] : {}), resourceVersion };
  return { live, merged: await resource.patch(name!, message === undefined ? 'merge' : 'strategic', patch, options) };
}

function json(object: object): JsonObject {
  return asJson(object);
}

/** The last applied configuration. It is empty if the annotation cannot be parsed, because every user may change it. */
function parsed(text: string | undefined): JsonObject {
  try {
    const value = parseJson(text ?? '{}');
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
