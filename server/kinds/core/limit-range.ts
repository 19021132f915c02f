import { randomUUID } from 'node:crypto';
import { append } from '#base/collections/append.ts';
import { own } from '#base/collections/own-properties.ts';
import {
  duplicate,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidValue,
  required,
} from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { limitRangeVersions } from '#schema/conversion/core/limit-range.ts';
import type { LimitRange, LimitRangeItem } from '#schema/generated/core.v1.ts';
import { qualifiedName } from '#schema/validation/names.ts';
import { type ResourceNames, resourceNames } from '#schema/validation/resource-names.ts';
import { parseQuantity, type Quantity } from '#schema/values/quantity.ts';
import { defineKind } from '../define-kind.ts';

const LIMITS = new FieldPath('spec').child('limits');
const KINDS = ['Pod', 'Container', 'PersistentVolumeClaim'];

function validateType(type: string, path: FieldPath): FieldError[] {
  const problems = qualifiedName(type).map((problem) => invalidValue(path, type, problem));
  if (problems.length > 0 || type.includes('/') || KINDS.includes(type)) return problems;
  return [invalidValue(path, type, 'must be a standard limit type or fully qualified')];
}

type Field = 'max' | 'min' | 'default' | 'defaultRequest' | 'maxLimitRequestRatio';

/** Validates the names of the resources in some fields of a limit. */
function validateNames(
  item: LimitRangeItem,
  fields: readonly Field[],
  names: ResourceNames,
  path: FieldPath,
): FieldError[] {
  const check = item.type === 'Container' || item.type === 'Pod' ? names.validateForContainer : names.validate;
  return fields.flatMap((field) =>
    Object.keys(item[field] ?? {})
      .sort()
      .flatMap((name) => check(name, path.child(field).key(name))),
  );
}

type Amounts = Partial<Record<Field, Quantity>>;

/** Validates that the bounds and defaults of a resource do not contradict each other. */
function validateAmounts(name: string, amounts: Amounts, names: ResourceNames, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const { min, max, default: limit, defaultRequest: request, maxLimitRequestRatio: ratio } = amounts;
  const refuse = (field: keyof Amounts, value: Quantity, detail: string) =>
    errors.push(invalidValue(path.child(field).key(name), String(value), detail));
  const above = (low: Quantity | undefined, high: Quantity | undefined) =>
    low !== undefined && high !== undefined && low.compare(high) > 0;

  if (above(min, max)) refuse('min', min!, `min value ${min} is greater than max value ${max}`);
  if (above(min, request)) {
    refuse('defaultRequest', request!, `min value ${min} is greater than default request value ${request}`);
  }
  if (above(request, max)) {
    refuse('defaultRequest', request!, `default request value ${request} is greater than max value ${max}`);
  }
  if (above(request, limit)) {
    refuse('defaultRequest', request!, `default request value ${request} is greater than default limit value ${limit}`);
  }
  if (above(min, limit)) refuse('default', min!, `min value ${min} is greater than default value ${limit}`);
  if (above(limit, max)) refuse('default', max!, `default value ${limit} is greater than max value ${max}`);
  if (ratio !== undefined) append(errors, validateRatio(ratio, min, max, path.child('maxLimitRequestRatio').key(name)));
  if (
    !names.isOvercommitAllowed(name) &&
    limit !== undefined &&
    request !== undefined &&
    limit.compare(request) !== 0
  ) {
    const detail = `default request value ${request} must equal default limit value ${limit}: it cannot be overcommitted`;
    refuse('defaultRequest', request, detail);
  }
  return errors;
}

/**
 * Validates the allowed ratio of limits to requests. It must be at least one, and not exceed the ratio of the bounds.
 */
function validateRatio(
  ratio: Quantity,
  min: Quantity | undefined,
  max: Quantity | undefined,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (ratio.milliValue() < 1000n) errors.push(invalidValue(path, String(ratio), `ratio ${ratio} is less than 1`));
  if (min === undefined || max === undefined || min.isZero) return errors;
  const most = Number(max.nanos) / Number(min.nanos);
  if (Number(ratio.nanos) / 1e9 > most) {
    errors.push(invalidValue(path, String(ratio), `ratio ${ratio} is greater than max/min = ${most.toFixed(6)}`));
  }
  return errors;
}

const FIELDS: readonly Field[] = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];
const POD_FIELDS: readonly Field[] = ['max', 'min', 'maxLimitRequestRatio'];

function validateItem(item: LimitRangeItem, names: ResourceNames, path: FieldPath): FieldError[] {
  const isPod = item.type === 'Pod';
  const errors = validateNames(item, ['max', 'min'], names, path);
  if (isPod) {
    const detail = "may not be specified when `type` is 'Pod'";
    for (const field of ['default', 'defaultRequest'] as const) {
      if (Object.keys(item[field] ?? {}).length > 0) errors.push(forbiddenField(path.child(field), detail));
    }
  } else append(errors, validateNames(item, ['default', 'defaultRequest'], names, path));
  const bounded = item.min?.['storage'] !== undefined || item.max?.['storage'] !== undefined;
  if (item.type === 'PersistentVolumeClaim' && !bounded) {
    const detail = 'either minimum or maximum storage value is required, but neither was provided';
    errors.push(required(path.child('limits'), detail));
  }
  append(errors, validateNames(item, ['maxLimitRequestRatio'], names, path));
  const fields = isPod ? POD_FIELDS : FIELDS;
  const mentioned = new Set(fields.flatMap((field) => Object.keys(item[field] ?? {})));
  for (const name of [...mentioned].sort()) {
    const amounts: Amounts = {};
    for (const field of fields) {
      const text = own(item[field], name);
      if (text !== undefined) amounts[field] = parseQuantity(text);
    }
    append(errors, validateAmounts(name, amounts, names, path));
  }
  return errors;
}

function validate(object: LimitRange, { naming }: { naming: Naming }): FieldError[] {
  const names = resourceNames(naming);
  const seen = new Set<string>();
  return (object.spec?.limits ?? []).flatMap((item, i) => {
    const path = LIMITS.index(i);
    const errors = validateType(item.type, path.child('type'));
    if (seen.has(item.type)) errors.push(duplicate(path.child('type'), item.type));
    seen.add(item.type);
    return [...errors, ...validateItem(item, names, path)];
  });
}

/**
 * The kind of limit ranges: bounds and defaults for the amounts of single pods, containers and claims of a namespace.
 */
export const limitRange = defineKind('core/limitranges', {
  versions: limitRangeVersions,
  revalidatesOnUpdate: true,
  ignoresMetadataChange: true,
  // The server finds limit ranges by their namespace, so an empty name is allowed.
  prepareForCreate({ metadata }) {
    metadata.name ||= randomUUID();
  },
  validate,
});
