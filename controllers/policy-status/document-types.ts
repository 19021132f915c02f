import {
  BOOL,
  BYTES,
  type CelField,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  TIMESTAMP,
} from '#server/expressions/cel-type.ts';
import { selectedBy } from '#server/expressions/field-names.ts';

/**
 * The parts of a schema of a published document (https://spec.openapis.org/oas/v3.0.3#schema-object) that types need.
 */
export interface DocumentSchema {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, DocumentSchema>>;
  readonly items?: DocumentSchema;
  readonly additionalProperties?: DocumentSchema | boolean;
  readonly allOf?: readonly DocumentSchema[];
  readonly oneOf?: readonly DocumentSchema[];
  readonly $ref?: string;
  readonly [extension: string]: unknown;
}

/** The names of extensions in documents, which depend on the naming. */
export interface ExtensionNames {
  readonly kinds: string;
  readonly intOrString: string;
}

const TEXTS: ReadonlyMap<string, CelType> = new Map([
  ['byte', BYTES],
  ['duration', DURATION],
  ['date', TIMESTAMP],
  ['date-time', TIMESTAMP],
]);

/** The types of values by the schemas of one document. A schema that contains itself has no type inside itself. */
export class DocumentTypes {
  readonly #schemas: Readonly<Record<string, DocumentSchema>>;
  readonly #names: ExtensionNames;
  readonly #known = new Map<string, CelType | undefined>();
  readonly #under = new Set<string>();

  constructor(schemas: Readonly<Record<string, DocumentSchema>>, names: ExtensionNames) {
    this.#schemas = schemas;
    this.#names = names;
  }

  /** The type of the objects of a kind; undefined if the document does not contain it. */
  ofKind(group: string, version: string, kind: string): CelType | undefined {
    const found = Object.entries(this.#schemas).find(([, schema]) => {
      const kinds = schema[this.#names.kinds];
      if (!Array.isArray(kinds)) return false;
      return (kinds as Readonly<Record<string, string>>[]).some(
        (each) => (each['group'] ?? '') === group && each['version'] === version && each['kind'] === kind,
      );
    });
    return found && this.#named(found[0]);
  }

  #named(name: string): CelType | undefined {
    if (this.#known.has(name)) return this.#known.get(name);
    if (this.#under.has(name) || !Object.hasOwn(this.#schemas, name)) return undefined;
    this.#under.add(name);
    const type = this.#type(this.#schemas[name]!);
    this.#under.delete(name);
    this.#known.set(name, type);
    return type;
  }

  #type(schema: DocumentSchema): CelType | undefined {
    const reference = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]!.$ref : undefined);
    if (reference !== undefined) return this.#named(reference.slice(reference.lastIndexOf('/') + 1));
    if (schema.format === 'int-or-string' || schema[this.#names.intOrString] === true) return DYN;
    switch (schema.type ?? (schema.oneOf?.some(({ type }) => type === 'string') ? 'string' : undefined)) {
      case 'array': {
        const item = schema.items && this.#type(schema.items);
        return item && listOf(item);
      }
      case 'object':
        return this.#object(schema);
      case 'string':
        return TEXTS.get(schema.format ?? '') ?? STRING;
      case 'boolean':
        return BOOL;
      case 'number':
        return DOUBLE;
      case 'integer':
        return INT;
      default:
        return undefined;
    }
  }

  #object({ properties, additionalProperties }: DocumentSchema): CelType | undefined {
    if (typeof additionalProperties === 'object') {
      const value = this.#type(additionalProperties);
      return value && mapOf(STRING, value);
    }
    const fields = new Map<string, CelField>();
    for (const [name, property] of Object.entries(properties ?? {})) {
      const type = this.#type(property);
      if (type === undefined) continue;
      for (const selected of selectedBy(name)) fields.set(selected, { name, type, size: 0 });
    }
    return { kind: 'object', fields, least: 2 };
  }
}
