import type { AdmissionRequest } from '../../api/admission.ts';
import type { Registry } from '../../api/registry.ts';
import type { ServedResource } from '../../api/served-resource.ts';
import { clone, toServed, toStorage } from '../../codecs/convert.ts';
import type { JsonObject } from '../../json/json-value.ts';
import { stringify } from '../../json/stringify.ts';
import type { ApiObject } from '../../schema/api-object.ts';
import { decodeObject } from '../../schema/decode.ts';
import { normalize } from '../../schema/normalize.ts';
import type { GroupVersionKind, MessageType } from '../../schema/types.ts';

/** How the objects of a request look to a webhook that reads one version. */
interface Form {
  readonly kind: string;
  readonly apiVersion: string;
  readonly message: MessageType | undefined;
}

/** Group, version and kind as clients write them. */
export interface ClientKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The objects of one request as webhooks see them: in the version each one reads, as JSON. */
export class ReviewObjects {
  readonly #registry: Registry;
  readonly #request: AdmissionRequest;
  readonly #old = new Map<string, string>();
  readonly #new = new Map<string, { readonly object: ApiObject; readonly text: string }>();

  constructor(registry: Registry, request: AdmissionRequest) {
    this.#registry = registry;
    this.#request = request;
  }

  /** What the objects are in a version of the resource. */
  kindIn(served: ServedResource): ClientKind {
    const own = this.#request.kind;
    if (own === undefined) return { group: served.group, version: served.version, kind: served.type.kind };
    return { group: this.#registry.naming.group(own.group), version: own.version, kind: own.kind };
  }

  /** The JSON text of the old object; `null` without one. */
  oldText(served: ServedResource): string {
    const { oldObject } = this.#request;
    if (oldObject === undefined) return 'null';
    let text = this.#old.get(served.apiVersion);
    if (text === undefined) {
      text = stringify(this.#shown(served, oldObject));
      this.#old.set(served.apiVersion, text);
    }
    return text;
  }

  /** The JSON text of the new object as it is now; `null` without one. Made anew after `replace` only. */
  newText(served: ServedResource): string {
    const { object } = this.#request;
    if (object === undefined) return 'null';
    const known = this.#new.get(served.apiVersion);
    if (known?.object === object) return known.text;
    const text = stringify(this.#shown(served, object));
    this.#new.set(served.apiVersion, { object, text });
    return text;
  }

  /** The new object in the version of the resource, a copy. */
  newObject(served: ServedResource): JsonObject {
    return this.#shown(served, this.#request.object!);
  }

  /**
   * Makes an object that a webhook changed the one of the request: read by the schema, defaulted, in the storage
   * version. Nobody comes to own fields this way. False when nothing is different. Throws what `decodeObject` throws.
   */
  replace(served: ServedResource, changed: JsonObject): boolean {
    const { kind, apiVersion, message } = this.#form(served);
    const before = this.newText(served);
    const own = this.#request.kind !== undefined;
    const decoded = message === undefined ? clone(changed) : decodeObject(message, changed);
    const object = { ...decoded, kind, apiVersion } as unknown as ApiObject;
    if (!own) served.versionRules.defaults?.(object, this.#registry);
    const { managedFields } = this.#request.object!.metadata;
    if (managedFields === undefined) delete object.metadata?.managedFields;
    else object.metadata = { ...object.metadata, managedFields };
    const stored = own ? object : toStorage(this.#registry, served, object);
    this.#request.object = stored;
    return this.newText(served) !== before;
  }

  /** Kinds that have no resource of their own are said by the request. */
  #form(served: ServedResource): Form {
    const own = this.#request.kind;
    if (own === undefined) {
      return { kind: served.type.kind, apiVersion: served.apiVersion, message: served.type.message };
    }
    return {
      kind: own.kind,
      apiVersion: this.#registry.naming.apiVersion(own.group, own.version),
      message: messageOf(this.#registry, own),
    };
  }

  #shown(served: ServedResource, object: ApiObject): JsonObject {
    const { kind, apiVersion, message } = this.#form(served);
    const converts = this.#request.kind === undefined && served.versionRules.fromStorage !== undefined;
    const inVersion = converts ? toServed(this.#registry, served, clone(object)) : object;
    const canonical = message === undefined ? (inVersion as unknown as JsonObject) : normalize(message, inVersion);
    return { ...canonical, kind, apiVersion };
  }
}

function messageOf(registry: Registry, { group, version, kind }: GroupVersionKind): MessageType | undefined {
  return registry.schema.kind(group, version, kind);
}
