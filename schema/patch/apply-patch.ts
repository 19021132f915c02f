import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { MessageType } from '../descriptors/types.ts';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { checkDepth } from './patch-errors.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

/** The patch formats that change an object without ownership of fields. */
export type PatchKind = 'json' | 'merge' | 'strategic';

/**
 * Applies a patch, which is already parsed from JSON, to an object in the JSON form of the request's version. `type` is
 * the object's message. Only strategic merge patches need it. Without it they merge maps and replace lists. Neither the
 * object nor the patch is changed, so a patch can be applied again to a newer object.
 *
 * @throws StatusError: 400 for a malformed patch, 413 for too many operations, 422 for a patch that cannot be applied
 * to this object
 * @example applyPatch('merge', undefined, { a: 1, b: 2 }, { b: null, c: 3 }) // => { a: 1, c: 3 }
 */
export function applyPatch(
  kind: PatchKind,
  type: MessageType | undefined,
  live: JsonObject,
  patch: JsonValue,
): JsonObject {
  checkDepth(patch);
  switch (kind) {
    case 'json': {
      const patched = applyJsonPatch(live, patch);
      checkDepth(patched);
      return patched;
    }
    case 'merge':
      return applyMergePatch(live, patch);
    case 'strategic':
      return applyStrategicMergePatch(live, patch, type);
  }
}
