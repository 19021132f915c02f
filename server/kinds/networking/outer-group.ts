import type { Release } from '#base/release/release.ts';

/**
 * The group in error messages about ingresses and network policies. Their Go types are registered in two groups, and a
 * server of the field names the first registration. In 1.25 this is `extensions`, because its last patch was built
 * before Go 1.21. Since then, Go initializes packages in another order.
 */
export function outerGroup(release: Release): { readonly invalidGroup?: string } {
  return release.atLeast(26) ? {} : { invalidGroup: 'extensions' };
}
