import type { ApiObject } from '#schema/objects/api-object.ts';

/**
 * The object versions that a controller wrote last. A decision from an older copy may be wrong, so the controller
 * decides again when its copy contains these versions. Versions of other clients are not kept here.
 */
export class OwnWrites {
  readonly #versions = new Map<string, string>();

  wrote({ metadata: { uid, resourceVersion } }: ApiObject): void {
    this.#versions.set(uid!, resourceVersion!);
  }

  /** Whether this version was written last. It is called for each version that a copy gets. */
  isLast({ metadata: { uid, resourceVersion } }: ApiObject): boolean {
    return this.#versions.get(uid!) === resourceVersion;
  }

  forget({ metadata: { uid } }: ApiObject): void {
    this.#versions.delete(uid!);
  }
}
