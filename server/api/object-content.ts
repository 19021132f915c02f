import type { JsonObject } from '#base/json/json-value.ts';
import { parseStored } from '#base/json/parse-stored.ts';
import { stringify } from '#base/json/stringify.ts';
import type { MessageType } from '#schema/descriptors/types.ts';
import type { TableForm } from './resource-definition.ts';
import type { ServedResource } from './served-resource.ts';

/**
 * The object of an answer. It exists as bytes or as a value, and the other form is made only if a caller asks for it.
 * `body` is a JSON object without `kind` and `apiVersion`, which the encoders add.
 */
export class ObjectContent {
  readonly kind: string;
  readonly apiVersion: string;
  /** The message that describes the object for protobuf; undefined if only JSON exists. */
  readonly message: MessageType | undefined;
  /** The resource of the object, for tables; undefined for Status, reviews and discovery. */
  readonly served: ServedResource | undefined;
  /** The columns of the object, if they differ from its resource's. */
  readonly table: TableForm | undefined;
  /** The resource of the items, if the object is a list that was built rather than read. */
  readonly listOf: ServedResource | undefined;
  #body: Buffer | undefined;
  #object: JsonObject | undefined;

  private constructor(
    kind: string,
    apiVersion: string,
    message: MessageType | undefined,
    served: ServedResource | undefined,
    body: Buffer | undefined,
    object: JsonObject | undefined,
    table?: TableForm,
    listOf?: ServedResource,
  ) {
    this.kind = kind;
    this.apiVersion = apiVersion;
    this.message = message;
    this.served = served;
    this.#body = body;
    this.#object = object;
    this.table = table;
    this.listOf = listOf;
  }

  /** A stored object in the served version. */
  static ofBytes(served: ServedResource, body: Buffer): ObjectContent {
    return new ObjectContent(served.type.kind, served.apiVersion, served.model.message, served, body, undefined);
  }

  /** An object in the served version that was just built. Its `kind` and `apiVersion` are ignored. */
  static ofResource(served: ServedResource, object: JsonObject): ObjectContent {
    return new ObjectContent(served.type.kind, served.apiVersion, served.model.message, served, undefined, object);
  }

  /** Any other object. `kind` and `apiVersion` are given, and those of the object are ignored. */
  static ofObject(
    kind: string,
    apiVersion: string,
    message: MessageType | undefined,
    object: JsonObject,
    table?: TableForm,
  ): ObjectContent {
    return new ObjectContent(kind, apiVersion, message, undefined, undefined, object, table);
  }

  /** A list of objects that are not stored. The items do not contain `kind` and `apiVersion`. */
  static ofList(
    served: ServedResource,
    message: MessageType,
    items: readonly JsonObject[],
    table?: TableForm,
  ): ObjectContent {
    const list = { metadata: {}, items: [...items] };
    const kind = `${served.type.kind}List`;
    return new ObjectContent(kind, served.apiVersion, message, undefined, undefined, list, table, served);
  }

  /** The items of a built list. */
  get items(): readonly JsonObject[] {
    return (this.object()['items'] ?? []) as unknown as readonly JsonObject[];
  }

  /** JSON bytes of the object without `kind` and `apiVersion`. */
  body(): Buffer {
    if (this.#body === undefined) {
      const { kind: _kind, apiVersion: _apiVersion, ...rest } = this.#object!;
      this.#body = Buffer.from(stringify(rest));
    }
    return this.#body;
  }

  /** The object as a value. If it came from bytes, it has no `kind` and `apiVersion`. Callers must not change it. */
  object(): JsonObject {
    this.#object ??= parseStored<JsonObject>(this.#body!);
    return this.#object;
  }
}
