import type { ApiObject } from '../schema/api-object.ts';
import type { Registry } from './registry.ts';
import type { ServedResource } from './served-resource.ts';

/** Who writes, and through which view. */
export interface Writer {
  readonly manager: string;
  readonly subresource: string;
}

/** Keeps `metadata.managedFields` of a written object (both in the served version). */
export function trackWrite(
  _registry: Registry,
  _served: ServedResource,
  _live: ApiObject | undefined,
  _object: ApiObject,
  _writer: Writer,
): void {}
