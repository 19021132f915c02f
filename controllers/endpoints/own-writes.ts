import type { ApiObject } from '#schema/objects/api-object.ts';

/**
 * The object versions that a controller wrote last. A decision made from an older copy may be wrong, so the controller
 * decides again when its copy contains these versions. Versions that other clients wrote are not kept here.
 */
export class OwnWrites {
  readonly #versions = new Map<string, string>();

  wrote({ metadata: { uid, resourceVersion } }: ApiObject): void {
    this.#versions.set(uid!, resourceVersion!);
  }

  /** Whether this is the version that was written last. Asked for a version that a copy has got. */
  isLast({ metadata: { uid, resourceVersion } }: ApiObject): boolean {
    return this.#versions.get(uid!) === resourceVersion;
  }

  forget({ metadata: { uid } }: ApiObject): void {
    this.#versions.delete(uid!);
  }
}
