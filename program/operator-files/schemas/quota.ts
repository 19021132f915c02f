import type { ScopedResourceSelectorRequirement } from '#schema/generated/core.v1.ts';
import { fields, filledText, list, message, text, versioned } from '../schema.ts';

export const resourceQuota = versioned(
  {},
  {
    limitedResources: list(
      fields(
        { resource: filledText() },
        {
          apiGroup: text(),
          matchContains: list(text()),
          matchScopes: list(message<ScopedResourceSelectorRequirement>('core.v1.ScopedResourceSelectorRequirement')),
        },
      ),
    ),
  },
);
