import type { FieldType, MessageType, ScalarName } from '../descriptors/types.ts';

const scalarTypes: Readonly<Record<ScalarName, string>> = {
  string: 'string',
  bool: 'boolean',
  int32: 'number',
  int64: 'number',
  double: 'number',
  bytes: 'string',
  any: 'JsonValue',
};

/** Messages that api-object.ts writes out by hand. */
const metadataTypes: ReadonlySet<string> = new Set([
  'meta.v1.ObjectMeta',
  'meta.v1.OwnerReference',
  'meta.v1.ManagedFieldsEntry',
]);

/**
 * Renders the TypeScript module with the types of the messages of one package, in their JSON form.
 *
 * @param extensionPrefix the beginning of the names of extensions, which become an index signature
 * @example renderPackage('core.v1', [schema.message('core.v1.Pod')], 'x-orch-') // a module with the type Pod
 */
export function renderPackage(name: string, messages: readonly MessageType[], extensionPrefix: string): string {
  const imports = new Imports(name);
  const blocks = messages.flatMap((message) => {
    const text = renderMessage(message, imports, extensionPrefix);
    return text === undefined ? [] : [text];
  });
  return `${[`// Made by npm run generate from proto/${name}.proto.`, ...imports.lines(), ...blocks].join('\n')}\n`;
}

/** The imports of a file. */
class Imports {
  readonly #package: string;
  readonly #names = new Map<string, Set<string>>();

  constructor(packageName: string) {
    this.#package = packageName;
  }

  add(module: string, name: string): string {
    const names = this.#names.get(module);
    if (names === undefined) this.#names.set(module, new Set([name]));
    else names.add(name);
    return name;
  }

  /** The name of the message in this file. A message of another package is imported. */
  message(message: MessageType): string {
    if (metadataTypes.has(message.name)) return this.add('../objects/api-object.ts', message.shortName);
    if (message.package === this.#package) return message.shortName;
    const alias = `${camel(message.package)}${message.shortName}`;
    this.add(`./${message.package}.ts`, `${message.shortName} as ${alias}`);
    return alias;
  }

  lines(): string[] {
    return [...this.#names].sort().map(([module, names]) => {
      return `import type { ${[...names].sort().join(', ')} } from '${module}';`;
    });
  }
}

function camel(packageName: string): string {
  return packageName.replace(/(?:^|[.-])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function renderMessage(message: MessageType, imports: Imports, extensionPrefix: string): string | undefined {
  if (metadataTypes.has(message.name)) return `export type { ${message.shortName} } from '../objects/api-object.ts';`;
  if (message.jsonForm === 'wire-only') return undefined;
  if (message.jsonForm !== 'object') return `export type ${message.shortName} = ${formType(message, imports)};`;
  const lines: string[] = [];
  const metadata = message.byJsonName.get('metadata')?.message?.name;
  const object = message.typeMeta && metadata === 'meta.v1.ObjectMeta';
  if (message.typeMeta) lines.push('  apiVersion?: string;', '  kind?: string;');
  let extensions = false;
  for (const field of message.jsonFields) {
    if (field.name.startsWith(extensionPrefix)) extensions = true;
    else if (object && field.name === 'metadata') lines.push(`  metadata: ${imports.message(field.message!)};`);
    else lines.push(`  ${propertyName(field.name)}${field.omitempty ? '?' : ''}: ${fieldType(field, imports)};`);
  }
  if (extensions) lines.push('  [extension: string]: unknown;');
  const base = object ? ` extends ${imports.add('../objects/api-object.ts', 'ApiObject')}` : '';
  if (lines.length === 0) return `export type ${message.shortName} = Record<string, never>;`;
  return `export interface ${message.shortName}${base} {\n${lines.join('\n')}\n}`;
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}

function fieldType(field: FieldType, imports: Imports): string {
  const value = valueType(field, imports);
  const type = field.map ? `Record<string, ${value}>` : field.repeated ? listOf(value) : value;
  return isNullable(field) ? `${type} | null` : type;
}

/** Lists, maps, bytes and pointers that are always written have the value null if they are missing. */
function isNullable(field: FieldType): boolean {
  if (field.omitempty) return false;
  return field.map || field.repeated || field.pointer || field.scalar === 'bytes';
}

function listOf(type: string): string {
  return /^\w+$/.test(type) ? `${type}[]` : `(${type})[]`;
}

function valueType(value: { scalar?: ScalarName; message?: MessageType }, imports: Imports): string {
  if (value.scalar === 'any') return imports.add('#base/json/json-value.ts', 'JsonValue');
  if (value.scalar !== undefined) return scalarTypes[value.scalar];
  const message = value.message!;
  return message.jsonForm === 'object' ? imports.message(message) : formType(message, imports);
}

function formType(message: MessageType, imports: Imports): string {
  const first = message.fields[0]!;
  switch (message.jsonForm) {
    case 'quantity':
    case 'duration':
      return 'string';
    case 'int-or-string':
      return 'number | string';
    case 'time':
    case 'micro-time':
      return 'string | null';
    case 'any':
    case 'wire-only':
      return imports.add('#base/json/json-value.ts', 'JsonValue');
    case 'raw-object':
      return `${imports.add('#base/json/json-value.ts', 'JsonObject')} | null`;
    case 'fields-v1':
      return imports.add('#base/json/json-value.ts', 'JsonObject');
    case 'items':
      return listOf(valueType(first, imports));
    case 'schema-or-array':
      return union(message, imports, (schema) => `${schema} | ${schema}[]`);
    case 'schema-or-bool':
      return union(message, imports, (schema) => `${schema} | boolean`);
    case 'schema-or-strings':
      return union(message, imports, (schema) => `${schema} | string[]`);
    case 'object':
      throw new Error(`${message.name} is no value form`);
  }
}

function union(message: MessageType, imports: Imports, make: (schema: string) => string): string {
  const schema = message.fields.find((field) => field.message?.jsonForm === 'object')?.message;
  return make(imports.message(schema!));
}
