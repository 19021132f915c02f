import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import { openapiName } from '#schema/descriptors/openapi-name.ts';
import type { FieldType, JsonForm, MessageType, ScalarName, Schema, ValueType } from '#schema/descriptors/types.ts';
import { noWords, type WordsSource } from '#schema/words/load.ts';
import type { Words } from '#schema/words/words.ts';
import { MEMBERS } from '../api/documented-members.ts';
import type { ObjectModel } from '../api/object-model.ts';
import type { ServedResource } from '../api/served-resource.ts';
import { type Definition, type Form, reference } from './model.ts';

const SCALARS: Readonly<Record<ScalarName, () => JsonObject>> = {
  string: () => ({ type: 'string' }),
  bool: () => ({ type: 'boolean' }),
  int32: () => ({ type: 'integer', format: 'int32' }),
  int64: () => ({ type: 'integer', format: 'int64' }),
  double: () => ({ type: 'number', format: 'double' }),
  bytes: () => ({ type: 'string', format: 'byte' }),
  any: () => ({ type: 'object' }),
};

/** The defaults of single values in lists and maps. Bytes have none there. */
const ZEROS: Partial<Record<ScalarName, JsonValue>> = { string: '', bool: false, int32: 0, int64: 0, double: 0 };

type SpecialForm = Exclude<JsonForm, 'object' | 'items' | 'wire-only'>;

/** Schemas of messages that are not objects with their fields in JSON. OpenAPI 2.0 has no `oneOf`. */
const SPECIAL: Readonly<Record<SpecialForm, (form: Form) => JsonObject>> = {
  quantity: (form) => (form === 'v2' ? { type: 'string' } : { oneOf: [{ type: 'string' }, { type: 'number' }] }),
  'int-or-string': (form) =>
    form === 'v2'
      ? { type: 'string', format: 'int-or-string' }
      : { oneOf: [{ type: 'integer' }, { type: 'string' }], format: 'int-or-string' },
  time: () => ({ type: 'string', format: 'date-time' }),
  'micro-time': () => ({ type: 'string', format: 'date-time' }),
  duration: () => ({ type: 'string' }),
  any: () => ({}),
  'raw-object': () => ({ type: 'object' }),
  'fields-v1': () => ({ type: 'object' }),
  'schema-or-array': () => ({}),
  'schema-or-bool': () => ({}),
  'schema-or-strings': () => ({}),
};

/** The documented schema of an ignored field. */
const OFF = 'A field of a feature that is off: what it says is dropped.';

/** The part of a resource that documents use. */
export interface DocumentedResource extends Pick<ServedResource, 'type' | 'group' | 'version'> {
  readonly model: Pick<ObjectModel, 'message' | 'documented'>;
}

/** The definition of a message. */
export interface MessageDefinition extends Definition {
  schema(form: Form): JsonObject;
}

/** The definitions of the messages of `proto/`, one for each message, and of other models. */
export class MessageDefinitions {
  readonly #messages: Schema;
  readonly #naming: Naming;
  readonly #words: WordsSource;
  readonly #made = new Map<MessageType, MessageDefinition>();

  constructor(schema: Schema, naming: Naming, words = noWords) {
    this.#messages = schema;
    this.#naming = naming;
    this.#words = words;
  }

  /** A hash that differs if the words in documents differ. */
  get wordsHash(): string {
    return this.#words.hash;
  }

  /**
   * The definition of a model's objects. For models without a message it is made at each call, because these models
   * appear and disappear.
   */
  ofModel({ message, documented }: DocumentedResource['model']): Definition {
    if (message !== undefined) return this.of(message);
    if (documented === undefined) throw new Error('the model says nothing for documents');
    return this.#described(documented.name, ['meta.v1.ObjectMeta'], (form, point) => documented.schema(form, point));
  }

  /** The definition of lists of a resource's objects. */
  ofList({ type, model, group, version }: DocumentedResource): Definition {
    const kind = type.listKind ?? `${type.kind}List`;
    if (model.message !== undefined) {
      const list = this.#messages.kind(type.group, version, kind);
      if (list === undefined) throw new Error(`proto/ has no list kind for ${type.plural}`);
      return this.of(list);
    }
    const item = this.ofModel(model);
    const list = this.#described(
      `${item.name.slice(0, -type.kind.length)}${kind}`,
      ['meta.v1.ListMeta'],
      (form, point) => ({
        required: ['items'],
        properties: {
          apiVersion: { description: MEMBERS.apiVersion, type: 'string' },
          items: {
            description: `The objects of kind ${type.kind} in the list.`,
            type: 'array',
            items: reference(item, form),
          },
          kind: { description: MEMBERS.kind, type: 'string' },
          metadata: { ...point('meta.v1.ListMeta'), description: 'The state of the whole list, and where it goes on.' },
        },
        ...this.#extensions({ 'group-version-kind': [{ group, kind, version }] }),
      }),
    );
    return { ...list, references: [...list.references, item] };
  }

  #described(
    name: string,
    messages: readonly string[],
    schema: (form: Form, point: (message: string) => JsonObject) => JsonObject | Promise<JsonObject>,
  ): Definition {
    return {
      name,
      custom: true,
      references: messages.map((message) => this.of(this.#messages.message(message))),
      schema: (form) => schema(form, (message) => this.#pointer(this.of(this.#messages.message(message)), form)),
    };
  }

  #pointer(definition: Definition, form: Form): JsonObject {
    const pointer = reference(definition, form);
    // All other members of a reference are ignored, so defaults and extensions need another level.
    return form === 'v2' ? pointer : { allOf: [pointer] };
  }

  of(message: MessageType): MessageDefinition {
    let definition = this.#made.get(message);
    if (definition === undefined) this.#made.set(message, (definition = this.#make(message)));
    return definition;
  }

  #make(message: MessageType): MessageDefinition {
    const definitions = this;
    return {
      name: openapiName(message, this.#naming),
      get references() {
        return message.jsonForm === 'object' ? definitions.#referencesOf(message) : [];
      },
      schema: (form) => this.#schema(message, form),
      described: async (form) => this.#schema(message, form, await this.#words.load()),
    };
  }

  #referencesOf(message: MessageType): Definition[] {
    return [...message.jsonFields, ...message.off.values()].flatMap((field) => {
      if (field.message === undefined) return [];
      return field.message.jsonForm === 'items' ? this.#referencesOf(field.message) : [this.of(field.message)];
    });
  }

  #schema(message: MessageType, form: Form, words?: Words): JsonObject {
    const about = described(words?.ofMessage(message));
    if (message.jsonForm !== 'object') return { ...about, ...SPECIAL[message.jsonForm as SpecialForm](form) };
    const typeMeta = message.typeMeta ? (['apiVersion', 'kind'] as const) : [];
    const properties: JsonObject = Object.fromEntries(
      typeMeta.map((name) => [name, { ...described(words && MEMBERS[name]), type: 'string' }]),
    );
    for (const field of message.jsonFields) {
      properties[field.name] = {
        ...described(words?.ofField(message, field) ?? (words && membersWords(message, field))),
        ...this.#property(field, form, message),
      };
    }
    for (const field of message.off.values())
      properties[field.name] = { ...described(words && OFF), ...this.#property(field, form, message) };
    const required = message.jsonFields.filter((field) => field.required).map((field) => field.name);
    return {
      ...about,
      type: 'object',
      ...(required.length === 0 ? {} : { required }),
      ...(Object.keys(properties).length === 0 ? {} : { properties: sorted(properties) }),
      ...this.#extensions({
        'group-version-kind': message.gvks.map(({ group, version, kind }) => ({
          group: this.#naming.group(group),
          kind,
          version,
        })),
        'map-type': message.mapType,
        unions: message.unions as JsonValue[],
      }),
    };
  }

  #property(field: FieldType, form: Form, { shortName }: MessageType): JsonObject {
    const value = field.repeated
      ? { type: 'array', items: this.#item(field, form) }
      : field.map
        ? { type: 'object', additionalProperties: this.#item(field, form) }
        : this.#value(field, form);
    const published = form === 'v3' && this.#showsDefault(field) ? { default: field.default as JsonValue } : {};
    return {
      ...value,
      ...published,
      ...(field.enumPublished && field.enum !== undefined ? { enum: [...field.enum] } : {}),
      ...this.#extensions({
        ...(this.#showsList(field, shortName)
          ? listExtensions(field)
          : { 'list-map-keys': field.listMapKeys && [...field.listMapKeys], 'list-type': field.listType }),
        'map-type': field.mapType,
        'patch-merge-key': field.patchMergeKey,
        'patch-strategy': field.patchStrategy.length === 0 ? undefined : field.patchStrategy.join(','),
      }),
    };
  }

  /**
   * Whether documents show the default of a field. Since 1.29 they leave out an empty object as the default of a value
   * that is not an object, such as a time or an amount.
   */
  #showsDefault({ default: value, message, repeated, map }: FieldType): boolean {
    if (value === undefined) return false;
    const isObject = repeated || map || message === undefined || message.jsonForm === 'object';
    return isObject || !this.#messages.release.atLeast(29);
  }

  /**
   * Whether documents say how a list is merged. Since 1.30 they do, except for the items of lists of objects, and for
   * verbs.
   */
  #showsList({ name, repeated }: FieldType, owner: string): boolean {
    if (!repeated || !this.#messages.release.atLeast(30)) return false;
    return !(name === 'items' && owner.endsWith('List')) && !(name === 'verbs' && owner === 'APIResource');
  }

  /** The schema of a list item or map value. Since 1.37 it has no default. */
  #item(type: ValueType, form: Form): JsonObject {
    if (form === 'v3' && this.#messages.release.atLeast(37)) {
      const { message } = type;
      if (message === undefined || message.jsonForm === 'items') return this.#value(type, form);
      return reference(this.of(message), form);
    }
    const value = this.#value(type, form);
    if (form === 'v2') return value;
    const zero = type.message === undefined ? ZEROS[type.scalar!] : type.message.jsonForm === 'items' ? undefined : {};
    return zero === undefined ? value : { ...value, default: zero };
  }

  #value(type: ValueType, form: Form): JsonObject {
    if (type.message === undefined) return SCALARS[type.scalar!]();
    if (type.message.jsonForm === 'items') {
      const [items] = type.message.jsonFields;
      return { type: 'array', items: this.#item(items!, form) };
    }
    return this.#pointer(this.of(type.message), form);
  }

  #extensions(values: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
    const prefix = this.#naming.extensionPrefix;
    const result: JsonObject = {};
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
      result[prefix + name] = value;
    }
    return result;
  }
}

/** The extensions that say how a list is merged: by its own declaration, or by its strategy for patches. */
function listExtensions({ listType, listMapKeys, patchStrategy, patchMergeKey }: FieldType): JsonObject {
  if (listType !== undefined)
    return { 'list-type': listType, ...(listMapKeys !== undefined && { 'list-map-keys': [...listMapKeys] }) };
  if (!patchStrategy.includes('merge')) return { 'list-type': 'atomic' };
  if (patchMergeKey === undefined) return { 'list-type': 'set' };
  return { 'list-map-keys': [patchMergeKey], 'list-type': 'map' };
}

function described(text: string | undefined): JsonObject {
  return text === undefined ? {} : { description: text };
}

/** The documented schema of `metadata` in every kind. */
function membersWords({ typeMeta }: MessageType, { name, message }: FieldType): string | undefined {
  return typeMeta && name === 'metadata' && message?.shortName === 'ObjectMeta' ? MEMBERS.metadata : undefined;
}

function sorted(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
