import type { Release } from '#base/release/release.ts';

/**
 * The group that refusals of ingresses and network policies name. Their Go types are in two groups, and a server of the
 * field names the one that was registered first: `extensions` in 1.25, whose last patch was built before Go 1.21. Since
 * then Go starts packages in another order.
 */
export function outerGroup(release: Release): { readonly invalidGroup?: string } {
  return release.atLeast(26) ? {} : { invalidGroup: 'extensions' };
}
