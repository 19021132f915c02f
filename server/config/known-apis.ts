import { table } from '#base/collections/own-properties.ts';
import type { Schema } from '#schema/descriptors/types.ts';

/**
 * Versions that are known but not served, by the short form of their group. They are removed versions, which operators'
 * files may still switch off, and versions that only configuration files or backends use.
 */
const UNSERVED: Readonly<Record<string, readonly string[]>> = table({
  admission: ['v1', 'v1beta1'],
  admissionregistration: ['v1beta1'],
  apiextensions: ['v1beta1'],
  apiregistration: ['v1beta1'],
  apps: ['v1beta1', 'v1beta2'],
  authentication: ['v1beta1'],
  authorization: ['v1beta1'],
  autoscaling: ['v2beta1'],
  batch: ['v1beta1'],
  certificates: ['v1beta1'],
  coordination: ['v1beta1'],
  discovery: ['v1beta1'],
  events: ['v1beta1'],
  extensions: ['v1beta1'],
  'flowcontrol.apiserver': ['v1alpha1'],
  imagepolicy: ['v1alpha1'],
  networking: ['v1beta1'],
  node: ['v1alpha1', 'v1beta1'],
  policy: ['v1beta1'],
  'rbac.authorization': ['v1alpha1', 'v1beta1'],
  scheduling: ['v1alpha1', 'v1beta1'],
  storage: ['v1alpha1'],
});

/** Whether a group (in its short form), version or resource is known, whether it is served or not. */
export function knownApis(schema: Schema): (group: string, version?: string, resource?: string) => boolean {
  return (group, version, resource) => {
    const unserved = Object.hasOwn(UNSERVED, group) ? UNSERVED[group]! : [];
    const versions = schema.groupVersions.filter((candidate) => candidate.group === group);
    if (version === undefined) return versions.length + unserved.length > 0;
    // The resources of a version that is not served are not known any more.
    if (unserved.includes(version)) return true;
    const found = versions.find((candidate) => candidate.version === version);
    if (resource === undefined) return found !== undefined;
    return found?.resources.some(({ plural }) => plural === resource) ?? false;
  };
}
