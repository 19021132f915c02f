import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { isFields, textOf, textsOf } from '../answers.ts';
import type { Definition, Fields } from './definition.ts';

const PREFIXES = namingProfiles.map((profile) => createNaming(profile).extensionPrefix);
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
/** The fields of every object, whose types the library exports. */
const COMMON = ['apiVersion', 'kind', 'metadata'];

/**
 * A TypeScript module with the types of custom objects. For each served version of a definition it has an interface
 * (`GizmoV1`), and a value (`gizmosV1`) with which a client reads and writes such objects.
 *
 * @param from the name by which the module imports the client library
 * @returns the text of the module. It contains texts of a definition only in literals and comments.
 */
export function renderTypes(definitions: readonly Definition[], from: string): string {
  const names = new Set<string>();
  const parts = definitions.flatMap((definition) =>
    definition.versions.map((version) => new Renderer(names).version(definition, version.name, version.schema)),
  );
  const head = [
    `// Made by crd-to-types from ${definitions.map(({ plural, group }) => `${plural}.${group}`).join(', ')}.`,
    `import type { ApiObject, ResourceType } from ${quoted(from)};`,
  ];
  return `${[...head, ...parts.flatMap((lines) => ['', ...lines])].join('\n')}\n`;
}

/** Renders the interfaces of one version. */
class Renderer {
  readonly #names: Set<string>;
  readonly #interfaces: string[][] = [];

  /** @param names the names that the module already has; the renderer adds the names of its types */
  constructor(names: Set<string>) {
    this.#names = names;
  }

  version({ group, plural, kind, namespaced }: Definition, version: string, schema: Fields = {}): readonly string[] {
    const name = this.#free(kind + pascalCase(version));
    const fields = propertiesOf(schema).filter(([field]) => !COMMON.includes(field));
    const required = textsOf(schema['required']);
    const own = [
      ...comment(schema),
      `export interface ${name} extends ApiObject {`,
      ...fields.flatMap(([field, value]) => this.#property(name, field, value, required)),
      '}',
    ];
    const value = this.#free(camelCase(plural) + pascalCase(version));
    const declared = { group, version, plural, kind, namespaced };
    return [
      ...own,
      ...this.#interfaces.flat(),
      '',
      `/** ${plural}.${group} in version ${version}. */`,
      `export const ${value}: ResourceType<${name}> = {`,
      ...Object.entries(declared).map(([field, text]) => `  ${field}: ${literal(text)},`),
      '};',
    ];
  }

  #property(owner: string, field: string, schema: unknown, required: readonly string[]): string[] {
    const key = IDENTIFIER.test(field) ? field : quoted(field);
    const mark = required.includes(field) ? '' : '?';
    const fields = isFields(schema) ? schema : {};
    const type = this.#type(`${owner}${pascalCase(field)}`, fields);
    return [...comment(fields, '  '), `  ${key}${mark}: ${type};`];
  }

  /** @param name the name of the interface that the type may need */
  #type(name: string, schema: Fields): string {
    const type = this.#present(name, schema);
    return schema['nullable'] === true && type !== 'unknown' ? `${type} | null` : type;
  }

  #present(name: string, schema: Fields): string {
    if (extension(schema, 'int-or-string')) return 'number | string';
    const values = schema['enum'];
    if (Array.isArray(values) && values.length > 0)
      return [...new Set(values.filter((value) => value !== null || schema['nullable'] !== true).map(literal))].join(
        ' | ',
      );
    switch (schema['type']) {
      case 'string':
        return 'string';
      case 'integer':
      case 'number':
        return 'number';
      case 'boolean':
        return 'boolean';
      case 'array': {
        const item = this.#type(`${name}Item`, isFields(schema['items']) ? schema['items'] : {});
        return /[ |]/.test(item) ? `Array<${item}>` : `${item}[]`;
      }
      case 'object':
        return this.#object(name, schema);
      default:
        return 'unknown';
    }
  }

  #object(name: string, schema: Fields): string {
    if (extension(schema, 'embedded-resource')) return 'ApiObject';
    const properties = propertiesOf(schema);
    const more = schema['additionalProperties'];
    if (properties.length === 0)
      return isFields(more) ? `Record<string, ${this.#type(`${name}Value`, more)}>` : 'Record<string, unknown>';
    const own = this.#free(name);
    const lines = ['', `export interface ${own} {`];
    // The interface of an object precedes the interfaces of its fields.
    this.#interfaces.push(lines);
    const required = textsOf(schema['required']);
    lines.push(...properties.flatMap(([field, value]) => this.#property(own, field, value, required)));
    if (extension(schema, 'preserve-unknown-fields')) lines.push('  [field: string]: unknown;');
    lines.push('}');
    return own;
  }

  /** A name that the module does not have yet. */
  #free(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#names.has(name); number++) name = `${wanted}_${number}`;
    this.#names.add(name);
    return name;
  }
}

/**
 * The definitions are sorted by name. A server lists them in another order, but the types must equal those from a file.
 */
function propertiesOf(schema: Fields): readonly (readonly [name: string, schema: unknown])[] {
  const properties = isFields(schema['properties']) ? schema['properties'] : {};
  return Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Whether a schema has an extension, in the words of any naming profile. */
function extension(schema: Fields, name: string): boolean {
  return PREFIXES.some((prefix) => schema[prefix + name] === true);
}

function literal(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'boolean' || value === null) return String(value);
  return typeof value === 'number' && Number.isFinite(value) ? String(value) : 'unknown';
}

/** A text as a literal, in single quotes if the text does not contain one. */
function quoted(text: string): string {
  const json = JSON.stringify(text);
  return text.includes("'") ? json : `'${json.slice(1, -1).replaceAll('\\"', '"')}'`;
}

function comment(schema: Fields, indent = ''): string[] {
  const text = inComment(textOf(schema['description']).trim());
  if (text === '') return [];
  const lines = text.split(/\r?\n/);
  if (lines.length === 1) return [`${indent}/** ${text} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}

/** A text that cannot end the comment that contains it. */
function inComment(text: string): string {
  return text.replaceAll('*/', '*\\/').replace(/[\u2028\u2029]/g, ' ');
}

function pascalCase(text: string): string {
  return text
    .split(/\W+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}

function camelCase(text: string): string {
  const pascal = pascalCase(text);
  const name = pascal.slice(0, 1).toLowerCase() + pascal.slice(1);
  return /^\d/.test(name) ? `_${name}` : name;
}
