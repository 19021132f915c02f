import { keyOf } from '#client/informer/informer.ts';
import type { Pod, Service } from '#schema/generated/core.v1.ts';

/**
 * Remembers when the services and pods of endpoints changed: the time of the first change since the last write of the
 * endpoints. From it, clients compute how long a change took to reach them.
 */
export class TriggerTimes {
  readonly #seen = new Map<string, { readonly service: string; readonly pods: ReadonlyMap<string, string> }>();

  /** The time of the first change since the last call; undefined if no change had a time. */
  next(service: Service, pods: readonly Pod[]): string | undefined {
    const key = keyOf(service);
    const before = this.#seen.get(key);
    const made = service.metadata.creationTimestamp ?? '';
    const times = new Map<string, string>();
    const changed = made > (before?.service ?? '') ? [made] : [];
    for (const { metadata, status } of pods) {
      const time = status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
      if (!time) continue;
      times.set(metadata.name!, time);
      if (time > (before?.pods.get(metadata.name!) ?? '')) changed.push(time);
    }
    this.#seen.set(key, { service: made, pods: times });
    return changed.sort()[0];
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }
}
