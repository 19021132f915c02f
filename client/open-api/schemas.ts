/**
 * A schema of a published document (https://spec.openapis.org/oas/v3.0.3#schema-object): the parts that `explain`
 * needs.
 */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly $ref?: string;
  readonly [extension: string]: unknown;
}

/** The schemas of a document. They can refer to each other. */
export class Schemas {
  readonly #byName: Readonly<Record<string, Schema>>;

  constructor(byName: Readonly<Record<string, Schema>>) {
    this.#byName = byName;
  }

  /** The schema of a kind. An extension of the schema names its group, version and kind. */
  ofKind(group: string, version: string, kind: string, extension: string): Schema | undefined {
    return Object.values(this.#byName).find((schema) => {
      const kinds = schema[extension];
      return (
        Array.isArray(kinds) &&
        (kinds as Readonly<Record<string, string>>[]).some(
          (each) => each['group'] === group && each['version'] === version && each['kind'] === kind,
        )
      );
    });
  }

  /** The schema that `$ref` names. Without a `$ref` it is the same schema. */
  target(schema: Schema): Schema {
    const { $ref } = schema;
    if ($ref === undefined) return schema;
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return Object.hasOwn(this.#byName, name) ? this.#byName[name]! : {};
  }

  /** The schema to which a reference leads. A description of the reference itself takes precedence. */
  resolve(schema: Schema): Schema {
    const reference = referenceOf(schema);
    if (reference === undefined) return schema;
    const target = Object.hasOwn(this.#byName, reference) ? this.#byName[reference]! : {};
    return { ...target, description: schema.description ?? target.description ?? '' };
  }

  /** The display name of a type: `string`, `[]Container`, `map[string]Quantity`. */
  typeName(schema: Schema): string {
    const reference = referenceOf(schema);
    const whole = this.resolve(schema);
    if (reference !== undefined && (whole.type === undefined || whole.type === 'object'))
      return reference.slice(reference.lastIndexOf('.') + 1);
    if (whole.type === 'array') return `[]${this.typeName(whole.items ?? {})}`;
    const values = whole.additionalProperties;
    if (whole.type === 'object' && typeof values === 'object') return `map[string]${this.typeName(values)}`;
    return whole.type === 'object' || whole.type === undefined ? 'Object' : whole.type;
  }

  /** The schema with the fields of a value. For lists and maps it is the schema of their elements. */
  inner(schema: Schema): Schema {
    let whole = this.resolve(schema);
    for (;;) {
      const inner = whole.type === 'array' ? whole.items : whole.additionalProperties;
      if (typeof inner !== 'object' || whole.properties !== undefined) return whole;
      whole = this.resolve(inner);
    }
  }
}

/** The name of the referenced schema, in `$ref` or as the only item of `allOf`. */
export function referenceOf({ $ref, allOf }: Schema): string | undefined {
  const reference = $ref ?? (allOf?.length === 1 ? allOf[0]!.$ref : undefined);
  return reference?.slice(reference.lastIndexOf('/') + 1);
}
