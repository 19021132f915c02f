import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { stringify } from '#base/json/stringify.ts';
import type { ObjectSchema } from '#schema/apply/apply-type.ts';
import type { GroupVersionKind } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import type { MaybePromise } from '../../api/maybe-promise.ts';
import type { ObjectModel } from '../../api/object-model.ts';
import type { ServedResource } from '../../api/served-resource.ts';
import { modelOf } from '../../resources/message-model.ts';
import type { Registry } from '../../resources/registry.ts';

/** The objects of a request in the version that a webhook reads. */
interface Form {
  readonly kind: string;
  readonly apiVersion: string;
  /** The model; undefined for kinds without a schema. */
  readonly model: ObjectModel | undefined;
}

/** The objects of a request for expressions; null for an object that does not exist. */
export interface SeenObjects {
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
}

/** A group, version and kind in the form that clients write. */
export interface ClientKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The objects of one request for webhooks: as JSON, in the version that each webhook reads. */
export class ReviewObjects {
  readonly #registry: Registry;
  readonly #request: AdmissionRequest;
  readonly #old = new Map<string, string>();
  readonly #values = new WeakMap<ApiObject, Map<string, MaybePromise<JsonObject>>>();
  readonly #new = new Map<string, { readonly object: ApiObject; readonly text: string }>();

  constructor(registry: Registry, request: AdmissionRequest) {
    this.#registry = registry;
    this.#request = request;
  }

  /** The objects in a version of the resource. */
  kindIn(served: ServedResource): ClientKind {
    const own = this.#request.kind;
    if (own === undefined) return { group: served.group, version: served.version, kind: served.type.kind };
    return { group: this.#registry.naming.group(own.group), version: own.version, kind: own.kind };
  }

  /** The JSON text of the old object; `null` if there is none. */
  async oldText(served: ServedResource): Promise<string> {
    const { oldObject } = this.#request;
    if (oldObject === undefined) return 'null';
    let text = this.#old.get(served.apiVersion);
    if (text === undefined) {
      text = stringify(await this.#shown(served, oldObject));
      this.#old.set(served.apiVersion, text);
    }
    return text;
  }

  /** The JSON text of the current new object; `null` if there is none. Only `replace` changes it. */
  async newText(served: ServedResource): Promise<string> {
    const { object } = this.#request;
    if (object === undefined) return 'null';
    const known = this.#new.get(served.apiVersion);
    if (known?.object === object) return known.text;
    const text = stringify(await this.#shown(served, object));
    this.#new.set(served.apiVersion, { object, text });
    return text;
  }

  /** The current new object in a version of the resource; null without one. Callers must not change it. */
  newValue(served: ServedResource): MaybePromise<JsonObject | null> {
    return this.#value(served, this.#request.object);
  }

  /**
   * Both current objects in a version of the resource; null for a missing one. Callers must not change them. Without a
   * conversion, each is made at its first use.
   */
  seen(served: ServedResource): MaybePromise<SeenObjects> {
    const { object, oldObject } = this.#request;
    if (this.#converts(served)) return this.#convertedPair(served, object, oldObject);
    const value = (of: ApiObject | undefined) => this.#value(served, of) as JsonObject | null;
    return {
      get object() {
        return value(object);
      },
      get oldObject() {
        return value(oldObject);
      },
    };
  }

  async #convertedPair(
    served: ServedResource,
    object: ApiObject | undefined,
    oldObject: ApiObject | undefined,
  ): Promise<SeenObjects> {
    return { object: await this.#value(served, object), oldObject: await this.#value(served, oldObject) };
  }

  /** The value of an object in a version. It is made once. */
  #value(served: ServedResource, object: ApiObject | undefined): MaybePromise<JsonObject | null> {
    if (object === undefined) return null;
    let known = this.#values.get(object);
    if (known === undefined) this.#values.set(object, (known = new Map()));
    let value = known.get(served.apiVersion);
    if (value === undefined) {
      value = this.#converts(served) ? this.#shown(served, object) : this.#canonical(served, object);
      known.set(served.apiVersion, value);
    }
    return value;
  }

  #converts(served: ServedResource): boolean {
    const { kind, served: asked } = this.#request;
    return kind === undefined && asked.reading.model !== served.model;
  }

  #canonical(served: ServedResource, object: ApiObject): JsonObject {
    const { kind, apiVersion, model } = this.#form(served);
    const canonical = model === undefined ? asJson(object) : model.canonical(object);
    return { ...canonical, kind, apiVersion };
  }

  /** A copy of the new object in the version of the resource. */
  newObject(served: ServedResource): Promise<JsonObject> {
    return this.#shown(served, this.#request.object!);
  }

  /**
   * Replaces the new object of the request by the object that a webhook returned. It is decoded by the schema, gets
   * defaults, and is converted to the storage version. Its field owners do not change. False if nothing differs.
   * @param unknown gets the paths of fields that the schema does not have; they are dropped
   * @throws the errors of `decodeObject`
   */
  async replace(served: ServedResource, changed: JsonObject, unknown?: (path: string) => void): Promise<boolean> {
    const { kind, apiVersion, model } = this.#form(served);
    const before = await this.newText(served);
    const own = this.#request.kind !== undefined;
    const decoded =
      model === undefined ? cloneJson(changed) : model.decode(changed, unknown === undefined ? {} : { unknown });
    const object = asObject({ ...decoded, kind, apiVersion });
    if (!own) served.model.defaults(object);
    const { managedFields } = this.#request.object!.metadata;
    if (managedFields === undefined) delete object.metadata?.managedFields;
    else object.metadata = { ...object.metadata, managedFields };
    this.#request.object = own ? object : await this.#request.served.reading.fromVersion(object, served);
    return (await this.newText(served)) !== before;
  }

  /**
   * The schema for server-side apply to the objects. Undefined if clients know the kind by another group or version
   * than the resource.
   */
  schemaIn(served: ServedResource): ObjectSchema | undefined {
    const own = this.#request.kind;
    const isElsewhere = own !== undefined && (own.group !== served.type.group || own.version !== served.version);
    return isElsewhere ? undefined : this.#form(served).model?.applySchema;
  }

  /** The form of the objects. For kinds without a resource of their own, the request names the kind. */
  #form(served: ServedResource): Form {
    const own = this.#request.kind;
    if (own === undefined) {
      return { kind: served.type.kind, apiVersion: served.apiVersion, model: served.model };
    }
    return {
      kind: own.kind,
      apiVersion: this.#registry.naming.apiVersion(own.group, own.version),
      model: modelOfKind(this.#registry, own),
    };
  }

  async #shown(served: ServedResource, object: ApiObject): Promise<JsonObject> {
    if (!this.#converts(served)) return this.#canonical(served, object);
    // Conversions change their argument.
    return this.#canonical(served, await this.#request.served.reading.inVersion(cloneJson(object), served));
  }
}

function modelOfKind(registry: Registry, { group, version, kind }: GroupVersionKind): ObjectModel | undefined {
  const message = registry.schema.kind(group, version, kind);
  return message && modelOf(message);
}
