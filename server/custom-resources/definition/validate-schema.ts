import { type FieldError, type FieldPath, forbiddenField, invalidValue } from '../../errors/field-error.ts';
import type { JSONSchemaProps, ValidationRule } from '../../schema/generated/apiextensions.v1.ts';
import { validateRules } from '../cel/validate-rules.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import type { ReadMetadata } from '../schema/embedded-objects.ts';
import { defaultErrors } from './default-rules.ts';
import { ruleErrors, ruleTextErrors } from './rule-errors.ts';
import {
  type ExtensionNames,
  extensionErrors,
  hasUnsupportedKeyword,
  isDefault,
  keywordErrors,
  type SchemaPlace,
} from './schema-keywords.ts';
import { structuralErrors } from './structural-rules.ts';

/** What a schema is checked with. */
export interface SchemaContext extends ExtensionNames {
  readonly readMetadata: ReadMetadata;
}

/** How deep schemas may nest: recursion over one must not end the process. */
const MAX_DEPTH = 200;
const META_FIELDS = new Set(['apiVersion', 'kind', 'metadata']);
/** What the root of a schema may say where status is a subresource. */
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

/** What is wrong with the schema of a version. `hasStatus`: the version has the status subresource. */
export function validateSchema(
  schema: JSONSchemaProps,
  path: FieldPath,
  hasStatus: boolean,
  context: SchemaContext,
): FieldError[] {
  const errors: FieldError[] = [];
  if (hasStatus) errors.push(...rootErrors(schema, path, context));
  if (schema.nullable === true)
    errors.push(forbiddenField(path.child('nullable'), 'nullable cannot be true at the root'));
  const walk = new SchemaWalk(context);
  const own = walk.schema(schema, path, {}, true);
  if (walk.tooDeep !== undefined) return [forbiddenField(walk.tooDeep, `schemas nest ${MAX_DEPTH} deep at most`)];
  const rules: FieldError[] = [];
  if (!walk.isUnsupported) {
    const structural = structuralErrors(schema, path, context);
    errors.push(...structural);
    if (structural.length === 0) {
      const compiled = compileSchema(schema, context.prefix);
      const defaults = defaultErrors(compiled, path, context.readMetadata, (at, value, place) =>
        validateRules(at, value, value, { path: place, isResource: false }),
      );
      errors.push(...defaults);
      if (defaults.length === 0) rules.push(...ruleErrors(compiled, path, context.prefix, walk.refused));
    }
  }
  const all = [...errors, ...own, ...rules];
  return all.length === 0 && walk.namesDialect ? [invalidValue(path, '', DIALECT_PROBLEM)] : all;
}

function rootErrors(schema: JSONSchemaProps, path: FieldPath, { prefix }: ExtensionNames): FieldError[] {
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

class SchemaWalk {
  /** Some keyword says what cannot be said of custom kinds, so that nothing is said about the structure. */
  isUnsupported = false;
  tooDeep: FieldPath | undefined;
  /** Some schema says by which dialect it is to be read. */
  namesDialect = false;
  readonly #context: SchemaContext;
  /** The paths of schemas in which, or below which, something is wrong. */
  readonly refused = new Set<string>();
  #depth = 0;

  constructor(context: SchemaContext) {
    this.#context = context;
  }

  schema(schema: JSONSchemaProps, path: FieldPath, place: SchemaPlace, isRoot = false): FieldError[] {
    if (++this.#depth > MAX_DEPTH) {
      this.tooDeep ??= path;
      this.#depth--;
      return [];
    }
    this.namesDialect ||= (schema.$schema ?? '') !== '';
    this.isUnsupported ||= hasUnsupportedKeyword(schema, this.#context);
    const rules = schema[`${this.#context.prefix}validations`] as ValidationRule[] | undefined;
    const errors = [
      ...keywordErrors(schema, path, place, this.#context),
      ...this.#additional(schema, path, place),
      ...this.#properties(schema, path, place, isRoot),
      ...this.#alternatives(schema, path, place),
      ...this.#items(schema, path, place),
      ...this.#unsupported(schema, path, place),
      ...extensionErrors(schema, path, this.#context),
      ...ruleTextErrors(
        (rules ?? []).map(({ rule, message = '' }) => ({ rule, message })),
        path.child(`${this.#context.prefix}validations`),
      ),
    ];
    if (errors.length > 0) this.refused.add(String(path));
    this.#depth--;
    return errors;
  }

  #additional(
    { additionalProperties, properties }: JSONSchemaProps,
    path: FieldPath,
    place: SchemaPlace,
  ): FieldError[] {
    if (additionalProperties === undefined) return [];
    const at = path.child('additionalProperties');
    const errors: FieldError[] = [];
    if (Object.keys(properties ?? {}).length > 0 && additionalProperties !== true) {
      errors.push(forbiddenField(at, 'additionalProperties and properties are mutual exclusive'));
    }
    if (typeof additionalProperties === 'object') {
      const inside = 'inside additionalProperties applying to object metadata';
      const below = place.inMetadata === true ? { ...place, noDefaults: place.noDefaults ?? inside } : place;
      errors.push(...this.schema(additionalProperties, at, below));
    }
    return errors;
  }

  #properties(schema: JSONSchemaProps, path: FieldPath, place: SchemaPlace, isRoot: boolean): FieldError[] {
    const isResource = isRoot || schema[`${this.#context.prefix}embedded-resource`] === true;
    return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      const inMetadata = isResource && META_FIELDS.has(name);
      const below = inMetadata
        ? { ...place, inMetadata, ...(isRoot && { noDefaults: `in top-level ${name}` }) }
        : place;
      return this.schema(property, path.child('properties').key(name), below);
    });
  }

  #alternatives({ not, allOf = [], oneOf = [], anyOf = [] }: JSONSchemaProps, path: FieldPath, place: SchemaPlace) {
    const all = (name: string, schemas: readonly JSONSchemaProps[]) =>
      schemas.flatMap((schema, i) => this.schema(schema, path.child(name).index(i), place));
    return [
      ...(not === undefined ? [] : this.schema(not, path.child('not'), place)),
      ...all('allOf', allOf),
      ...all('oneOf', oneOf),
      ...all('anyOf', anyOf),
    ];
  }

  /** Keywords that no schema may have are looked into all the same. */
  #unsupported({ definitions, dependencies }: JSONSchemaProps, path: FieldPath, place: SchemaPlace): FieldError[] {
    const each = (name: string, schemas: Readonly<Record<string, JSONSchemaProps | readonly string[]>> | undefined) =>
      Object.entries(schemas ?? {}).flatMap(([key, schema]) =>
        isSchema(schema) ? this.schema(schema, path.child(name).key(key), place) : [],
      );
    return [...each('definitions', definitions), ...each('dependencies', dependencies)];
  }

  #items({ items }: JSONSchemaProps, path: FieldPath, place: SchemaPlace): FieldError[] {
    if (items === undefined) return [];
    if (!Array.isArray(items)) return this.schema(items, path.child('items'), place);
    return items.flatMap((schema, i) => this.schema(schema, path.child('items').index(i), place));
  }
}

function isSchema(value: JSONSchemaProps | readonly string[]): value is JSONSchemaProps {
  return !Array.isArray(value);
}

/** Whether a schema has a default anywhere. */
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
