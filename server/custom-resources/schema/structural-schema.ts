import type { JsonValue } from '#base/json/json-value.ts';

/** A validation rule: an expression, and the error if it is false. */
export interface SchemaRule {
  readonly rule: string;
  readonly message: string;
  /** The expression that makes the message; empty for none. */
  readonly messageExpression: string;
  /** The reason of the error; empty for the default. */
  readonly reason: string;
  /** The path from the value to the error; empty for the value itself. */
  readonly fieldPath: string;
  /** Whether the value before the change is optional, so that the rule also runs on new values. */
  readonly optionalOldSelf: boolean | undefined;
}

/** The requirements of a value besides its type. Numbers keep the schema's spelling. */
export interface ValueLimits {
  readonly maximum: number | undefined;
  readonly exclusiveMaximum: boolean;
  readonly minimum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly multipleOf: number | undefined;
  readonly maxLength: number | undefined;
  readonly minLength: number | undefined;
  readonly pattern: string;
  readonly maxItems: number | undefined;
  readonly minItems: number | undefined;
  readonly uniqueItems: boolean;
  readonly maxProperties: number | undefined;
  readonly minProperties: number | undefined;
  readonly required: readonly string[];
  readonly enum: readonly JsonValue[] | undefined;
  readonly allOf: readonly StructuralSchema[];
  readonly anyOf: readonly StructuralSchema[];
  readonly oneOf: readonly StructuralSchema[];
  readonly not: StructuralSchema | undefined;
  /** Whether `allOf`, `anyOf`, `oneOf` or `not` contains a schema. */
  readonly hasAlternatives: boolean;
  /**
   * Whether the check of a single value needs more than a few comparisons, because it has a pattern, an enum, or
   * alternatives.
   */
  readonly isDear: boolean;
}

/**
 * The schema of one version of a custom kind, or of a value in it, for walks over objects. It is compiled once from the
 * definition, without members that only documents show. The schemas in `allOf`, `anyOf`, `oneOf` and `not` have the
 * same form, but only their limits have an effect.
 */
export interface StructuralSchema {
  /**
   * The types: `object`, `array`, `string` and so on. Both `integer` and `string` if a value may be either. Empty for
   * any type.
   */
  readonly types: readonly string[];
  /** The format of a text. It is empty if there is none, or if the server does not know the format. */
  readonly format: string;
  /** The format that limits numbers, such as `int32`; empty for none. */
  readonly numberFormat: string;
  readonly nullable: boolean;
  readonly intOrString: boolean;
  /** Whether members are kept that the schema does not name. */
  readonly preserve: boolean;
  /** Whether it is an object with its own `apiVersion`, `kind` and `metadata`. */
  readonly embedded: boolean;
  readonly properties: ReadonlyMap<string, StructuralSchema>;
  /**
   * The rule for members that `properties` does not name: their schema, or whether they are allowed. Undefined if the
   * schema does not say it.
   */
  readonly additional: StructuralSchema | boolean | undefined;
  readonly items: StructuralSchema | undefined;
  readonly hasDefault: boolean;
  readonly default: JsonValue;
  readonly listType: 'atomic' | 'set' | 'map';
  readonly listMapKeys: readonly string[];
  readonly atomicMap: boolean;
  readonly limits: ValueLimits | undefined;
  readonly rules: readonly SchemaRule[];
  /** The features that occur in the schema or below it. With them, walks can skip parts that have none. */
  readonly holds: Holds;
}

/** See {@link StructuralSchema.holds}. */
export interface Holds {
  readonly defaults: boolean;
  readonly rules: boolean;
  readonly embedded: boolean;
  /** Whether there are lists with unique items. */
  readonly keyedLists: boolean;
}
