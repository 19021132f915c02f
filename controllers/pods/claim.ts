import { isInvalid, isNotFound } from '#client/errors.ts';
import type { Informer } from '#client/informer/informer.ts';
import { selects } from '#client/label-selector.ts';
import type { ResourceClient } from '#client/resource-client.ts';
import type { ResourceType } from '#client/resource-type.ts';
import type { LabelSelector } from '#schema/generated/meta.v1.ts';
import type { ApiObject, ObjectMeta, OwnerReference } from '#schema/objects/api-object.ts';
import { byController, controllerOf, labelInNamespace, orphansByLabel, orphansByNamespace } from './owners.ts';

/** The claim of an object on other objects. */
export interface Claimer<T extends ApiObject> {
  /** The object that claims, from its copy. */
  readonly owner: ApiObject;
  readonly selector: LabelSelector | null | undefined;
  /** The owner reference that claimed objects get. */
  readonly reference: OwnerReference;
  /** Objects that it may claim, besides the selector; all by default. */
  readonly mayClaim?: (object: T) => boolean;
  /** Metadata that an adopted object gets besides the reference. */
  readonly adopting?: (object: T) => ObjectMeta;
  /** Reads the owner from the server before an adoption, because the owner may have been deleted since. */
  readonly live: () => Promise<ApiObject>;
  /** The client that writes claimed objects. */
  readonly claimed: ResourceClient<T>;
}

/**
 * Finds the objects of an owner. The function adopts objects without a controller that the selector selects. It
 * releases objects of this owner that the selector no longer selects. For an owner that is being deleted it does
 * neither.
 *
 * @param candidates the objects of its namespace that it controls or that have no controller; see {@link candidatesOf}
 * @returns the objects that it controls, in the order of the candidates
 */
export async function claim<T extends ApiObject>(candidates: readonly T[], claimer: Claimer<T>): Promise<T[]> {
  const { owner, selector, reference, mayClaim = () => true, adopting = () => ({}), claimed } = claimer;
  const leaving = Boolean(owner.metadata.deletionTimestamp);
  const own: T[] = [];
  let alive: Promise<boolean> | undefined;
  for (const object of candidates) {
    const { name = '', labels, uid, resourceVersion, deletionTimestamp, ownerReferences = [] } = object.metadata;
    const controller = controllerOf(object);
    if (controller !== undefined && controller.uid !== owner.metadata.uid) continue;
    const wanted = selects(selector, labels) && mayClaim(object);
    const change = (references: readonly OwnerReference[], more: ObjectMeta = {}) =>
      claimed.patch(name, 'merge', {
        metadata: { ...more, uid, resourceVersion, ownerReferences: references },
      } as never);
    if (controller !== undefined) {
      if (wanted) own.push(object);
      else if (!leaving)
        await change(ownerReferences.filter((other) => other.uid !== controller.uid)).catch(unlessGone);
    } else if (wanted && !leaving && !deletionTimestamp) {
      alive ??= claimer
        .live()
        .then(
          ({ metadata }) => metadata.uid === owner.metadata.uid && !metadata.deletionTimestamp,
          unlessGone,
        ) as Promise<boolean>;
      if (!(await alive)) continue;
      const adopted = await change([...ownerReferences, reference], adopting(object)).catch(unlessGone);
      if (adopted !== undefined) own.push(adopted);
    }
  }
  return own;
}

/**
 * The objects that an owner may claim or release: the objects that it controls, and those in its namespace that have no
 * controller and may match its selector. A namespace may have many objects without a controller, and owners are checked
 * often. So the function does not read all of these objects.
 */
export function candidatesOf<T extends ApiObject>(
  copy: Informer<T>,
  { metadata }: ApiObject,
  selector: LabelSelector | null | undefined,
): readonly T[] {
  const namespace = metadata.namespace!;
  const [label] = Object.entries(selector?.matchLabels ?? {});
  const orphans =
    label === undefined
      ? copy.find(orphansByNamespace, namespace)
      : copy.find(orphansByLabel, labelInNamespace(namespace, ...label));
  return [...copy.find(byController, metadata.uid!), ...orphans];
}

/** The owners whose selector selects an object without a controller. */
export function claimersOf<T extends ApiObject>(
  { metadata }: ApiObject,
  owners: readonly T[],
  selectorOf: (owner: T) => LabelSelector | null | undefined,
): T[] {
  return owners.filter((owner) => selects(selectorOf(owner), metadata.labels));
}

/** A type whose objects claim other objects, for handlers of changes. */
export interface ClaimingType<T extends ApiObject> {
  readonly type: ResourceType<T>;
  readonly copy: Informer<T>;
  readonly selectorOf: (owner: T) => LabelSelector | null | undefined;
}

function unlessGone(error: unknown): undefined {
  // The object is gone, or another object now has its name.
  if (!isNotFound(error) && !isInvalid(error)) throw error;
}
