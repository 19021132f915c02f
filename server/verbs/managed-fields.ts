import { cloneJson } from '#base/json/clone-json.ts';
import { stringify } from '#base/json/stringify.ts';
import { turnIfDue } from '#base/time/fair-turn.ts';
import type { Steps } from '#base/time/steps.ts';
import { FieldSet } from '#schema/apply/field-set.ts';
import { comparingButTimes } from '#schema/apply/managers.ts';
import type { Versions } from '#schema/apply/object-schema.ts';
import { trackUpdateInSteps } from '#schema/apply/update.ts';
import type { ApiObject, ManagedFieldsEntry } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { isPromise, type MaybePromise } from '../api/maybe-promise.ts';
import type { ServedResource } from '../api/served-resource.ts';
import { inStepsOf, isLarge, type Sizes } from './is-large.ts';

/** The writer, and the view through which it writes. */
export interface Writer {
  readonly manager: string;
  readonly subresource: string;
}

const STATUS = FieldSet.ofMembers(['status']);
const SPEC = FieldSet.ofMembers(['spec']);
const versionsOf = new WeakMap<ServedResource, Versions>();

/**
 * Runs a computation that needs objects in several versions. `compute` must be a pure function of its input. If a
 * conversion needs the answer of a webhook, the function waits for the answer and computes everything again with it.
 * While it writes a large object, it pauses between steps so that other requests run.
 */
export async function acrossVersions<T>(
  served: ServedResource,
  context: Sizes | undefined,
  compute: (versions: Versions) => Steps<T>,
): Promise<T> {
  const known = new Map<string, ApiObject>();
  for (;;) {
    try {
      const steps = compute(known.size === 0 ? versionsIn(served) : makeVersions(served, known));
      return await inStepsOf(context, steps);
    } catch (error) {
      if (!(error instanceof ToBeConverted)) throw error;
      known.set(error.question, await error.result);
    }
  }
}

/** The error that stops a computation because an object must first be converted. */
class ToBeConverted extends Error {
  readonly question: string;
  readonly result: Promise<ApiObject>;

  constructor(question: string, result: Promise<ApiObject>) {
    super('an object has to be converted first');
    this.question = question;
    this.result = result;
  }
}

/** Converts objects of a resource to all served versions. */
function versionsIn(served: ServedResource): Versions {
  let versions = versionsOf.get(served);
  if (versions === undefined) versionsOf.set(served, (versions = makeVersions(served)));
  return versions;
}

/**
 * The versions of one group. A resource in two groups has separate managers in each, and managers of one group do not
 * affect the other group.
 */
function makeVersions({ group, versions }: ServedResource, known?: ReadonlyMap<string, ApiObject>): Versions {
  const inVersion = (apiVersion: string) =>
    versions.find((version) => version.apiVersion === apiVersion && version.group === group);
  return {
    schema: (apiVersion) => inVersion(apiVersion)?.model.applySchema,
    convert(object, from, to) {
      const [source, target] = [inVersion(from), inVersion(to)];
      if (source === undefined || target === undefined) return undefined;
      const question = known && `${from} ${to} ${stringify(object)}`;
      const answer = question === undefined ? undefined : known?.get(question);
      if (answer !== undefined) return asJson(cloneJson(answer));
      const result = converted(source, target, asObject(cloneJson(object)));
      if (isPromise(result)) throw new ToBeConverted(question ?? `${from} ${to} ${stringify(object)}`, result);
      return asJson(result);
    },
  };
}

/** An object of one version in another version, in canonical form. */
function converted(from: ServedResource, to: ServedResource, object: ApiObject): MaybePromise<ApiObject> {
  const canonical = (shown: ApiObject) => asObject(to.model.canonical(shown));
  const working = to.reading.fromVersion(object, from);
  if (isPromise(working)) return working.then((one) => to.reading.inVersion(one, to)).then(canonical);
  const shown = to.reading.inVersion(working, to);
  return isPromise(shown) ? shown.then(canonical) : canonical(shown);
}

/** Fields that a view does not write. No manager owns them through it. */
export function resetFields(served: ServedResource, subresource: string): FieldSet | undefined {
  const own = served.stored?.rules.viewResets?.[subresource];
  if (own !== undefined) return own;
  if (subresource === 'status') return served.stored?.rules.statusResets ?? SPEC;
  const hasStatus = served.type.subresources.some((sub) => sub.name === 'status');
  return hasStatus && subresource === '' ? STATUS : undefined;
}

/**
 * Keeps `metadata.managedFields` of a written object up to date. Both objects are in the served version with defaults.
 * `object` is changed in place. `live` is undefined for a create. `context` is that of the request, if there is one.
 */
export async function trackWrite(
  served: ServedResource,
  live: ApiObject | undefined,
  object: ApiObject,
  writer: Writer,
  context?: Sizes,
): Promise<void> {
  const updated = served.model.canonical(object, { shares: true, inRequest: true });
  if (context !== undefined && isLarge(context)) await turnIfDue();
  const write = {
    live: asJson(live),
    updated,
    manager: writer.manager,
    subresource: writer.subresource,
    apiVersion: served.apiVersion,
    now: new Date(),
    resetFields: resetFields(served, writer.subresource),
  };
  const tracked = await acrossVersions(served, context, (versions) => trackUpdateInSteps({ ...write, versions }));
  const { managedFields } = tracked['metadata'] as { managedFields?: ManagedFieldsEntry[] };
  if (managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = managedFields;
}

/**
 * The object with the stored times of its managers, if its managers differ from the stored ones only in times.
 * `context` is that of the request.
 */
export async function withStoredTimes(
  object: ApiObject,
  old: ApiObject,
  context: Sizes,
): Promise<ApiObject | undefined> {
  const [mine, stored] = [object.metadata.managedFields, old.metadata.managedFields];
  if (mine === undefined || stored === undefined) return undefined;
  const equal = await inStepsOf(context, comparingButTimes(mine, stored));
  return equal ? { ...object, metadata: { ...object.metadata, managedFields: stored } } : undefined;
}
