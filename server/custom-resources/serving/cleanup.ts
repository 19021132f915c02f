import { setTimeout as sleep } from 'node:timers/promises';
import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { stringify } from '#base/json/stringify.ts';
import { inParallel } from '#base/time/in-parallel.ts';
import { keyPrefixOf } from '#schema/descriptors/storage-id.ts';
import type { CustomResourceDefinition } from '#schema/generated/apiextensions.v1.ts';
import type { ObjectMeta } from '#schema/objects/api-object.ts';
import { formatTime } from '#schema/values/time.ts';
import type { Item } from '../../cache/item.ts';
import type { Registry } from '../../resources/registry.ts';
import { cleanupFinalizer, TERMINATING } from '../definition/definition-kind.ts';
import { withCondition } from '../definition/definition-status.ts';
import type { DefinitionRest } from './definition-text.ts';
import type { DefinitionWrites } from './definition-writes.ts';
import type { LiveDefinition } from './live-definition.ts';
import type { KnownGroup, ServedDefinitions, ServingLog } from './served-definitions.ts';

/** The interval in milliseconds at which the cleanup checks objects with finalizers, and tries again after failures. */
const LOOK_MS = 500;
/** The number of objects that are removed at once. */
const AT_ONCE = 16;

const IN_PROGRESS = 'InstanceDeletionInProgress';

/**
 * Removes the objects of definitions that are being deleted, and then removes the definitions. Every replica does this,
 * so the work continues if one fails. Each step compares and writes, so a replica notices which steps other replicas
 * have done.
 */
export class Cleanup {
  readonly #registry: Registry;
  readonly #definitions: ServedDefinitions;
  readonly #writes: DefinitionWrites;
  readonly #log: ServingLog;
  readonly #leaving: AbortSignal;
  readonly #finalizer: string;
  /** Groups whose definitions have been checked. */
  readonly #looked = new WeakSet<KnownGroup>();
  readonly #underWay = new Map<LiveDefinition, Promise<void>>();

  constructor(
    registry: Registry,
    definitions: ServedDefinitions,
    writes: DefinitionWrites,
    log: ServingLog,
    leaving: AbortSignal,
  ) {
    this.#registry = registry;
    this.#definitions = definitions;
    this.#writes = writes;
    this.#log = log;
    this.#leaving = leaving;
    this.#finalizer = cleanupFinalizer(registry.naming);
    definitions.onChange(() => this.#look());
    this.#look();
  }

  /** Resolves when no cleanup runs any more. A server that is ending calls it. */
  async ended(): Promise<void> {
    await Promise.all(this.#underWay.values());
  }

  #look(): void {
    if (this.#leaving.aborted) return;
    for (const group of this.#definitions.known()) {
      if (this.#looked.has(group)) continue;
      this.#looked.add(group);
      for (const { live } of group.known) this.#begin(live);
    }
  }

  /** Continues until the work is done, or until the server ends. */
  #begin(live: LiveDefinition): void {
    if (!this.#isOurs(live) || this.#underWay.has(live)) return;
    const work = this.#run(live).finally(() => this.#underWay.delete(live));
    this.#underWay.set(live, work);
  }

  #isOurs({ outline: { metadata } }: LiveDefinition): boolean {
    return (metadata.deletionTimestamp ?? null) !== null && metadata.finalizers?.includes(this.#finalizer) === true;
  }

  async #run(live: LiveDefinition): Promise<void> {
    while (!this.#leaving.aborted && this.#definitions.has(live) && this.#isOurs(live)) {
      try {
        if (await this.#step(live)) return;
      } catch (error) {
        this.#log.warn({ err: error, definition: live.item.name }, 'the objects of a definition cannot be removed yet');
      }
      await sleep(LOOK_MS, undefined, { signal: this.#leaving, ref: false }).catch(() => {});
    }
  }

  /** One step. Resolves to whether no work is left. */
  async #step(live: LiveDefinition): Promise<boolean> {
    // Other replicas create objects by the old definition until they see its deletion. Those objects are older than
    // this revision.
    await this.#definitions.catchUp();
    if (!this.#definitions.has(live) || !this.#isOurs(live)) return true;
    const { item, outline: definition } = live;
    const objects = this.#definitions.isShadowed(live) ? [] : this.#objects(definition);
    if (objects.length === 0) {
      await this.#letGo(item, definition);
      return false;
    }
    const { conditions } = definition.status!;
    const isReported = conditions?.some(({ type, reason }) => type === TERMINATING && reason === IN_PROGRESS) === true;
    if (!isReported) await this.#writes.update(item, 'status', (changed) => tell(changed));
    const prefix = this.#keyPrefix(definition);
    await inParallel(objects, AT_ONCE, (object) => this.#remove(object, prefix, definition.spec.names.kind));
    return false;
  }

  #group({ spec }: CustomResourceDefinition): string {
    return this.#registry.naming.shortForm(spec.group);
  }

  #keyPrefix(definition: CustomResourceDefinition): string {
    return keyPrefixOf(this.#registry.etcdPrefix, this.#group(definition), definition.spec.names.plural);
  }

  #objects(definition: CustomResourceDefinition): Item[] {
    return this.#registry.cache.resource(this.#group(definition), definition.spec.names.plural).range('');
  }

  /** Removes an object without finalizers. Marks an object with finalizers as deleted, once. */
  async #remove(item: Item, prefix: string, kind: string): Promise<void> {
    const { store, cache } = this.#registry;
    const key = prefix + item.key;
    const stored = cache.parsedOnce(item);
    const { deletionTimestamp, finalizers } = stored['metadata'] as ObjectMeta;
    if ((finalizers?.length ?? 0) === 0) {
      await store.remove(key, item.revision);
      return;
    }
    if ((deletionTimestamp ?? null) !== null) return;
    const object = cloneJson(stored);
    const { resourceVersion: _, ...metadata } = object['metadata'] as JsonObject;
    metadata['deletionTimestamp'] = formatTime(Date.now());
    metadata['deletionGracePeriodSeconds'] = 0;
    metadata['generation'] = Number(metadata['generation'] ?? 0) + 1;
    const marked = { kind, apiVersion: item.apiVersion, ...object, metadata };
    await store.update(key, item.revision, Buffer.from(stringify(marked as JsonObject)));
  }

  async #letGo(item: Item, { metadata }: CustomResourceDefinition): Promise<void> {
    const others = metadata.finalizers?.filter((finalizer) => finalizer !== this.#finalizer) ?? [];
    if (others.length === 0) {
      await this.#writes.remove(item);
      return;
    }
    await this.#writes.update(item, '', (definition) => {
      definition.metadata.finalizers = others;
    });
  }
}

function tell(definition: DefinitionRest): void {
  const message = 'CustomResource deletion is in progress';
  const condition = { type: TERMINATING, status: 'True', reason: IN_PROGRESS, message };
  const { status } = definition;
  status!.conditions = withCondition(status!.conditions ?? [], condition, formatTime(Date.now()));
}
