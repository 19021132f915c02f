import type { Naming } from '../naming/naming.ts';

/** The group in `group/version`; empty where there is only a version. */
export function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.lastIndexOf('/')));
}

/** The version in `group/version`. */
export function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.lastIndexOf('/') + 1);
}

/** The group in `group/version`, in its short form where it is a built-in one. */
export function shortGroupOf(naming: Naming, apiVersion: string): string {
  const group = groupOf(apiVersion);
  return naming.shortGroup(group) ?? group;
}
