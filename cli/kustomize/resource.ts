import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';

/**
 * The source of an object. It is a file, by its path relative to the built folder. It can also be the transformer that
 * made or changed the object, with the file that requested the transformer.
 */
export type Origin = { readonly path: string } | { readonly configuredIn: string; readonly configuredBy: JsonObject };

/** The kinds whose objects have no namespace. Objects of unknown kinds count as objects with a namespace. */
const WITHOUT_NAMESPACE = new Set([
  ...['APIService', 'CSIDriver', 'CSINode', 'CertificateSigningRequest', 'ClusterRole', 'ClusterRoleBinding'],
  ...['ComponentStatus', 'CustomResourceDefinition', 'DeviceClass', 'FlowSchema', 'IPAddress', 'IngressClass'],
  ...['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding', 'MutatingWebhookConfiguration', 'Namespace'],
  ...['Node', 'PersistentVolume', 'PriorityClass', 'PriorityLevelConfiguration', 'RuntimeClass', 'ServiceCIDR'],
  ...['StorageClass', 'ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding', 'VolumeAttachment'],
  ...['ValidatingWebhookConfiguration', 'SelfSubjectAccessReview', 'SubjectAccessReview', 'TokenReview'],
]);

/** An object that is being built, with its earlier names. */
export interface Resource {
  object: JsonObject & { metadata: JsonObject };
  /** The names by which other objects may still refer to it. */
  readonly names: Set<string>;
  /** The prefixes and suffixes that were added to its name, in this order. */
  readonly affixes: { readonly prefixes: string[]; readonly suffixes: string[] };
  /** The earlier namespaces of the object. '' means no namespace. */
  readonly namespaces: Set<string>;
  /** Whether its name will end with a hash of its content. */
  hashed: boolean;
  /** Its source. */
  readonly origin: Origin | undefined;
  /** The changes that were made to it. */
  readonly changes: Origin[];
}

export function resourceOf(object: JsonObject, hashed = false, origin?: Origin): Resource {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  return {
    ...{ object: { ...object, metadata }, names: new Set<string>(), namespaces: new Set<string>() },
    ...{ affixes: { prefixes: [], suffixes: [] }, hashed, origin, changes: [] },
  };
}

export const kindOf = ({ object }: Resource): string => text(object['kind']);
/** Its type in parts. The core group is ''. */
export function typeOf(resource: Resource): {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
} {
  const [version = '', group = ''] = text(resource.object['apiVersion']).split('/').reverse();
  return { group, version, kind: kindOf(resource) };
}
/** Whether objects of its kind are in namespaces. */
export const isNamespaced = (one: Resource): boolean => !WITHOUT_NAMESPACE.has(kindOf(one));
export const nameIn = ({ object }: Resource): string => text(object.metadata['name']);
export const namespaceIn = ({ object }: Resource): string => text(object.metadata['namespace']);

/** The id of an object, such as `Deployment.v1.apps/web.default`. */
export function idOf(resource: Resource): string {
  return `${typeText(typeOf(resource))}/${nameIn(resource) || '[noName]'}.${namespaceIn(resource) || '[noNs]'}`;
}

/** The text of a type, such as `Deployment.v1.apps`. */
export function typeText({ kind, version, group }: Readonly<Record<'group' | 'version' | 'kind', string>>): string {
  return `${kind || '[noKind]'}.${version || '[noVer]'}.${group || '[noGrp]'}`;
}

export function rename(resource: Resource, name: string): void {
  const old = nameIn(resource);
  if (old === name) return;
  resource.names.add(old);
  resource.object.metadata['name'] = name;
}

/** Whether a name is the object's present name or one of its earlier names. */
export function isCalled(resource: Resource, name: string): boolean {
  return nameIn(resource) === name || resource.names.has(name);
}

export function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
