import { sameValue } from '../../apply/value.ts';
import { type FieldError, fieldError, notSupportedAs, shown } from '../../errors/field-error.ts';
import { isObject, JsonNumber, type JsonObject, type JsonValue } from '../../json/json-value.ts';
import { quoteText } from '../../json/quote-text.ts';
import { stringify } from '../../json/stringify.ts';
import { hasFormat } from './formats.ts';
import { goSyntax } from './go-syntax.ts';
import { isNumber, isWhole, shownNumber, toInteger } from './numbers.ts';
import { matches } from './patterns.ts';
import type { StructuralSchema, ValueLimits } from './structural-schema.ts';

/** More errors than this help nobody, and a list of a million wrong items must not make a million messages. */
const MAX_ERRORS = 1000;

/**
 * What is wrong with a value by the types and limits of its schema: clients get the texts of the field's validator, so
 * that a walk of its own is what fits them. `base` stands before the paths of errors (the path of a default).
 */
export function validateValue(schema: StructuralSchema, value: JsonValue, base = ''): FieldError[] {
  const walk = new ValidationWalk(base);
  walk.check(schema, value);
  return walk.errors;
}

/** The JSON type of a value as messages name it. */
function typeName(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isNumber(value)) return toInteger(value) === undefined ? 'number' : 'integer';
  return typeof value;
}

/** How many characters a text has: of surrogate pairs, which are one each, only few texts have any. */
export function characters(text: string): number {
  let pairs = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0xd800 && code < 0xdc00) pairs++;
  }
  return text.length - pairs;
}

class ValidationWalk {
  errors: FieldError[] = [];
  /** How much of the schema the value has met: the alternative that is met most is the one whose errors are shown. */
  #met = 0;
  readonly #base: string;
  readonly #path: (string | number)[] = [];

  constructor(base: string) {
    this.#base = base;
  }

  check(schema: StructuralSchema, value: JsonValue): void {
    if (this.errors.length >= MAX_ERRORS) return;
    this.#checkType(schema, value);
    const { limits } = schema;
    if (value === null) {
      if (limits?.enum !== undefined) this.#checkEnum(limits.enum, value);
      return;
    }
    if (limits !== undefined) this.#checkAlternatives(limits, value);
    if (typeof value === 'string') this.#checkText(schema, limits, value);
    else if (isNumber(value)) {
      if (limits !== undefined) this.#checkNumber(limits, value);
    } else if (Array.isArray(value)) this.#checkList(schema, limits, value);
    if (limits?.enum !== undefined) this.#checkEnum(limits.enum, value);
    if (isObject(value)) this.#checkObject(schema, limits, value);
  }

  #checkType({ types, nullable }: StructuralSchema, value: JsonValue): void {
    if (types.length === 0 || (value === null && nullable)) {
      this.#met++;
      return;
    }
    const type = typeName(value);
    const fits =
      types.includes(type) ||
      (type === 'integer' && types.includes('number')) ||
      (type === 'number' && types.includes('integer') && isWhole(value as number | JsonNumber));
    if (fits) this.#met++;
    else this.#refuseType(`${types.join(',')}: ${JSON.stringify(type)}`, type);
  }

  #checkText({ format, types }: StructuralSchema, limits: ValueLimits | undefined, text: string): void {
    if (limits !== undefined) this.#checkTextLimits(limits, text);
    if (format !== '' && (types.length === 0 || types.includes('string')) && !hasFormat(format, text)) {
      this.#refuseType(`${format}: ${JSON.stringify(text)}`, text);
    }
  }

  #checkTextLimits({ maxLength, minLength, pattern }: ValueLimits, text: string): void {
    if (maxLength !== undefined && text.length > maxLength && characters(text) > maxLength) {
      this.#add('FieldValueTooLong', `Too long: may not be longer than ${maxLength}`);
    } else if (minLength !== undefined && (text.length < minLength || characters(text) < minLength)) {
      this.#refuse(text, `should be at least ${minLength} chars long`);
    } else if (pattern !== '' && !matches(pattern, text)) {
      this.#refuse(text, `should match '${pattern}'`);
    } else this.#met++;
  }

  #checkNumber(limits: ValueLimits, value: number | JsonNumber): void {
    const { multipleOf, minimum, exclusiveMinimum, maximum, exclusiveMaximum } = limits;
    if (multipleOf !== undefined) this.#checkMultiple(value, multipleOf);
    if (minimum !== undefined) {
      const order = compare(value, minimum);
      if (order < 0 || (exclusiveMinimum && order === 0)) {
        this.#refuse(value, `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`);
      }
    }
    if (maximum !== undefined) {
      const order = compare(value, maximum);
      if (order > 0 || (exclusiveMaximum && order === 0)) {
        this.#refuse(value, `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`);
      }
    }
    this.#met++;
  }

  #checkMultiple(value: number | JsonNumber, factor: number): void {
    if (factor <= 0) {
      const detail = `factor MultipleOf declared for ${this.#place()} must be positive: ${factor}`;
      this.#add('FieldValueInvalid', `Invalid value: ${shown(factor)}: ${detail}`);
    } else if (!isMultiple(value, factor)) this.#refuse(value, `should be a multiple of ${factor}`);
  }

  #checkList({ items }: StructuralSchema, limits: ValueLimits | undefined, list: readonly JsonValue[]): void {
    if (items !== undefined) {
      for (let i = 0; i < list.length && this.errors.length < MAX_ERRORS; i++) this.#below(i, items, list[i]!);
    }
    const { minItems, maxItems } = limits ?? {};
    if (minItems !== undefined && list.length < minItems) {
      this.#refuse(list.length, `should have at least ${minItems} items`);
    }
    if (maxItems !== undefined && list.length > maxItems) this.#tooMany(list.length, maxItems);
    this.#met++;
  }

  #checkObject(schema: StructuralSchema, limits: ValueLimits | undefined, object: JsonObject): void {
    if (limits !== undefined && !this.#checkSize(limits, object)) return;
    const { properties, additional } = schema;
    for (const name in object) {
      if (this.errors.length >= MAX_ERRORS) return;
      const property = properties.get(name);
      if (property !== undefined) this.#below(name, property, object[name]!);
      else if (typeof additional === 'object') this.#below(name, additional, object[name]!);
      else if (additional === false) {
        const detail = `${this.#place()}.${name} in body is a forbidden property`;
        this.#add('FieldValueInvalid', `Invalid value: ${quoteText(name)}: ${detail}`);
      }
    }
    for (const name of limits?.required ?? []) {
      if (Object.hasOwn(object, name)) continue;
      this.#path.push(name);
      this.#add('FieldValueRequired', 'Required value');
      this.#path.pop();
    }
  }

  /** Whether the number of members is fine; when it is not, nothing else about the object is said. */
  #checkSize({ minProperties, maxProperties }: ValueLimits, object: JsonObject): boolean {
    if (minProperties === undefined && maxProperties === undefined) return true;
    const size = Object.keys(object).length;
    if (minProperties !== undefined && size < minProperties) {
      this.#refuse(size, `should have at least ${minProperties} properties`);
      return false;
    }
    if (maxProperties !== undefined && size > maxProperties) {
      this.#tooMany(size, maxProperties);
      return false;
    }
    return true;
  }

  #below(step: string | number, schema: StructuralSchema, value: JsonValue): void {
    this.#path.push(step);
    this.check(schema, value);
    this.#path.pop();
  }

  #checkEnum(values: readonly JsonValue[], value: JsonValue): void {
    if (values.some((each) => sameValue(each, value) || sameNumber(each, value))) {
      this.#met++;
      return;
    }
    const texts = values.map((each) => (typeof each === 'string' ? each : stringify(each)));
    const found = isNumber(value) ? shownNumber(value) : goSyntax(value ?? 'null');
    this.errors.push(notSupportedAs(this.#field(), found, texts));
  }

  #checkAlternatives({ anyOf, oneOf, allOf, not }: ValueLimits, value: JsonValue): void {
    if (anyOf.length > 0) this.#checkAny(anyOf, value);
    if (oneOf.length > 0) this.#checkOne(oneOf, value);
    if (allOf.length > 0) this.#checkAll(allOf, value);
    if (not !== undefined && this.#attempt(not, value).errors.length === 0) {
      this.#refuseAlternatives('must not validate the schema (not)');
    }
    this.#met++;
  }

  #checkAny(schemas: readonly StructuralSchema[], value: JsonValue): void {
    const best = this.#closest(schemas, value);
    if (best.valid > 0) return;
    this.#refuseAlternatives('must validate at least one schema (anyOf)');
    this.errors.push(...best.errors);
  }

  #checkOne(schemas: readonly StructuralSchema[], value: JsonValue): void {
    const best = this.#closest(schemas, value);
    if (best.valid === 1) return;
    const found = best.valid === 0 ? 'Found none valid' : `Found ${best.valid} valid alternatives`;
    this.#refuseAlternatives(`must validate one and only one schema (oneOf). ${found}`);
    this.errors.push(...best.errors);
  }

  #checkAll(schemas: readonly StructuralSchema[], value: JsonValue): void {
    let valid = 0;
    for (const schema of schemas) {
      const { errors } = this.#attempt(schema, value);
      if (errors.length === 0) valid++;
      this.errors.push(...errors);
    }
    if (valid === schemas.length) return;
    this.#refuseAlternatives(`must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
  }

  /** How many alternatives hold and, when none does, the errors of the one that the value meets most of. */
  #closest(schemas: readonly StructuralSchema[], value: JsonValue): { valid: number; errors: FieldError[] } {
    let valid = 0;
    let best: { errors: FieldError[]; met: number } | undefined;
    for (const schema of schemas) {
      const attempt = this.#attempt(schema, value);
      if (attempt.errors.length === 0) valid++;
      else if (best === undefined || attempt.met > best.met) best = attempt;
    }
    return { valid, errors: valid > 0 ? [] : (best?.errors ?? []) };
  }

  #attempt(schema: StructuralSchema, value: JsonValue): { errors: FieldError[]; met: number } {
    const { errors } = this;
    const met = this.#met;
    this.errors = [];
    this.#met = 0;
    this.check(schema, value);
    const attempt = { errors: this.errors, met: this.#met };
    this.errors = errors;
    this.#met = met;
    return attempt;
  }

  /** The place of the value in the object, as texts of errors name it. */
  #place(): string {
    let place = '';
    for (const step of this.#path) {
      if (typeof step === 'number') place += `[${step}]`;
      else place += place === '' ? step : `.${step}`;
    }
    return place;
  }

  #field(): string {
    const place = this.#place();
    if (this.#base === '' || place === '') return this.#base + place;
    return `${this.#base}.${place}`;
  }

  #add(type: FieldError['type'], body: string): void {
    this.errors.push(fieldError(type, this.#field(), body));
  }

  #refuse(value: JsonValue, detail: string): void {
    this.#add(
      'FieldValueInvalid',
      `Invalid value: ${isNumber(value) ? shownNumber(value) : shown(value)}: ${this.#place()} in body ${detail}`,
    );
  }

  #refuseType(detail: string, value: string): void {
    const body = `Invalid value: ${JSON.stringify(value)}: ${this.#place()} in body must be of type ${detail}`;
    this.#add('FieldValueTypeInvalid', body);
  }

  #refuseAlternatives(detail: string): void {
    this.errors.push(fieldError('FieldValueInvalid', this.#base, `Invalid value: "": "${this.#place()}" ${detail}`));
  }

  #tooMany(actual: number, max: number): void {
    this.#add('FieldValueTooMany', `Too many: ${actual}: must have at most ${max} items`);
  }
}

function compare(value: number | JsonNumber, limit: number): number {
  const integer = typeof value === 'number' ? undefined : toInteger(value);
  if (integer !== undefined && Number.isSafeInteger(limit)) {
    const other = BigInt(limit);
    return integer < other ? -1 : integer > other ? 1 : 0;
  }
  return Number(value) - limit;
}

function isMultiple(value: number | JsonNumber, factor: number): boolean {
  const integer = toInteger(value);
  if (integer !== undefined && Number.isSafeInteger(factor)) return integer % BigInt(factor) === 0n;
  const quotient = Number(value) / factor;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9 * Math.max(1, Math.abs(quotient));
}

/** Numbers are equal by value, however they are spelled. */
function sameNumber(a: JsonValue, b: JsonValue): boolean {
  return isNumber(a) && isNumber(b) && (a instanceof JsonNumber || b instanceof JsonNumber) && Number(a) === Number(b);
}
