import type { JsonObject } from '#base/json/json-value.ts';
import { apply } from '#schema/apply/apply.ts';
import { objectSchemaOf } from '#schema/apply/apply-type.ts';
import type { Versions } from '#schema/apply/object-schema.ts';
import { fromScaleFields, type ReplicasPaths, toScaleFields } from '#schema/apply/scale-fields.ts';
import { trackUpdate } from '#schema/apply/update.ts';
import type { Scale } from '#schema/generated/autoscaling.v1.ts';
import type { ApiObject, ManagedFieldsEntry } from '#schema/objects/api-object.ts';
import { asJson } from '#schema/objects/as-json.ts';
import type { ObjectModel } from '../api/object-model.ts';
import type { ServedResource } from '../api/served-resource.ts';
import { modelOf } from '../resources/message-model.ts';
import type { Registry } from '../resources/registry.ts';
import { ScalePlace } from './scale-place.ts';

/** The writer of a scale. */
export interface ScaleWriter {
  readonly manager: string;
  readonly force: boolean;
}

/** The scale of an object and its owners. It is a view in which only the number of replicas can be written. */
export class ScaleView {
  readonly kind = 'Scale';
  readonly apiVersion: string;
  readonly model: ObjectModel;
  readonly place: ScalePlace;
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
    this.place = new ScalePlace(served);
    this.#paths = Object.fromEntries(siblings.map((other) => [other.apiVersion, new ScalePlace(other).replicas]));
    this.#versions = {
      schema: (version) => (version === apiVersion ? objectSchemaOf(message) : undefined),
      convert: (object, from, to) => (from === to ? object : undefined),
    };
  }

  /** The scale of an object, in canonical form. */
  of(object: ApiObject): Scale {
    const { name, namespace, uid, resourceVersion, creationTimestamp, managedFields } = object.metadata;
    const owners = toScaleFields(managedFields, this.#paths, { apiVersion: this.apiVersion });
    const scale = {
      kind: this.kind,
      apiVersion: this.apiVersion,
      metadata: { name, namespace, uid, resourceVersion, creationTimestamp, managedFields: owners },
      spec: { replicas: this.place.wanted(object) ?? 0 },
      status: { replicas: this.place.there(object), selector: this.place.selector(object) },
    };
    return this.model.canonical(scale) as unknown as Scale;
  }

  /**
   * Applies a configuration of the scale.
   * @throws StatusError (409) if other managers own the number
   */
  apply(live: Scale, config: JsonObject, writer: ScaleWriter): Scale {
    const { object } = apply({
      ...this.#write(writer),
      live: asJson(live),
      config,
      force: writer.force,
    });
    return object as unknown as Scale;
  }

  /** The owners of the whole object after its scale was updated. */
  owners(object: ApiObject, live: Scale, wanted: Scale, writer: ScaleWriter): ManagedFieldsEntry[] | undefined {
    const updated = asJson({ ...live, spec: wanted.spec ?? {} });
    const tracked = trackUpdate({ ...this.#write(writer), live: asJson(live), updated });
    return this.ownersFrom(object, tracked as unknown as Scale);
  }

  /** The owners of the whole object, from those of its written scale. */
  ownersFrom(object: ApiObject, scale: Scale): ManagedFieldsEntry[] | undefined {
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
