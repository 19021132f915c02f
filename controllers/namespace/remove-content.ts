import type { Client } from '#client/client.ts';
import type { Discovered, DiscoveredType } from '#client/discovery/discovered.ts';
import { ApiError, isConflict, isNotFound } from '#client/errors.ts';
import type { MetadataObject } from '#client/resource-client.ts';

/** The content that is left in a namespace after a pass. */
export interface Left {
  /** Versions whose types are unknown. */
  readonly undiscovered: readonly string[];
  /** The errors, a line for each type. */
  readonly failures: readonly string[];
  /** The number of objects by type, such as `configmaps.` or `deployments.apps`. */
  readonly remaining: ReadonlyMap<string, number>;
  /** The number of objects by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

/** How many types are worked on at once, and how many objects of one type. */
const TYPES_AT_ONCE = 12;
const OBJECTS_AT_ONCE = 12;
const PAGE = 500;

/**
 * Deletes everything in a namespace, type by type, and pods last. Each object is deleted with its uid as a
 * precondition, so that no object of a later namespace with the same name is deleted. A request that was sent before
 * the lease was lost may arrive at any time. For the same reason no collection is deleted by a single request.
 * @param only the types to check, as {@link Left.remaining} names them; all types if it is missing
 */
export async function removeContent(
  client: Client,
  discovered: Discovered,
  namespace: string,
  only?: ReadonlyMap<string, unknown>,
): Promise<Left> {
  const failures: string[] = [];
  const remaining = new Map<string, number>();
  const finalizers = new Map<string, number>();
  const types = discovered
    .thatCan('list', 'delete')
    .filter((type) => type.namespaced && (only === undefined || only.has(idOf(type))));
  const isPods = ({ group, plural }: DiscoveredType) => group === '' && plural === 'pods';
  const removeAll = async (some: readonly DiscoveredType[]) =>
    atOnce(TYPES_AT_ONCE, some, async (type) => {
      const name = idOf(type);
      try {
        for (const object of await removeType(client, type, namespace)) {
          add(remaining, name);
          for (const finalizer of object.metadata.finalizers ?? []) add(finalizers, finalizer);
        }
      } catch (error) {
        // The type no longer exists, and none of its objects, or it cannot be listed.
        if (error instanceof ApiError && (error.code === 404 || error.code === 405)) return;
        failures.push(`${name}: ${(error as Error).message}`);
      }
    });
  await removeAll(types.filter((type) => !isPods(type)));
  await removeAll(types.filter(isPods));
  return { undiscovered: [...discovered.failed.keys()], failures, remaining, finalizers };
}

/** Deletes the objects of one type. Resolves to the objects that still exist. */
async function removeType(client: Client, type: DiscoveredType, namespace: string): Promise<MetadataObject[]> {
  const objects = client.resource(type).in(namespace);
  const list = async () => {
    const found: MetadataObject[] = [];
    for await (const page of objects.metadataOnly().pages({ limit: PAGE })) found.push(...page.items);
    return found;
  };
  const found = await list();
  if (found.length === 0) return found;
  const going = found.filter(({ metadata }) => !metadata.deletionTimestamp);
  await atOnce(OBJECTS_AT_ONCE, going, async ({ metadata: { name = '', uid } }) => {
    try {
      await objects.metadataOnly().delete(name, { preconditions: { uid }, propagationPolicy: 'Background' });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  });
  return going.length === 0 ? found : list();
}

async function atOnce<T>(most: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < items.length) await work(items[next++]!);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
}

function idOf({ plural, group }: DiscoveredType): string {
  return `${plural}.${group}`;
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
