import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { type ObjectSchema, objectSchemaOf } from '#schema/apply/apply-type.ts';
import type { MessageType } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson } from '#schema/objects/as-json.ts';
import type { CanonicalOptions } from '#schema/objects/canonical.ts';
import { type DecodeOptions, decodeObject } from '#schema/objects/decode.ts';
import { fillDefaults } from '#schema/objects/fill-defaults.ts';
import { normalize } from '#schema/objects/normalize.ts';
import type { ObjectModel } from '../api/object-model.ts';

/** The model of a built-in kind: its message, and the defaults of the version. */
export class MessageModel implements ObjectModel {
  readonly message: MessageType;
  readonly documented = undefined;
  readonly #defaults: ((object: ApiObject) => void) | undefined;

  constructor(message: MessageType, defaults?: (object: ApiObject) => void) {
    this.message = message;
    this.#defaults = defaults;
  }

  get confidential(): boolean {
    return this.message.confidential === true;
  }

  get applySchema(): ObjectSchema {
    return objectSchemaOf(this.message);
  }

  decode(value: JsonValue, options: DecodeOptions): JsonObject {
    return decodeObject(this.message, value, options);
  }

  canonical(object: object, options?: CanonicalOptions): JsonObject {
    return normalize(this.message, object, options);
  }

  defaults(object: ApiObject): void {
    fillDefaults(this.message, asJson(object));
    this.#defaults?.(object);
  }

  /** Rules that a message cannot express are in the rules of its kind. */
  validate(): readonly never[] {
    return NO_ERRORS;
  }
}

const NO_ERRORS: readonly never[] = [];

const models = new WeakMap<MessageType, MessageModel>();

/**
 * The model of a message that is not the message of a resource (options, reviews, views of objects). It has no
 * defaults.
 */
export function modelOf(message: MessageType): MessageModel {
  let model = models.get(message);
  if (model === undefined) models.set(message, (model = new MessageModel(message)));
  return model;
}
