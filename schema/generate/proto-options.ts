import protobuf from 'protobufjs';
import { table } from '#base/collections/own-properties.ts';
import { ProtoError, type ProtoOptions } from '../descriptors/proto-data.ts';

/** The parts that an option may belong to. */
export type OptionTarget = 'file' | 'message' | 'field';

const extended: Readonly<Record<string, OptionTarget>> = table({
  'google.protobuf.FileOptions': 'file',
  'google.protobuf.MessageOptions': 'message',
  'google.protobuf.FieldOptions': 'field',
});

/** Options of the protobuf language itself that the files use. */
const standard: Readonly<Record<OptionTarget, Readonly<Record<string, string>>>> = {
  file: {},
  message: { deprecated: 'bool' },
  field: { deprecated: 'bool', json_name: 'string' },
};

const scalarTypes: Readonly<Record<string, string>> = table({ string: 'string', bool: 'boolean', int32: 'number' });

/** The options that `options.proto` declares. Every option in the other files is checked against them. */
export class OptionTable {
  readonly #declared: Readonly<Record<OptionTarget, Map<string, protobuf.Field>>> = {
    file: new Map(),
    message: new Map(),
    field: new Map(),
  };

  /** @param text the text of `options.proto` */
  constructor(text: string) {
    for (const item of protobuf.parse(text, { keepCase: true }).root.nestedArray) {
      if (!(item instanceof protobuf.Field)) continue;
      const target = extended[item.extend ?? ''];
      if (target !== undefined) this.#declared[target].set(item.name, item);
    }
  }

  /**
   * Options of a parsed object; undefined if it has none.
   * @throws ProtoError for names and types that are not declared
   */
  read(target: OptionTarget, object: protobuf.ReflectionObject): ProtoOptions | undefined {
    const result = new Map<string, unknown>();
    // Only parsedOptions keeps repeated and message values. It is a list, although its declared type is not.
    for (const entry of (object.parsedOptions ?? []) as unknown as Record<string, unknown>[]) {
      for (const [written, value] of Object.entries(entry)) {
        const where = `${object.fullName}: option ${written}`;
        const name = /^\((.*)\)$/.exec(written)?.[1];
        if (name === undefined) {
          result.set(written, scalar(where, standard[target][written], value));
          continue;
        }
        const declared = this.#declared[target].get(name);
        if (declared === undefined) throw new ProtoError(`${where} is not declared for a ${target}`);
        const read = single(where, declared, value);
        if (declared.repeated) result.set(name, [...((result.get(name) as unknown[] | undefined) ?? []), read]);
        else result.set(name, read);
      }
    }
    return result.size === 0 ? undefined : Object.fromEntries(result);
  }
}

function single(where: string, declared: protobuf.Field, value: unknown): unknown {
  const type = declared.resolvedType ?? declared.resolve().resolvedType;
  if (!(type instanceof protobuf.Type)) return scalar(where, declared.type, value);
  if (typeof value !== 'object' || value === null) throw new ProtoError(`${where} is not a message`);
  const result: Record<string, unknown> = table();
  for (const [name, inner] of Object.entries(value)) {
    const field = type.fields[name];
    if (field === undefined) throw new ProtoError(`${where} has no field ${name}`);
    const path = `${where}.${name}`;
    if (!field.repeated) result[name] = single(path, field, inner);
    else result[name] = (Array.isArray(inner) ? inner : [inner]).map((item) => single(path, field, item));
  }
  return result;
}

function scalar(where: string, type: string | undefined, value: unknown): unknown {
  if (type === undefined) throw new ProtoError(`${where} is not known`);
  if (typeof value !== scalarTypes[type]) throw new ProtoError(`${where} is not a ${type}`);
  return value;
}
