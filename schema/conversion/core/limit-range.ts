import type { LimitRange } from '../../generated/core.v1.ts';
import type { ApiObject } from '../../objects/api-object.ts';
import type { KindVersions } from '../version-rules.ts';

/**
 * Fills in what a container's limits say about each other: the default limit is the maximum, the default request is
 * the default limit, else the minimum.
 */
function defaults(object: ApiObject): void {
  for (const item of (object as LimitRange).spec?.limits ?? []) {
    if (item.type !== 'Container') continue;
    item.default = { ...item.max, ...item.default };
    item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
  }
}

/** What is filled in of limit ranges, in each of their versions. */
export const limitRangeVersions = { v1: { defaults } } satisfies KindVersions;
