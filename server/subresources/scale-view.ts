import { modelOf } from '../api/message-model.ts';
import type { ObjectModel } from '../api/object-model.ts';
import type { Registry } from '../api/registry.ts';
import type { ServedResource } from '../api/served-resource.ts';
import { apply } from '../apply/apply.ts';
import type { Versions } from '../apply/object-schema.ts';
import { fromScaleFields, type ReplicasPaths, toScaleFields } from '../apply/scale-fields.ts';
import { trackUpdate } from '../apply/update.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { ApiObject, ManagedFieldsEntry } from '../schema/api-object.ts';
import { objectSchemaOf } from '../schema/apply-type.ts';
import type { Scale } from '../schema/generated/autoscaling.v1.ts';
import { type LabelSelector, labelSelectorText } from '../validation/label-selector.ts';

/** What every kind that scales has. */
export interface Scalable extends ApiObject {
  spec?: { replicas?: number; selector?: LabelSelector | Record<string, string> };
  status?: { replicas?: number };
}

/** Who writes a scale. */
export interface ScaleWriter {
  readonly manager: string;
  readonly force: boolean;
}

/** Replication controllers select by a plain map, the others by a label selector. */
function selectorText(selector: LabelSelector | Record<string, string> | undefined): string {
  if (selector === undefined) return '';
  const plain = !('matchLabels' in selector) && !('matchExpressions' in selector);
  return labelSelectorText(plain ? { matchLabels: selector as Record<string, string> } : (selector as LabelSelector));
}

/** The scale of an object and its owners: a view, in which the number of replicas is all that can be written. */
export class ScaleView {
  readonly kind = 'Scale';
  readonly apiVersion: string;
  readonly model: ObjectModel;
  readonly #paths: ReplicasPaths;
  readonly #served: ServedResource;
  readonly #versions: Versions;

  constructor(registry: Registry, served: ServedResource) {
    const apiVersion = registry.naming.apiVersion('autoscaling', 'v1');
    const message = registry.schema.message('autoscaling.v1.Scale');
    this.apiVersion = apiVersion;
    this.model = modelOf(message);
    this.#served = served;
    const siblings = served.versions;
    this.#paths = Object.fromEntries(siblings.map((other) => [other.apiVersion, ['spec', 'replicas']]));
    this.#versions = {
      schema: (version) => (version === apiVersion ? objectSchemaOf(message) : undefined),
      convert: (object, from, to) => (from === to ? object : undefined),
    };
  }

  /** The scale of an object, in canonical form. */
  of(object: Scalable): Scale {
    const { name, namespace, uid, resourceVersion, creationTimestamp, managedFields } = object.metadata;
    const owners = toScaleFields(managedFields, this.#paths, { apiVersion: this.apiVersion });
    const scale = {
      kind: this.kind,
      apiVersion: this.apiVersion,
      metadata: { name, namespace, uid, resourceVersion, creationTimestamp, managedFields: owners },
      spec: { replicas: object.spec?.replicas ?? 0 },
      status: { replicas: object.status?.replicas ?? 0, selector: selectorText(object.spec?.selector) },
    };
    return this.model.canonical(scale) as unknown as Scale;
  }

  /** Applies a configuration of the scale. Throws a 409 where others own the number. */
  apply(live: Scale, config: JsonObject, writer: ScaleWriter): Scale {
    const { object } = apply({
      ...this.#write(writer),
      live: live as unknown as JsonObject,
      config,
      force: writer.force,
    });
    return object as unknown as Scale;
  }

  /** The owners of the whole object after its scale was updated. */
  owners(object: Scalable, live: Scale, wanted: Scale, writer: ScaleWriter): ManagedFieldsEntry[] | undefined {
    const updated = { ...live, spec: wanted.spec ?? {} } as unknown as JsonObject;
    const tracked = trackUpdate({ ...this.#write(writer), live: live as unknown as JsonObject, updated });
    return this.ownersFrom(object, tracked as unknown as Scale);
  }

  /** The owners of the whole object, from those of its written scale. */
  ownersFrom(object: Scalable, scale: Scale): ManagedFieldsEntry[] | undefined {
    const { managedFields } = object.metadata;
    return fromScaleFields(managedFields, scale.metadata?.managedFields, this.#paths, this.#served.apiVersion);
  }

  #write(writer: ScaleWriter) {
    return {
      manager: writer.manager,
      apiVersion: this.apiVersion,
      subresource: 'scale',
      versions: this.#versions,
      now: new Date(),
    };
  }
}
