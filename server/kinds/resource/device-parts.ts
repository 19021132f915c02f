import { append } from '#base/collections/append.ts';
import {
  declared,
  duplicate,
  type FieldError,
  type FieldPath,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '#base/errors/field-error.ts';
import type { Release } from '#base/release/release.ts';
import type {
  DeviceConfiguration,
  DeviceSelector,
  DeviceTaint,
  DeviceToleration,
} from '#schema/generated/resource.v1.ts';
import { bounds } from '#schema/validation/bounds.ts';
import { dns1123Label, dns1123Subdomain, labelValue, qualifiedName } from '#schema/validation/names.ts';
import { deviceSelectorProblem } from '../../expressions/devices/compile-device-selector.ts';

const MAX_SELECTORS = bounds['resource.v1.DeviceClassSpec'].selectors.maxItems;
const MAX_CONFIGURATIONS = bounds['resource.v1.DeviceClassSpec'].config.maxItems;
const MAX_DRIVER = 63;
const MAX_POOL = 253;
const MAX_EXPRESSION = bounds['resource.v1.CELDeviceSelector'].expression.maxLength;
const EFFECTS = ['NoExecute', 'NoSchedule', 'None'];
const UNKNOWN_REQUEST =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/** Validates a list with a limit of items. The items of a longer list get no separate errors. */
export function validateList<T>(
  items: readonly T[] | null | undefined,
  max: number,
  path: FieldPath,
  validate: (item: T, path: FieldPath) => FieldError[],
): FieldError[] {
  const list = items ?? [];
  if (list.length > max) return [tooMany(path, list.length, max)];
  return list.flatMap((item, i) => validate(item, path.index(i)));
}

/** The errors about items that repeat the key of an earlier item. */
export function validateOnce<T>(
  items: readonly T[] | null | undefined,
  path: FieldPath,
  keyOf: (item: T) => string,
): FieldError[] {
  const seen = new Set<string>();
  return (items ?? []).flatMap((item, i) => {
    const key = keyOf(item);
    if (seen.has(key)) return [duplicate(path.index(i), key)];
    seen.add(key);
    return [];
  });
}

/** Validates the name of a device, request or set of counters. */
export function validateLabelName(name: string, path: FieldPath): FieldError[] {
  if (name === '') return [required(path)];
  return dns1123Label(name).map((problem) => invalidValue(path, name, problem));
}

/** Validates the name of a driver. It is a domain of limited length. */
export function validateDriver(driver: string, path: FieldPath): FieldError[] {
  if (driver === '') return [required(path)];
  const errors = dns1123Subdomain(driver.toLowerCase()).map((problem) => invalidValue(path, driver, problem));
  return Buffer.byteLength(driver) > MAX_DRIVER ? [...errors, tooLong(path, driver, MAX_DRIVER)] : errors;
}

/** Validates the name of a pool. It consists of domains with slashes between them. */
export function validatePoolName(name: string, path: FieldPath): FieldError[] {
  if (name === '') return [required(path)];
  const errors = name
    .split('/')
    .flatMap((part) => dns1123Subdomain(part).map((problem) => invalidValue(path, part, problem)));
  return Buffer.byteLength(name) > MAX_POOL ? [...errors, tooLong(path, name, MAX_POOL)] : errors;
}

/**
 * Validates selectors of devices. `stored` are expressions that the object already has. They were valid when they were
 * written.
 */
export function validateSelectors(
  selectors: readonly DeviceSelector[] | undefined,
  path: FieldPath,
  release: Release,
  stored: ReadonlySet<string> = new Set(),
): FieldError[] {
  return validateList(selectors, MAX_SELECTORS, path, ({ cel }, at) => {
    if (cel === undefined || cel === null) return [required(at.child('cel'))];
    const expression = at.child('cel', 'expression');
    if (cel.expression === '') return [required(expression)];
    if (cel.expression.length > MAX_EXPRESSION) return [tooLong(expression, '', MAX_EXPRESSION)];
    const problem = stored.has(cel.expression) ? undefined : deviceSelectorProblem(cel.expression, release);
    return problem === undefined ? [] : [invalidValue(expression, cel.expression, problem)];
  });
}

/** Validates references to requests of a claim. `known` is undefined if there are no requests. */
export function validateReferences(
  requests: readonly string[] | undefined,
  known: ReadonlySet<string>,
  max: number,
  path: FieldPath,
): FieldError[] {
  return [
    ...validateList(requests, max, path, (name, at) =>
      known.has(name) ? [] : [invalidValue(at, name, UNKNOWN_REQUEST)],
    ),
    ...declared(validateOnce(requests, path, (name) => name)),
  ];
}

/** Validates settings for drivers. They are for all devices or for those of some requests. */
export function validateConfigurations(
  configurations: readonly (DeviceConfiguration & { readonly requests?: string[] })[] | undefined,
  known: ReadonlySet<string> | undefined,
  path: FieldPath,
): FieldError[] {
  return validateList(configurations, MAX_CONFIGURATIONS, path, ({ requests, opaque }, at) => {
    const errors =
      known === undefined ? [] : validateReferences(requests, known, MAX_CONFIGURATIONS, at.child('requests'));
    if (opaque === undefined || opaque === null) return [...errors, required(at.child('opaque'))];
    const inside = at.child('opaque');
    if (opaque.parameters === undefined || opaque.parameters === null)
      errors.push(required(inside.child('parameters')));
    return [...errors, ...validateDriver(opaque.driver, inside.child('driver'))];
  });
}

export function validateTolerations(
  tolerations: readonly DeviceToleration[] | undefined,
  path: FieldPath,
): FieldError[] {
  return validateList(tolerations, 16, path, ({ key = '', operator = '', value = '', effect = '' }, at) => {
    const errors: FieldError[] = key === '' ? [] : declared(named(key, qualifiedName, at.child('key')));
    if (operator === 'Exists') {
      if (value !== '') errors.push(invalidValue(at.child('value'), value, 'must be empty for operator `Exists`'));
    } else if (operator === 'Equal') append(errors, named(value, labelValue, at.child('value')));
    else if (operator === '') append(errors, declared([required(at.child('operator'))]));
    else append(errors, declared([notSupported(at.child('operator'), operator, ['Equal', 'Exists'])]));
    if (effect !== '' && !EFFECTS.includes(effect))
      append(errors, declared([notSupported(at.child('effect'), effect, EFFECTS)]));
    return errors;
  });
}

export function validateTaint({ key, value = '', effect }: DeviceTaint, path: FieldPath): FieldError[] {
  const errors = named(key, qualifiedName, path.child('key'));
  if (value !== '') append(errors, named(value, labelValue, path.child('value')));
  if (effect === '') return [...errors, required(path.child('effect'))];
  return EFFECTS.includes(effect) ? errors : [...errors, notSupported(path.child('effect'), effect, EFFECTS)];
}

function named(text: string, check: (text: string) => string[], path: FieldPath): FieldError[] {
  return check(text).map((problem) => invalidValue(path, text, problem));
}
