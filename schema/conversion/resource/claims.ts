import type { ResourceClaim, ResourceClaimSpec, ResourceClaimTemplate } from '../../generated/resource.v1.ts';
import type { KindVersions } from '../version-rules.ts';

const COUNTED = 'ExactCount';

/** Fills in the defaults of a claim. A request without a count is for one device. */
function defaultClaim(spec: Partial<ResourceClaimSpec> | undefined): void {
  for (const { exactly, firstAvailable } of spec?.devices?.requests ?? []) {
    for (const request of [...(exactly === undefined ? [] : [exactly]), ...(firstAvailable ?? [])])
      if (request.allocationMode === COUNTED) request.count ||= 1;
  }
}

/** The defaults of resource claims in each version. */
export const resourceClaimVersions = {
  v1: { defaults: (object) => defaultClaim((object as ResourceClaim).spec) },
} satisfies KindVersions;

/** The defaults of resource claim templates in each version. */
export const resourceClaimTemplateVersions = {
  v1: { defaults: (object) => defaultClaim((object as ResourceClaimTemplate).spec?.spec) },
} satisfies KindVersions;
