import type { ApiObject } from '#schema/objects/api-object.ts';

/**
 * The versions that a controller wrote last. What is decided from a copy that is older than that may be wrong, and is
 * looked at again when the copy has it; versions that others write are none of these.
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
