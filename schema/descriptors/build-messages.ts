import { table } from '#base/collections/own-properties.ts';
import type { JsonValue } from '#base/json/json-value.ts';
import { boundsOf } from './field-bounds.ts';
import { originOf } from './field-origin.ts';
import { publishedKinds } from './kind-names.ts';
import { ProtoError, type ProtoField, type ProtoFile, type ProtoMessage, type ProtoOptions } from './proto-data.ts';
import { DefaultError, typedDefault } from './typed-default.ts';
import type { FieldType, JsonForm, ListType, MessageType, ResourceType, ScalarName, ValueType } from './types.ts';

/** A message whose fields and resource are not complete yet. */
export type MessageDraft = { -readonly [K in keyof MessageType]: MessageType[K] };

/** A message as it is declared, and the file that declares it. */
export interface DeclaredMessage {
  readonly parsed: ProtoMessage;
  readonly options: ProtoOptions;
  readonly file: ProtoFile;
}

/** A message, its options and the file that declares it. */
export interface BuiltMessage extends DeclaredMessage {
  readonly type: MessageDraft;
}

const NONE: ProtoOptions = {};
const NO_FIELDS: ReadonlyMap<string, FieldType> = new Map();
const scalars: ReadonlySet<string> = new Set(['string', 'bool', 'int32', 'int64', 'double', 'bytes']);
const zeros: Readonly<Record<string, unknown>> = table({ string: '', bool: false, int32: 0, int64: 0, double: 0 });
const scalarFormats: Readonly<Record<string, string>> = table({
  int32: 'int32',
  int64: 'int64',
  double: 'double',
  bytes: 'byte',
});
const formFormats: Partial<Record<JsonForm, string>> = {
  time: 'date-time',
  'micro-time': 'micro-time',
  quantity: 'quantity',
  'int-or-string': 'int-or-string',
};

/** All messages of files, by full name. */
export function declaredMessages(files: readonly ProtoFile[]): Map<string, DeclaredMessage> {
  const declared = new Map<string, DeclaredMessage>();
  for (const file of files)
    for (const parsed of file.messages)
      declared.set(`${file.package}.${parsed.name}`, { parsed, options: parsed.options ?? NONE, file });
  return declared;
}

/**
 * Makes descriptors at their first use: of a message and of all messages to which it refers. References are resolved,
 * and inline fields are unfolded. So a program that needs one kind does not make all descriptors.
 */
export class MessageBuilder {
  readonly #declared: ReadonlyMap<string, DeclaredMessage>;
  readonly #extensionPrefix: string;
  readonly #finish: (built: BuiltMessage) => void;
  readonly #built = new Map<string, BuiltMessage>();
  /** Fields in the order of their declaration. */
  readonly #fields = new Map<MessageType, readonly FieldType[]>();
  /** Messages that have no fields yet. */
  #drafts: BuiltMessage[] = [];

  /**
   * @param extensionPrefix the start of the names of schema extensions, `x-…-`
   * @param finish completes a message after its fields are made
   */
  constructor(
    declared: ReadonlyMap<string, DeclaredMessage>,
    extensionPrefix: string,
    finish: (built: BuiltMessage) => void,
  ) {
    this.#declared = declared;
    this.#extensionPrefix = extensionPrefix;
    this.#finish = finish;
  }

  /**
   * A message by its full name; undefined if there is none.
   * @throws ProtoError if it refers to a missing type
   */
  message(name: string): MessageType | undefined {
    const message = this.#draftOf(name);
    const made: BuiltMessage[] = [];
    for (let next = this.#drafts.pop(); next !== undefined; next = this.#drafts.pop()) {
      const built = next;
      const fields = built.parsed.fields.map((field) => this.#field(built, field));
      this.#fields.set(built.type, fields);
      const off = (built.parsed.off ?? []).map((field) => this.#field(built, field));
      if (off.length > 0) built.type.off = new Map(off.map((field) => [field.name, field]));
      built.type.fields = fields.toSorted((a, b) => (a.number ?? Infinity) - (b.number ?? Infinity));
      made.push(built);
    }
    for (const built of made) {
      built.type.jsonFields = this.#unfold(built.type);
      built.type.byJsonName = new Map(built.type.jsonFields.map((field) => [field.name, field]));
      this.#finish(built);
    }
    return message?.type;
  }

  /** A message, which may lack its fields. */
  #draftOf(name: string): BuiltMessage | undefined {
    const known = this.#built.get(name);
    if (known !== undefined) return known;
    const declared = this.#declared.get(name);
    if (declared === undefined) return undefined;
    const message: BuiltMessage = { ...declared, type: draft(declared) };
    this.#built.set(name, message);
    this.#drafts.push(message);
    return message;
  }

  #field(owner: BuiltMessage, parsed: ProtoField): FieldType {
    return buildField(owner, parsed, this.#valueType(owner, parsed), this.#extensionPrefix);
  }

  #valueType(owner: BuiltMessage, { name, type, options = NONE }: ProtoField): ValueType {
    if (options['any'] === true) return { scalar: 'any' };
    if (scalars.has(type)) return { scalar: type as ScalarName };
    const found = this.#draftOf(`${owner.file.package}.${type}`) ?? this.#draftOf(type);
    if (found === undefined) throw new ProtoError(`${owner.type.name}.${name}: no message ${type}`);
    return { message: found.type };
  }

  /** The declared fields of a message. An inline message is replaced by its fields. */
  #unfold(type: MessageType): FieldType[] {
    return this.#fields
      .get(type)!
      .flatMap((field) => (field.inline && field.message ? this.#unfold(field.message) : [field]));
  }
}

function draft({ parsed, options, file }: DeclaredMessage): MessageDraft {
  const shortName = parsed.name;
  return {
    name: `${file.package}.${shortName}`,
    shortName,
    package: file.package,
    jsonForm: (options['json_form'] ?? 'object') as JsonForm,
    typeMeta: options['type_meta'] === true,
    fields: [],
    jsonFields: [],
    byJsonName: new Map<string, FieldType>(),
    off: NO_FIELDS,
    mapType: options['map_type'] as MessageType['mapType'],
    published: options['unpublished'] !== true,
    openapiName: `${file.options?.['openapi_prefix'] ?? ''}${shortName}`,
    gvks: publishedKinds(file, parsed),
    unions: ((options['union'] ?? []) as UnionOption[]).map((union) => ({
      discriminator: union.discriminator,
      'fields-to-discriminateBy': Object.fromEntries(union.member.map(({ field, value }) => [field, value])),
    })),
    confidential: options['confidential'] === true,
    resource: undefined as ResourceType | undefined,
    since: options['kind_since'] as string | undefined,
    versionSince: file.options?.['version_since'] as string | undefined,
  };
}

interface UnionOption {
  discriminator: string;
  member: { field: string; value: string }[];
}

function buildField(owner: BuiltMessage, parsed: ProtoField, value: ValueType, extensionPrefix: string): FieldType {
  const { options = NONE, repeated = false, map = false, optional: pointer = false } = parsed;
  const inline = options['inline'] === true;
  const required = options['required'] === true;
  const extension = options['extension'] as string | undefined;
  const defaultsTo = defaultOf(`${owner.type.name}.${parsed.name}`, options, repeated || map ? {} : value);
  const omitempty = !required && options['keep'] !== true && owner.type.jsonForm === 'object';
  return {
    ...value,
    name: extension === undefined ? ((options['json_name'] ?? parsed.name) as string) : extensionPrefix + extension,
    wireName: parsed.name,
    number: owner.options['json_only'] === true ? undefined : parsed.id,
    repeated,
    map,
    pointer,
    omitempty,
    emptyDiffers: options['empty_differs'] === true,
    emptyInRequests: options['empty_in_requests'] === true,
    inline,
    required,
    default:
      (options['default_unpublished'] === true ? undefined : defaultsTo) ??
      zeroDefault(value, !(map || pointer || inline || repeated), omitempty),
    defaultsTo,
    enum: words(options, 'enum'),
    enumPublished: options['enum'] !== undefined && options['enum_unpublished'] !== true,
    format:
      value.scalar !== undefined ? scalarFormats[value.scalar] : value.message && formFormats[value.message.jsonForm],
    listType: options['list_type'] as ListType | undefined,
    listMapKeys: words(options, 'list_map_keys'),
    mapType: options['field_map_type'] as FieldType['mapType'],
    patchStrategy: words(options, 'patch_strategy') ?? [],
    patchMergeKey: options['patch_merge_key'] as string | undefined,
    deprecated: options['deprecated'] === true,
    bounds: boundsOf(`${owner.type.name}.${parsed.name}`, options),
    origin: originOf(options),
  };
}

/** The default of a field. @throws ProtoError if the field cannot have this value */
function defaultOf(field: string, options: ProtoOptions, type: ValueType): JsonValue | undefined {
  const text = options['default'] as string | undefined;
  if (text === undefined) {
    if (options['default_unpublished'] !== true) return undefined;
    throw new ProtoError(`${field}: there is no default that could be unpublished`);
  }
  try {
    return typedDefault(text, type, words(options, 'enum'));
  } catch (error) {
    throw error instanceof DefaultError ? new ProtoError(`${field}: default ${error.message}`) : error;
  }
}

/** In published documents, a single value has its zero as the default, unless it may be absent. */
function zeroDefault(value: ValueType, single: boolean, omitempty: boolean): unknown {
  if (!single) return undefined;
  if (value.message !== undefined) return value.message.jsonForm === 'items' ? undefined : {};
  return omitempty ? undefined : zeros[value.scalar ?? ''];
}

function words(options: ProtoOptions, name: string): string[] | undefined {
  return (options[name] as string | undefined)?.split('|');
}
