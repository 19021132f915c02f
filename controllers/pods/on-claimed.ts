import type { Naming } from '#base/naming/naming.ts';
import { byNamespace, type Informer, keyOf } from '#client/informer/informer.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { type ClaimingType, claimersOf } from './claim.ts';
import { controllerOf, refersTo } from './owners.ts';

/**
 * Reports the keys of owners that may need work because an object changed: its old and its new controller. If the
 * object has no controller, it reports the owners that may adopt it.
 */
export function onClaimed<T extends ApiObject, O extends ApiObject>(
  claimed: Informer<T>,
  { type, copy, selectorOf }: ClaimingType<O>,
  naming: Naming,
  changed: (key: string) => void,
  signal: AbortSignal,
): void {
  const ownersOf = (object: T): string[] => {
    const { namespace } = object.metadata;
    const reference = controllerOf(object);
    if (reference === undefined)
      return claimersOf(object, copy.find(byNamespace, namespace!), selectorOf).map((owner) => keyOf(owner));
    if (!refersTo(reference, type, naming)) return [];
    const owner = copy.get(`${namespace}/${reference.name}`);
    return owner?.metadata.uid === reference.uid ? [keyOf(owner)] : [];
  };
  const tell = (...states: readonly T[]) => {
    for (const key of new Set(states.flatMap(ownersOf))) changed(key);
  };
  claimed.on(
    {
      added: (object) => tell(object),
      updated: (object, before) =>
        controllerOf(object)?.uid === controllerOf(before)?.uid ? tell(object) : tell(object, before),
      deleted: (object) => tell(object),
    },
    signal,
  );
}
