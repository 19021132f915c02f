import type { Naming } from '#base/naming/naming.ts';

/** The group in `group/version`; empty if there is only a version. */
export function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.lastIndexOf('/')));
}

/** The version in `group/version`. */
export function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.lastIndexOf('/') + 1);
}

/** The group in `group/version`, in the form in which the server keeps it. */
export function shortGroupOf(naming: Naming, apiVersion: string): string {
  return naming.shortForm(groupOf(apiVersion));
}
