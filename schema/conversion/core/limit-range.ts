import type { LimitRange } from '../../generated/core.v1.ts';
import type { ApiObject } from '../../objects/api-object.ts';
import type { KindVersions } from '../version-rules.ts';

/**
 * Sets defaults of container limits from each other. The default limit is the maximum. The default request is the
 * default limit, or otherwise the minimum.
 */
function defaults(object: ApiObject): void {
  for (const item of (object as LimitRange).spec?.limits ?? []) {
    if (item.type !== 'Container') continue;
    item.default = { ...item.max, ...item.default };
    item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
  }
}

/** The defaults of limit ranges in each version. */
export const limitRangeVersions = { v1: { defaults } } satisfies KindVersions;
