import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { sleep } from '#base/time/sleep.ts';
import type {
  FlowSchema,
  FlowSchemaCondition,
  FlowSchemaSpec,
  PriorityLevelConfigurationSpec,
} from '#schema/generated/flowcontrol.apiserver.v1beta2.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { semanticallyEqual } from '#schema/validation/immutable.ts';
import { MANDATORY_FLOW_SCHEMAS, mandatoryPriorityLevels } from '../kinds/flowcontrol/mandatory.ts';
import { storedObject } from '../resources/built-in-reading.ts';
import type { Registry } from '../resources/registry.ts';
import { timestamp } from '../verbs/object-meta.ts';
import { ownValue } from '../verbs/own-fields.ts';
import { flowSchemas, priorityLevels } from './flow-control-objects.ts';

const GROUP = 'flowcontrol.apiserver';
const LEVELS = 'prioritylevelconfigurations';
const SCHEMAS = 'flowschemas';
const LOOK_MS = 1_000;
const DANGLING = 'Dangling';
/** The field managers by which the server writes the spec and the status of these objects. */
const PRODUCER = { manager: 'api-priority-and-fairness-config-producer-v1' };
const CONSUMER = { manager: 'api-priority-and-fairness-config-consumer-v1', subresource: 'status' };

type Spec = FlowSchemaSpec | PriorityLevelConfigurationSpec;

/**
 * Whether the server may replace the spec of an object with its own spec. The annotation of the object decides. Without
 * it, the server may replace a spec that no client has changed.
 */
function followsServer({ metadata }: ApiObject, annotation: string): boolean {
  const says = metadata.annotations?.[annotation];
  return says === undefined ? metadata.generation === 1 : says === 'true';
}

/**
 * Creates missing objects, and updates the specs that the server may replace. Resolves to the revision of the last
 * write; 0 without a write.
 */
async function ensureObjects(
  registry: Registry,
  plural: string,
  wanted: Readonly<Record<string, Spec>>,
  mandatory: Readonly<Record<string, Spec>>,
): Promise<number> {
  const { store, naming } = registry;
  const stored = registry.stored(GROUP, plural);
  const annotation = naming.key('apf/autoupdate-spec');
  let revision = 0;
  for (const [name, spec] of Object.entries(wanted)) {
    const item = stored.cache.get(name);
    const key = stored.keyPrefix + name;
    if (item === undefined) {
      const annotations = { [annotation]: 'true' };
      const metadata = { name, uid: randomUUID(), creationTimestamp: timestamp(), generation: 1, annotations };
      const value = await ownValue(registry, stored, undefined, { metadata, spec }, PRODUCER);
      const made = await store.create(key, value);
      if (made.outcome === 'written') revision = made.revision;
      continue;
    }
    const current = storedObject(registry, stored, item);
    if (semanticallyEqual(current['spec'], spec)) continue;
    if (!Object.hasOwn(mandatory, name) && !followsServer(current, annotation)) continue;
    const metadata = { ...current.metadata, generation: (current.metadata.generation ?? 0) + 1 };
    const value = await ownValue(registry, stored, current, { ...current, metadata, spec }, PRODUCER);
    const changed = await store.update(key, item.revision, value);
    if (changed.outcome === 'written') revision = changed.revision;
  }
  return revision;
}

/** Creates the flow schemas and priority levels that each server needs. Several replicas may do this at once. */
export async function ensureFlowControl(registry: Registry): Promise<void> {
  const { release } = registry.schema;
  const levels = await ensureObjects(registry, LEVELS, priorityLevels(release), mandatoryPriorityLevels(release));
  const schemas = await ensureObjects(registry, SCHEMAS, flowSchemas(registry.naming), MANDATORY_FLOW_SCHEMAS);
  const revision = Math.max(levels, schemas);
  if (revision > 0) await registry.cache.waitFor(revision, 1000);
  await markDangling(registry);
}

/** The condition of a flow schema about the existence of its priority level. */
function danglingCondition(level: string, exists: boolean): FlowSchemaCondition {
  const about = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  return exists
    ? { type: DANGLING, status: 'False', reason: 'Found', message: `${about} and it exists` }
    : { type: DANGLING, status: 'True', reason: 'NotFound', message: `${about} but there is no such object` };
}

/** Writes into the status of each flow schema whether its priority level exists. */
async function markDangling(registry: Registry): Promise<void> {
  const stored = registry.stored(GROUP, SCHEMAS);
  const levels = registry.stored(GROUP, LEVELS).cache;
  for (const item of stored.cache.range('')) {
    const object = registry.cache.parsed(item) as unknown as FlowSchema;
    const level = object.spec?.priorityLevelConfiguration.name ?? '';
    const wanted = danglingCondition(level, levels.get(level) !== undefined);
    const conditions = object.status?.conditions ?? [];
    const before = conditions.find(({ type }) => type === DANGLING);
    const sameStatus = before !== undefined && before.status === wanted.status;
    if (sameStatus && before.message === wanted.message) continue;
    const condition = { ...wanted, lastTransitionTime: (sameStatus && before.lastTransitionTime) || timestamp() };
    const others = conditions.filter(({ type }) => type !== DANGLING);
    const status = { ...object.status, conditions: [...others, condition] };
    const value = await ownValue(registry, stored, object, { ...object, status }, CONSUMER);
    await registry.store.update(stored.keyPrefix + item.name, item.revision, value);
  }
}

/**
 * Repairs flow schemas and priority levels after each change, until the signal aborts. It logs a failure, and tries
 * again a second later.
 */
export async function keepFlowControl(
  registry: Registry,
  log: Pick<Logger, 'warn'>,
  signal: AbortSignal,
): Promise<void> {
  let seen = -1;
  while (!signal.aborted) {
    const { frontier } = registry.cache;
    if (frontier !== seen) {
      await ensureFlowControl(registry).then(
        () => {
          seen = frontier;
        },
        (error: unknown) =>
          log.warn({ err: error }, 'the server could not update its flow control objects and will try again'),
      );
    }
    await sleep(LOOK_MS, signal);
  }
}
