import type { JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';

/** Objects that a project ships together, in the order of their creation. */
export interface Bundle {
  readonly name: string;
  readonly objects: readonly JsonObject[];
  /**
   * Whether the object is too large for the annotation of clients that merge locally, so that only the server can merge
   * it.
   */
  readonly isLarge?: true;
}

/** Makes an object of a kind. Its group has the name of the naming profile. */
export type Make = (group: string, version: string, kind: string, name: string, fields: JsonObject) => JsonObject;

/** Makes objects in the words of a naming profile. Objects of `CLUSTER_WIDE` kinds have no namespace. */
export function maker(naming: Naming): Make {
  return (group, version, kind, name, { metadata = {}, ...fields }) => ({
    apiVersion: naming.apiVersion(group, version),
    kind,
    metadata: {
      name,
      ...(CLUSTER_WIDE.test(kind) ? {} : { namespace: 'default' }),
      labels: { bundle: 'true' },
      ...(metadata as JsonObject),
    },
    ...fields,
  });
}

const CLUSTER_WIDE =
  /^(CustomResourceDefinition|.*AdmissionPolicy(Binding)?|.*WebhookConfiguration|ClusterRole(Binding)?|.*Class|FlowSchema|PriorityLevelConfiguration|ServiceCIDR|IPAddress|CSIDriver|Namespace|PersistentVolume)$/;
