import { append } from '#base/collections/append.ts';
import { type FieldError, type FieldPath, forbiddenField, invalidValue } from '#base/errors/field-error.ts';
import type { Release } from '#base/release/release.ts';
import { TimeSlice } from '#base/time/time-slice.ts';
import type {
  CustomResourceDefinitionSpec,
  JSONSchemaProps,
  ValidationRule,
} from '#schema/generated/apiextensions.v1.ts';
import { validateRules } from '../cel/validate-rules.ts';
import { type Checks, yieldTurn } from '../schema/check-work.ts';
import { compileSchema, schemaRule } from '../schema/compile-schema.ts';
import type { ReadMetadata } from '../schema/embedded-objects.ts';
import { type ExtensionNames, extensionNames, KEYWORD_BITS, keywordBits } from '../schema/keyword-bits.ts';
import { defaultErrors } from './default-rules.ts';
import { eachSchema } from './each-schema.ts';
import { ruleErrors, rulePathErrors, ruleTextErrors } from './rule-errors.ts';
import {
  extensionErrors,
  hasUnsupportedKeyword,
  isDefault,
  keywordErrors,
  type SchemaPlace,
} from './schema-keywords.ts';
import { structuralErrors } from './structural-rules.ts';

/** The inputs for checks of a schema. */
export interface SchemaContext {
  /** The prefix of extensions in the naming profile. */
  readonly prefix: string;
  readonly readMetadata: ReadMetadata;
  readonly release: Release;
  /** The prefix of name formats; undefined if the release does not have them. */
  readonly namePrefix: string | undefined;
  /** The rules of the previous definition, by text. They may still use the functions of its release. */
  readonly oldExpressions: ReadonlySet<string>;
  /** Whether the schema is the same as in the replaced definition. */
  readonly isUnchanged: boolean;
}

/** The deepest nesting of schemas, so that recursion does not end the process. */
const MAX_DEPTH = 200;
/** The largest length of all names above a schema together. The errors of all schemas below show these names. */
const MAX_NAMES = 4096;
const META_FIELDS = new Set(['apiVersion', 'kind', 'metadata']);
/** The keywords allowed at the root of a schema with a status subresource. */
const ROOT_KEYWORDS = [
  'description',
  'type',
  'format',
  'title',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'required',
  'items',
  'properties',
  'externalDocs',
  'example',
];
const ROOT_EXTENSIONS = ['preserve-unknown-fields', 'validations'];

/** Errors of a version's schema. `hasStatus` says whether the version has the status subresource. */
export function* validateSchema(
  schema: JSONSchemaProps,
  path: FieldPath,
  hasStatus: boolean,
  context: SchemaContext,
): Checks<FieldError[]> {
  const errors: FieldError[] = [];
  const slice = new TimeSlice();
  if (hasStatus) append(errors, rootErrors(schema, path, context));
  if (schema.nullable === true)
    errors.push(forbiddenField(path.child('nullable'), 'nullable cannot be true at the root'));
  const names = extensionNames(context.prefix);
  const walk = new SchemaWalk(names, slice, context);
  yield* walk.schema(schema, path, {}, true);
  const own = walk.errors;
  if (walk.tooDeep !== undefined) return [forbiddenField(walk.tooDeep, `schemas nest ${MAX_DEPTH} deep at most`)];
  if (walk.longNames !== undefined)
    return [forbiddenField(walk.longNames, `the names above schemas have ${MAX_NAMES} characters at most`)];
  const rules: FieldError[] = [];
  if (!walk.isUnsupported) {
    const structural = yield* structuralErrors(schema, path, names, slice);
    append(errors, structural);
    if (structural.length === 0) {
      const compiled = compileSchema(schema, context.prefix, context.namePrefix);
      const defaults = yield* defaultErrors(compiled, path, context.readMetadata, (at, value, place) =>
        validateRules(at, value, value, { path: place, isResource: false, showsValues: context.release.atLeast(35) }),
      );
      append(errors, defaults);
      if (defaults.length === 0) append(rules, yield* ruleErrors(compiled, path, context, walk.refused, slice));
    }
  }
  const all = [...errors, ...own, ...rules];
  return all.length === 0 && walk.namesDialect ? [invalidValue(path, '', DIALECT_PROBLEM)] : all;
}

function rootErrors(schema: JSONSchemaProps, path: FieldPath, { prefix }: SchemaContext): FieldError[] {
  const detail = 'allowed as the type at the root of the schema if the status subresource is enabled';
  const says = (value: unknown) => value !== undefined && value !== null && value !== false && value !== '';
  const namesItself = ['id', '$schema', '$ref'].some((keyword) => says(schema[keyword]));
  if (!namesItself && (schema.type ?? '') !== '' && schema.type !== 'object') {
    return [invalidValue(path.child('type'), schema.type, `only "object" is ${detail}`)];
  }
  const allowed = [...ROOT_KEYWORDS, ...ROOT_EXTENSIONS.map((name) => prefix + name)];
  const other = Object.keys(schema).find((keyword) => says(schema[keyword]) && !allowed.includes(keyword));
  if (other === undefined) return [];
  const list = `only [${allowed.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalidValue(path, schema, list)];
}

const DIALECT_PROBLEM = "OpenAPIV3Schema 'schema' is not supported";

/** The keywords that {@link hasUnsupportedKeyword} checks. */
const MAY_BE_UNSUPPORTED = KEYWORD_BITS.unsupported | KEYWORD_BITS.items | KEYWORD_BITS.extension;

class SchemaWalk {
  readonly errors: FieldError[] = [];
  /** Whether there is a keyword that custom kinds do not allow. The structure is then not checked. */
  isUnsupported = false;
  tooDeep: FieldPath | undefined;
  longNames: FieldPath | undefined;
  /** Whether a schema names the dialect of its rules. */
  namesDialect = false;
  /** The paths of schemas that have an error or contain a schema with an error. */
  readonly refused = new Set<string>();
  readonly #names: ExtensionNames;
  readonly #slice: TimeSlice;
  readonly #context: SchemaContext;
  #depth = 0;
  #nameLength = 0;

  constructor(names: ExtensionNames, slice: TimeSlice, context: SchemaContext) {
    this.#names = names;
    this.#context = context;
    this.#slice = slice;
  }

  *schema(schema: JSONSchemaProps, path: FieldPath, place: SchemaPlace, isRoot = false): Checks<void> {
    if (this.#slice.over) yield* yieldTurn(this.#slice);
    if (++this.#depth > MAX_DEPTH) {
      this.tooDeep ??= path;
      this.#depth--;
      return;
    }
    const bits = keywordBits(schema);
    const before = this.errors.length;
    if ((bits & KEYWORD_BITS.dialect) !== 0) this.namesDialect ||= (schema.$schema ?? '') !== '';
    if ((bits & MAY_BE_UNSUPPORTED) !== 0) this.isUnsupported ||= hasUnsupportedKeyword(schema, this.#names);
    append(this.errors, keywordErrors(schema, bits, path, place, this.#names));
    if ((bits & KEYWORD_BITS.additional) !== 0) yield* this.#additional(schema, path, place);
    if ((bits & KEYWORD_BITS.properties) !== 0) yield* this.#properties(schema, path, place, isRoot);
    if ((bits & KEYWORD_BITS.alternatives) !== 0) yield* this.#alternatives(schema, path, place);
    if ((bits & KEYWORD_BITS.items) !== 0) yield* this.#items(schema, path, place);
    if ((bits & KEYWORD_BITS.unsupported) !== 0) yield* this.#unsupported(schema, path, place);
    if ((bits & KEYWORD_BITS.extension) !== 0) this.#extensions(schema, path);
    if (this.errors.length > before) this.refused.add(String(path));
    this.#depth--;
  }

  *#additional(
    { additionalProperties, properties }: JSONSchemaProps,
    path: FieldPath,
    place: SchemaPlace,
  ): Checks<void> {
    if (additionalProperties === undefined) return;
    const at = path.child('additionalProperties');
    if (Object.keys(properties ?? {}).length > 0 && additionalProperties !== true) {
      this.errors.push(forbiddenField(at, 'additionalProperties and properties are mutual exclusive'));
    }
    if (typeof additionalProperties === 'object') {
      const inside = 'inside additionalProperties applying to object metadata';
      const below = place.inMetadata === true ? { ...place, noDefaults: place.noDefaults ?? inside } : place;
      yield* this.schema(additionalProperties, at, below);
    }
  }

  *#properties(schema: JSONSchemaProps, path: FieldPath, place: SchemaPlace, isRoot: boolean): Checks<void> {
    const { properties } = schema;
    if (properties === undefined) return;
    const isResource = isRoot || schema[this.#names.embedded] === true;
    const at = path.child('properties');
    for (const name of Object.keys(properties)) {
      const inMetadata = isResource && META_FIELDS.has(name);
      const below = inMetadata
        ? { ...place, inMetadata, ...(isRoot && { noDefaults: `in top-level ${name}` }) }
        : place;
      yield* this.#named(name, properties[name]!, at, below);
    }
  }

  *#alternatives({ not, allOf, oneOf, anyOf }: JSONSchemaProps, path: FieldPath, place: SchemaPlace): Checks<void> {
    if (not !== undefined) yield* this.schema(not, path.child('not'), place);
    for (const [name, schemas] of Object.entries({ allOf, oneOf, anyOf })) {
      for (const [i, schema] of (schemas ?? []).entries()) {
        yield* this.schema(schema, path.child(name).index(i), place);
      }
    }
  }

  /** Checks the schemas in unsupported keywords too. */
  *#unsupported({ definitions, dependencies }: JSONSchemaProps, path: FieldPath, place: SchemaPlace): Checks<void> {
    for (const [name, schemas] of Object.entries({ definitions, dependencies })) {
      for (const [key, schema] of Object.entries(schemas ?? {}))
        if (isSchema(schema)) yield* this.#named(key, schema, path.child(name), place);
    }
  }

  /** Checks a schema under a name that the client chose. */
  *#named(name: string, schema: JSONSchemaProps, above: FieldPath, place: SchemaPlace): Checks<void> {
    this.#nameLength += name.length;
    if (this.#nameLength > MAX_NAMES) this.longNames ??= above;
    else yield* this.schema(schema, above.key(name), place);
    this.#nameLength -= name.length;
  }

  *#items({ items }: JSONSchemaProps, path: FieldPath, place: SchemaPlace): Checks<void> {
    if (items === undefined) return;
    const at = path.child('items');
    if (!Array.isArray(items)) yield* this.schema(items, at, place);
    else for (const [i, schema] of items.entries()) yield* this.schema(schema, at.index(i), place);
  }

  #extensions(schema: JSONSchemaProps, path: FieldPath): void {
    append(this.errors, extensionErrors(schema, path, this.#names));
    const rules = schema[this.#names.validations] as ValidationRule[] | undefined;
    if (rules === undefined) return;
    const [texts, at] = [rules.map(schemaRule), path.child(this.#names.validations)];
    append(this.errors, ruleTextErrors(texts, at, this.#context.release), rulePathErrors(schema, texts, at));
  }
}

function isSchema(value: JSONSchemaProps | readonly string[] | null): value is JSONSchemaProps {
  return value !== null && !Array.isArray(value);
}

/** Whether there is a default anywhere in a schema. */
export function hasDefaults(schema: JSONSchemaProps | undefined): boolean {
  if (schema === undefined) return false;
  const { properties = {}, items, additionalProperties } = schema;
  return (
    isDefault(schema) ||
    Object.values(properties).some(hasDefaults) ||
    (typeof items === 'object' && !Array.isArray(items) && hasDefaults(items)) ||
    (typeof additionalProperties === 'object' && hasDefaults(additionalProperties))
  );
}

/** The texts of all rule expressions in a definition. */
export function expressionsOf(
  spec: Pick<CustomResourceDefinitionSpec, 'versions'> | undefined,
  prefix: string,
): ReadonlySet<string> {
  const found = new Set<string>();
  if (spec === undefined) return found;
  for (const schema of eachSchema(spec)) {
    for (const { rule, messageExpression } of (schema[`${prefix}validations`] as ValidationRule[] | undefined) ?? []) {
      found.add(rule);
      if (messageExpression !== undefined) found.add(messageExpression);
    }
  }
  return found;
}
