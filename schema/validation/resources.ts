import { append } from '#base/collections/append.ts';
import { type FieldError, type FieldPath, forbiddenField, invalidValue, required } from '#base/errors/field-error.ts';
import { defaultRelease, type Release } from '#base/release/release.ts';
import { parseQuantity, type Quantity } from '../values/quantity.ts';
import { NOT_NEGATIVE } from './numbers.ts';
import type { ResourceNames } from './resource-names.ts';

/** Amounts by resource name, in limits, requests and capacity. */
export type ResourceList = Readonly<Record<string, string>>;

export interface ResourceRequirements {
  limits?: ResourceList;
  requests?: ResourceList;
}

/** The error about an amount below zero. The texts must already be valid quantities. */
export function validateNonnegativeQuantity(value: string, path: FieldPath): FieldError[] {
  return parseQuantity(value).sign < 0 ? [invalidValue(path, value, NOT_NEGATIVE)] : [];
}

/** Like {@link validateNonnegativeQuantity}, in the words for capacities. */
export function validateBasicQuantity(value: string, path: FieldPath): FieldError[] {
  return parseQuantity(value).sign < 0 ? [invalidValue(path, value, 'must be a valid resource quantity')] : [];
}

/** The error about an amount that is not above zero. */
export function validatePositiveQuantity(value: string, path: FieldPath): FieldError[] {
  return parseQuantity(value).sign <= 0 ? [invalidValue(path, value, 'must be greater than zero')] : [];
}

/**
 * Validates an amount of a resource. It must not be negative. It must be a whole number if the resource is counted.
 *
 * @example
 * validateResourceQuantity('pods', '1500m', resourceNames(createNaming('orch')), new FieldPath('pods'))[0]?.text
 * // => 'pods: Invalid value: "1500m": must be an integer'
 */
export function validateResourceQuantity(
  name: string,
  value: string,
  names: ResourceNames,
  path: FieldPath,
): FieldError[] {
  const errors = validateNonnegativeQuantity(value, path);
  if (names.isCounted(name) && parseQuantity(value).milliValue() % 1000n !== 0n) {
    errors.push(invalidValue(path, value, 'must be an integer'));
  }
  return errors;
}

/**
 * Validates limits and requests of a container. Requests must not exceed limits. A resource that does not allow
 * overcommitment must have equal requests and limits. Since 1.29 errors show the limit.
 *
 * @example
 * validateResourceRequirements(
 *   { limits: { cpu: '1' }, requests: { cpu: '2' } },
 *   resourceNames(createNaming('orch')),
 *   new FieldPath('resources'),
 * ).map(({ text }) => text)
 * // => ['resources.requests: Invalid value: "2": must be less than or equal to cpu limit']
 */
export function validateResourceRequirements(
  requirements: ResourceRequirements | null | undefined,
  names: ResourceNames,
  path: FieldPath,
  release: Release = defaultRelease,
): FieldError[] {
  const limits = requirements?.limits ?? {};
  const requests = requirements?.requests ?? {};
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(limits)) {
    append(errors, validateEntry(name, value, names, path.child('limits').key(name)));
  }
  for (const [name, value] of Object.entries(requests)) {
    append(errors, validateEntry(name, value, names, path.child('requests').key(name)));
    append(errors, validateWithinLimit(name, value, limits, names, path, release));
  }
  const mentioned = [...Object.keys(limits), ...Object.keys(requests)];
  if (mentioned.some(names.isHugePages) && !mentioned.some((name) => name === 'cpu' || name === 'memory')) {
    errors.push(forbiddenField(path, 'HugePages require cpu or memory'));
  }
  return errors;
}

function validateEntry(name: string, value: string, names: ResourceNames, path: FieldPath): FieldError[] {
  const errors = [...names.validateForContainer(name, path), ...validateResourceQuantity(name, value, names, path)];
  if (names.isHugePages(name) && !isWholePages(name, parseQuantity(value))) {
    errors.push(invalidValue(path, value, `${value} is not positive integer multiple of ${name}`));
  }
  return errors;
}

function validateWithinLimit(
  name: string,
  value: string,
  limits: ResourceList,
  names: ResourceNames,
  path: FieldPath,
  release: Release,
): FieldError[] {
  const overcommit = names.isOvercommitAllowed(name);
  const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
  if (limit === undefined) {
    return overcommit ? [] : [required(path.child('limits'), 'Limit must be set for non overcommitable resources')];
  }
  const order = parseQuantity(value).compare(parseQuantity(limit));
  if (order === 0 || (overcommit && order < 0)) return [];
  const shown = release.atLeast(29) ? ` of ${limit}` : '';
  const detail = `must be ${overcommit ? 'less than or ' : ''}equal to ${name} limit${shown}`;
  return [invalidValue(path.child('requests'), value, detail)];
}

/** Whether an amount of huge pages is a multiple of the page size in the resource's name. */
function isWholePages(name: string, amount: Quantity): boolean {
  let page: Quantity;
  try {
    page = parseQuantity(name.slice(name.indexOf('-') + 1));
  } catch {
    return false;
  }
  return page.sign > 0 && amount.sign >= 0 && amount.nanos % page.nanos === 0n;
}
