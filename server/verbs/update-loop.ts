import { serviceUnavailable } from '#base/errors/status-error.ts';
import { jsonEqual } from '#base/json/json-equal.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { parseStored } from '#base/json/parse-stored.ts';
import { mayBeUnsettled } from '#base/json/settled-number.ts';
import { turnIfDue } from '#base/time/fair-turn.ts';
import { sameValue } from '#schema/apply/value.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { OutcomeUnknownError, type Stored } from '#storage/object-store.ts';
import { type Answer, object as objectAnswer } from '../api/answer.ts';
import { isPromise } from '../api/maybe-promise.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { WriteContext } from '../api/resource-definition.ts';
import type { StoredResource, StoredServedResource } from '../api/served-resource.ts';
import { StaleDefinition } from '../api/write-condition.ts';
import type { Item } from '../cache/item.ts';
import { itemOf } from '../cache/item.ts';
import { servedBody } from '../cache/stored-body.ts';
import { workingObject } from '../codecs/convert.ts';
import type { Registry } from '../resources/registry.ts';
import { commit } from './commit.ts';
import { isLarge } from './is-large.ts';
import { withStoredTimes } from './managed-fields.ts';
import { mostRecent } from './read-version.ts';
import { requireOpened, unreadable, unreadableValue } from './unreadable.ts';
import { committedContent, formBytes, storedFormOf, writtenContent } from './written.ts';

/** Fields that are not compared here. Metadata is compared separately, and parsed stored objects lack the other two. */
const NOT_COMPARED = new Set(['kind', 'apiVersion', 'metadata']);
const METADATA_NOT_COMPARED = new Set(['managedFields', 'resourceVersion']);

/** How often the loop computes a write if other writes to the object are always faster. */
const ATTEMPTS = 30;

/**
 * When the server stores an object although it equals the stored one.
 * - `times`: if the times in its managed fields are at least a second old. An example is the apply of an empty list
 *   that is stored as no list.
 * - `always`: every time, because the client asked for a change. An example is a patch that spells a quantity in
 *   another way.
 */
export type Counts = 'times' | 'always';

/** The result of {@link Compute}. All objects are in the storage version. */
export type Outcome =
  | { readonly kind: 'write'; readonly object: ApiObject; readonly counts?: Counts }
  | { readonly kind: 'remove'; readonly object: ApiObject }
  /** There is nothing to write. The loop answers when it knows that this is true for a fresh state too. */
  | { readonly kind: 'nothing'; readonly answer: Answer }
  /** A separate transaction found another state. The loop computes the write again on that state. */
  | { readonly kind: 'again'; readonly current: Stored | undefined }
  /** A separate transaction has committed. The loop answers at once. */
  | { readonly kind: 'done'; readonly answer: Answer };

/**
 * Computes a write from the current object, or throws the error that refuses it. The loop may call it several times,
 * each time with a newer object.
 */
export type Compute = (current: Item | undefined) => Promise<Outcome>;

function fromStore(key: string, found: Stored | undefined): Item | undefined {
  return found === undefined ? undefined : itemOf(key, found.value, found.revision);
}

/** Whether a value equals the stored value. Numbers of the stored value may have another spelling. */
function sameBody(base: Item, value: Buffer): boolean {
  const { body } = servedBody(value, base.revision);
  if (body.equals(base.body)) return true;
  return mayBeUnsettled(base.body) && jsonEqual(parseStored(body), parseStored(base.body));
}

/**
 * Whether an object in its stored form certainly differs from the stored object in more than the managers of its
 * fields. If the result is false, the objects may still differ. This check is cheaper than a comparison of bytes.
 */
function surelyChanged(form: ApiObject, old: ApiObject): boolean {
  const [ours, theirs] = [asJson(form), asJson(old)];
  return (
    differs(ours, theirs, NOT_COMPARED) ||
    differs(ours['metadata'] as JsonObject, theirs['metadata'] as JsonObject, METADATA_NOT_COMPARED)
  );
}

/** Whether a field of `form` differs from the same field of `old`. Fields that only `old` has are ignored. */
function differs(form: JsonObject, old: JsonObject, notCompared: ReadonlySet<string>): boolean {
  for (const field in form) if (!notCompared.has(field) && !sameValue(form[field], old[field])) return true;
  return false;
}

/** An object in its stored form, with the stored fields that the release in force does not have. */
function withHidden(
  registry: Registry,
  { hidden, apiVersion }: StoredResource,
  form: ApiObject,
  base: Item,
): ApiObject {
  if (hidden?.may !== true || base.apiVersion !== apiVersion) return form;
  return hidden.restored(form, registry.cache.parsed(base));
}

/**
 * Changes one object. The loop computes the change from the cached object, and writes it in a transaction that compares
 * the mod revision. If the comparison fails, the loop computes the change again from the current value. Only a
 * committed transaction proves that the cached object was fresh. So before any other outcome, the loop computes once
 * more on a state that is at least as new as the request.
 */
export async function updateLoop(
  registry: Registry,
  served: StoredServedResource,
  context: Pick<RequestContext, 'bodyLength' | 'storedLength'>,
  key: string,
  write: WriteContext,
  compute: Compute,
): Promise<Answer> {
  const stored = served.stored;
  const absolute = stored.keyPrefix + key;
  let current = stored.cache.get(key);
  if (current === undefined && stored.cache.isUnreadable(key)) {
    await requireOpened(registry, served, key);
    current = stored.cache.get(key);
  }
  if (current === undefined && stored.cache.isUnreadable(key)) {
    const problem = await unreadable(registry, stored, key);
    if (problem !== undefined) throw unreadableValue(served, key.slice(key.indexOf('/') + 1), problem);
  }
  let fresh = false;
  const refresh = async (): Promise<boolean> => {
    fresh = true;
    const before = current;
    if (await mostRecent(registry, stored)) current = stored.cache.get(key);
    else {
      current = fromStore(key, await registry.store.get(absolute));
    }
    return current?.revision !== before?.revision || write.rests?.basis?.isCurrent() === false;
  };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (current !== undefined) context.storedLength = current.body.length;
    if (isLarge(context)) await turnIfDue();
    let outcome: Outcome;
    try {
      outcome = await compute(current);
    } catch (error) {
      // After an unknown outcome, this call itself may have deleted the object. The answer must not blame another
      // client.
      const final = error instanceof OutcomeUnknownError || error instanceof StaleDefinition;
      if (fresh || final || !(await refresh())) throw error;
      continue;
    }
    if (outcome.kind === 'done') return outcome.answer;
    if (outcome.kind === 'again') {
      current = fromStore(key, outcome.current);
      fresh = true;
      continue;
    }
    if (outcome.kind === 'nothing') {
      if (fresh || !(await refresh())) return outcome.answer;
      continue;
    }
    const base = current!;
    const old = await workingObject(served, base);
    const removes = outcome.kind === 'remove';
    if (write.dryRun)
      await stored.rules.allocate?.(outcome.object, old, {
        ...write,
        store: registry.store,
        etcdPrefix: registry.etcdPrefix,
      });
    const counts = outcome.kind === 'write' ? outcome.counts : undefined;
    const found = storedFormOf(served, outcome.object);
    const own = isPromise(found) ? await found : found;
    const form = withHidden(registry, stored, own, base);
    if (isLarge(context)) await turnIfDue();
    // An object that is stored in an earlier version is always written again.
    const before = base.apiVersion === stored.apiVersion ? asObject(registry.cache.parsed(base)) : undefined;
    const mayBeSame = before !== undefined && !surelyChanged(form, before);
    if (isLarge(context)) await turnIfDue();
    const kept =
      before !== undefined && counts === undefined && (mayBeSame || write.dryRun)
        ? await withStoredTimes(form, before, context)
        : undefined;
    if (isLarge(context)) await turnIfDue();
    const shown = formBytes(kept ?? form);
    if (isLarge(context)) await turnIfDue();
    const unchanged = mayBeSame && !removes && counts !== 'always' && sameBody(base, shown);
    // A value with outdated encryption is written even if the object is unchanged.
    const stale = unchanged && !write.dryRun && (await registry.store.isStale?.(absolute, base.revision)) === true;
    if (write.dryRun || (unchanged && !stale)) {
      if (!fresh && (await refresh())) continue;
      return objectAnswer(await writtenContent(served, shown, base.revision));
    }
    if (isLarge(context)) await turnIfDue();
    const value = kept === undefined ? shown : formBytes(form);
    const hidden =
      stored.hidden?.may === true ? (form: ApiObject) => withHidden(registry, stored, form, base) : undefined;
    const after = removes ? undefined : { object: outcome.object, value, ...(hidden && { hidden }) };
    const result = await commit(registry, { stored, key, expected: base.revision, after, old, write });
    if (result.outcome === 'claimed') continue;
    if (result.outcome === 'written') {
      // Several writes may be acknowledged at once.
      if (isLarge(context)) await turnIfDue();
      const content = removes
        ? await writtenContent(served, shown, base.revision)
        : await committedContent(served, key, result);
      return objectAnswer(content);
    }
    current = fromStore(key, result.current);
    fresh = true;
  }
  throw serviceUnavailable('the object keeps changing');
}
