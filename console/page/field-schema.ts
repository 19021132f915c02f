import { type Schema, Schemas } from '#client/open-api/schemas.ts';
import type { KindSchema } from '../protocol/object-messages.ts';
import type { Step } from './yaml-path.ts';

/** The description of a field. */
export interface FieldWords {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
  /** Default, values and bounds, each with its name. */
  readonly facts: readonly { readonly name: string; readonly text: string }[];
}

/** The bounds in schemas, with names for people. */
const BOUNDS: readonly [key: string, name: string][] = [
  ['default', 'Default'],
  ['enum', 'Values'],
  ['minimum', 'At least'],
  ['maximum', 'At most'],
  ['minLength', 'Characters at least'],
  ['maxLength', 'Characters at most'],
  ['minItems', 'Items at least'],
  ['maxItems', 'Items at most'],
  ['pattern', 'Pattern'],
  ['format', 'Format'],
];

/** The published schemas of the fields of a kind. */
export class FieldSchemas {
  readonly #schemas: Schemas;
  readonly #root: Schema;

  constructor({ root, definitions }: KindSchema) {
    this.#schemas = new Schemas(definitions);
    this.#root = root;
  }

  get root(): Schema {
    return this.#root;
  }

  /** The schema of a field; undefined if the kind has no such field. */
  at(path: readonly Step[]): Schema | undefined {
    let schema: Schema | undefined = this.#root;
    for (const step of path) {
      schema = schema === undefined ? undefined : this.below(schema, step);
      if (schema === undefined) return undefined;
    }
    return schema;
  }

  /** The schema of a member or an item. */
  below(schema: Schema, step: Step): Schema | undefined {
    const { properties, additionalProperties, items } = this.whole(schema);
    if (typeof step === 'number') return items;
    if (properties !== undefined && Object.hasOwn(properties, step)) return properties[step];
    return typeof additionalProperties === 'object' ? additionalProperties : undefined;
  }

  /** A schema with its references resolved. */
  whole(schema: Schema): Schema {
    return this.#schemas.resolve(schema);
  }

  typeName(schema: Schema): string {
    return this.#schemas.typeName(schema);
  }

  /** The fields that a value may have, by their name. */
  fieldsOf(schema: Schema): ReadonlyMap<string, Schema> {
    return new Map(Object.entries(this.whole(schema).properties ?? {}));
  }

  /** The description of a field for the user; undefined if the kind has no such field. */
  wordsOf(path: readonly Step[]): FieldWords | undefined {
    const schema = this.at(path);
    if (schema === undefined) return undefined;
    const name = path.at(-1);
    const parent = path.length === 0 ? undefined : this.at(path.slice(0, -1));
    const whole: Schema = { ...this.whole(schema), ...('default' in schema ? { default: schema['default'] } : {}) };
    const required = parent === undefined ? [] : (this.whole(parent).required ?? []);
    return {
      name: name === undefined ? 'the object' : typeof name === 'number' ? `item ${name + 1}` : name,
      type: this.typeName(schema),
      isRequired: typeof name === 'string' && required.includes(name),
      // Members of a map have no description, so they show the map's.
      description: whole.description || (parent === undefined ? '' : (this.whole(parent).description ?? '')),
      facts: BOUNDS.flatMap(([key, called]) => {
        const text = factText(key, whole[key]);
        return text === '' ? [] : [{ name: called, text }];
      }),
    };
  }
}

/**
 * The text of a fact; empty for values without meaning: servers publish empty values as defaults, and the width of each
 * number.
 */
function factText(key: string, value: unknown): string {
  if (value === undefined || value === null || value === '') return '';
  if ((key === 'default' && value === 0) || (key === 'format' && /^(?:int|double|float)/.test(String(value))))
    return '';
  if (Array.isArray(value))
    return value
      .filter((each) => each !== '')
      .map(String)
      .join(', ');
  if (typeof value !== 'object') return String(value);
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value);
}
