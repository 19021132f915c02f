import protobuf from 'protobufjs';
import { table } from '#base/collections/own-properties.ts';
import type { JsonValue } from '#base/json/json-value.ts';
import { groupOf, versionOf } from '../values/api-version.ts';
import type { ProtoFile, ProtoFolder } from './proto-folder.ts';
import { type Options, type OptionTable, ProtoError } from './proto-options.ts';
import { DefaultError, typedDefault } from './typed-default.ts';
import type {
  FieldType,
  GroupVersionKind,
  JsonForm,
  ListType,
  MessageType,
  ResourceType,
  ScalarName,
  ValueType,
} from './types.ts';

/** A message whose fields and resource are still being filled in. */
export type MessageDraft = { -readonly [K in keyof MessageType]: MessageType[K] };

/** A message, its options and the file it stands in. */
export interface BuiltMessage {
  readonly type: MessageDraft;
  readonly options: Options;
  readonly file: ProtoFile;
}

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

/**
 * Makes the descriptors of all messages, references resolved, inline fields unfolded.
 * @param extensionPrefix what stands before the names of schema extensions, `x-…-`
 */
export function buildMessages(folder: ProtoFolder, extensionPrefix: string): Map<string, BuiltMessage> {
  const built = new Map<string, BuiltMessage>();
  const declared: { message: BuiltMessage; parsed: protobuf.Type }[] = [];
  for (const file of folder.files) {
    for (const parsed of file.messages) {
      const options = folder.table.read('message', parsed);
      const message = { type: draft(file, parsed.name, options), options, file };
      built.set(message.type.name, message);
      declared.push({ message, parsed });
    }
  }
  const context = { built, table: folder.table, extensionPrefix };
  const fields = new Map<MessageType, readonly FieldType[]>();
  for (const { message, parsed } of declared) {
    const inOrder = parsed.fieldsArray.map((field) => buildField(context, message, field));
    fields.set(message.type, inOrder);
    message.type.fields = inOrder.toSorted((a, b) => (a.number ?? Infinity) - (b.number ?? Infinity));
  }
  for (const { type } of built.values()) {
    type.jsonFields = unfold(fields, type);
    type.byJsonName = new Map(type.jsonFields.map((field) => [field.name, field]));
  }
  return built;
}

function draft(file: ProtoFile, shortName: string, options: Options): MessageDraft {
  const published = options.get('unpublished') !== true;
  const typeMeta = options.get('type_meta') === true;
  return {
    name: `${file.package}.${shortName}`,
    shortName,
    package: file.package,
    jsonForm: (options.get('json_form') ?? 'object') as JsonForm,
    typeMeta,
    fields: [],
    jsonFields: [],
    byJsonName: new Map<string, FieldType>(),
    mapType: options.get('map_type') as MessageType['mapType'],
    published,
    openapiName: `${fileText(file, 'openapi_prefix')}${shortName}`,
    gvks: published ? kindsOf(file, shortName, options, typeMeta) : [],
    unions: ((options.get('union') ?? []) as UnionOption[]).map((union) => ({
      discriminator: union.discriminator,
      'fields-to-discriminateBy': Object.fromEntries(union.member.map(({ field, value }) => [field, value])),
    })),
    confidential: options.get('confidential') === true,
    resource: undefined as ResourceType | undefined,
  };
}

interface UnionOption {
  discriminator: string;
  member: { field: string; value: string }[];
}

function fileText(file: ProtoFile, name: string): string {
  return (file.options.get(name) ?? '') as string;
}

function kindsOf(file: ProtoFile, kind: string, options: Options, typeMeta: boolean): GroupVersionKind[] {
  const core = { group: '', version: 'v1', kind };
  if (options.get('core_kind') === true) return [core];
  if (options.get('kind_of_every_group') === true) {
    const others = (file.options.get('api_version') ?? []) as string[];
    return [core, ...others.map((text) => ({ group: groupOf(text), version: versionOf(text), kind }))];
  }
  return typeMeta ? [{ group: fileText(file, 'group'), version: fileText(file, 'version'), kind }] : [];
}

interface FieldContext {
  readonly built: ReadonlyMap<string, BuiltMessage>;
  readonly table: OptionTable;
  readonly extensionPrefix: string;
}

function buildField(context: FieldContext, owner: BuiltMessage, parsed: protobuf.Field): FieldType {
  const options = context.table.read('field', parsed);
  const value = valueType(context.built, owner, parsed, options);
  const inline = options.get('inline') === true;
  const required = options.get('required') === true;
  const map = parsed instanceof protobuf.MapField;
  const pointer = parsed.options?.['proto3_optional'] === true;
  const extension = options.get('extension') as string | undefined;
  const defaultsTo = defaultOf(options, parsed, parsed.repeated || map ? {} : value);
  const omitempty = !required && options.get('keep') !== true && owner.type.jsonForm === 'object';
  return {
    ...value,
    name:
      extension === undefined
        ? ((options.get('json_name') ?? parsed.name) as string)
        : context.extensionPrefix + extension,
    wireName: parsed.name,
    number: owner.options.get('json_only') === true ? undefined : parsed.id,
    repeated: parsed.repeated,
    map,
    pointer,
    omitempty,
    emptyDiffers: options.get('empty_differs') === true,
    emptyInRequests: options.get('empty_in_requests') === true,
    inline,
    required,
    default:
      (options.get('default_unpublished') === true ? undefined : defaultsTo) ??
      zeroDefault(value, !(map || pointer || inline || parsed.repeated), omitempty),
    defaultsTo,
    enum: words(options, 'enum'),
    enumPublished: options.has('enum') && options.get('enum_unpublished') !== true,
    format:
      value.scalar !== undefined ? scalarFormats[value.scalar] : value.message && formFormats[value.message.jsonForm],
    listType: options.get('list_type') as ListType | undefined,
    listMapKeys: words(options, 'list_map_keys'),
    mapType: options.get('field_map_type') as FieldType['mapType'],
    patchStrategy: words(options, 'patch_strategy') ?? [],
    patchMergeKey: options.get('patch_merge_key') as string | undefined,
    deprecated: options.get('deprecated') === true,
  };
}

function valueType(
  built: ReadonlyMap<string, BuiltMessage>,
  owner: BuiltMessage,
  parsed: protobuf.Field,
  options: Options,
): ValueType {
  if (options.get('any') === true) return { scalar: 'any' };
  if (scalars.has(parsed.type)) return { scalar: parsed.type as ScalarName };
  const found = built.get(`${owner.file.package}.${parsed.type}`) ?? built.get(parsed.type);
  if (found === undefined) throw new ProtoError(`${owner.type.name}.${parsed.name}: no message ${parsed.type}`);
  return { message: found.type };
}

/** What a field is set to where it is unset. Throws a {@link ProtoError} on what it could not be. */
function defaultOf(options: Options, parsed: protobuf.Field, type: ValueType): JsonValue | undefined {
  const text = options.get('default') as string | undefined;
  if (text === undefined) {
    if (options.get('default_unpublished') !== true) return undefined;
    throw new ProtoError(`${parsed.fullName}: there is no default that could be unpublished`);
  }
  try {
    return typedDefault(text, type, words(options, 'enum'));
  } catch (error) {
    throw error instanceof DefaultError ? new ProtoError(`${parsed.fullName}: default ${error.message}`) : error;
  }
}

/** Published documents give single values their zero as default, unless they may be absent. */
function zeroDefault(value: ValueType, single: boolean, omitempty: boolean): unknown {
  if (!single) return undefined;
  if (value.message !== undefined) return value.message.jsonForm === 'items' ? undefined : {};
  return omitempty ? undefined : zeros[value.scalar ?? ''];
}

function words(options: Options, name: string): string[] | undefined {
  return (options.get(name) as string | undefined)?.split('|');
}

/** The fields of a message as declared, those of inline messages in their place. */
function unfold(fields: ReadonlyMap<MessageType, readonly FieldType[]>, type: MessageType): FieldType[] {
  return fields
    .get(type)!
    .flatMap((field) => (field.inline && field.message ? unfold(fields, field.message) : [field]));
}
