import { append } from '#base/collections/append.ts';
import {
  declared,
  duplicate,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type { Release } from '#base/release/release.ts';
import type {
  DeviceConstraint,
  DeviceRequest,
  ExactDeviceRequest,
  ResourceClaimSpec,
} from '#schema/generated/resource.v1.ts';
import { bounds } from '#schema/validation/bounds.ts';
import { cIdentifier, dns1123Subdomain } from '#schema/validation/names.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import {
  validateConfigurations,
  validateLabelName,
  validateList,
  validateReferences,
  validateSelectors,
  validateTolerations,
} from './device-parts.ts';

const MAX_ITEMS = bounds['resource.v1.DeviceClaim'].requests.maxItems;
const MAX_SUBREQUESTS = bounds['resource.v1.DeviceRequest'].firstAvailable.maxItems;
const MODES = ['All', 'ExactCount'];

/** The names by which parts of a claim refer to its requests: `gpu`, and `gpu/first` for an alternative. */
export function requestNames({ devices }: Partial<ResourceClaimSpec>): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { name, firstAvailable } of devices?.requests ?? []) {
    names.add(name);
    for (const alternative of firstAvailable ?? []) names.add(`${name}/${alternative.name}`);
  }
  return names;
}

type Amount = Pick<ExactDeviceRequest, 'deviceClassName' | 'selectors' | 'allocationMode' | 'count' | 'tolerations'>;

function validateAmount(request: Amount, path: FieldPath, release: Release): FieldError[] {
  const { deviceClassName, allocationMode: mode = '', count } = request;
  const errors: FieldError[] =
    deviceClassName === ''
      ? [required(path.child('deviceClassName'))]
      : dns1123Subdomain(deviceClassName).map((problem) =>
          invalidValue(path.child('deviceClassName'), deviceClassName, problem),
        );
  append(errors, validateSelectors(request.selectors, path.child('selectors'), release));
  const amount = Number(count ?? 0);
  if (mode === 'All' && amount !== 0)
    errors.push(invalidValue(path.child('count'), count, "must not be specified when allocationMode is 'All'"));
  if (mode === 'ExactCount' && amount <= 0)
    errors.push(invalidValue(path.child('count'), count, 'must be greater than zero'));
  if (!MODES.includes(mode)) append(errors, declared([notSupported(path.child('allocationMode'), mode, MODES)]));
  return [...errors, ...validateTolerations(request.tolerations, path.child('tolerations'))];
}

function validateRequest(
  { name, exactly, firstAvailable }: DeviceRequest,
  path: FieldPath,
  release: Release,
): FieldError[] {
  const errors = validateLabelName(name, path.child('name'));
  const one = 'exactly one of `exactly` or `firstAvailable` is required';
  const alternatives = firstAvailable ?? [];
  if (exactly === undefined && alternatives.length === 0) return [...errors, required(path, one)];
  if (exactly !== undefined && alternatives.length > 0)
    return [...errors, invalidValue(path, null, `${one}, but multiple fields are set`)];
  if (exactly !== undefined) return [...errors, ...validateAmount(exactly, path.child('exactly'), release)];
  const inside = path.child('firstAvailable');
  return [
    ...errors,
    ...validateList(alternatives, MAX_SUBREQUESTS, inside, (alternative, at) => [
      ...validateLabelName(alternative.name, at.child('name')),
      ...validateAmount(alternative, at, release),
    ]),
    ...(alternatives.length > MAX_SUBREQUESTS ? [] : declared(again(alternatives, inside))),
  ];
}

function again(items: readonly { readonly name: string }[], path: FieldPath): FieldError[] {
  return items.flatMap((item, i) =>
    items.findIndex(({ name }) => name === item.name) < i ? [duplicate(path.index(i), item)] : [],
  );
}

function validateQualified(name: string, path: FieldPath): FieldError[] {
  const [domain = '', identifier, ...rest] = name.split('/');
  if (identifier === undefined || rest.length > 0)
    return [invalidValue(path, name, 'a fully qualified name must be a domain and a name separated by a slash')];
  return [
    ...dns1123Subdomain(domain).map((problem) => invalidValue(path, domain, problem)),
    ...cIdentifier(identifier).map((problem) => invalidValue(path, identifier, problem)),
  ];
}

function validateConstraint(constraint: DeviceConstraint, known: ReadonlySet<string>, path: FieldPath): FieldError[] {
  const errors = validateReferences(constraint.requests, known, MAX_ITEMS, path.child('requests'));
  const { matchAttribute, distinctAttribute } = constraint;
  if (matchAttribute !== undefined)
    return [...errors, ...declared(validateQualified(matchAttribute, path.child('matchAttribute')))];
  if (distinctAttribute !== undefined)
    return [...errors, ...declared(validateQualified(distinctAttribute, path.child('distinctAttribute')))];
  const one = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
  return [...errors, required(path, one)];
}

/** Validates the requests of a claim. */
export function validateClaimSpec(spec: Partial<ResourceClaimSpec>, path: FieldPath, release: Release): FieldError[] {
  const devices = path.child('devices');
  const { requests, constraints, config } = spec.devices ?? {};
  const known = requestNames(spec);
  const list = validateList(requests, MAX_ITEMS, devices.child('requests'), (request, at) =>
    validateRequest(request, at, release),
  );
  const whole = (requests ?? []).length <= MAX_ITEMS;
  return [
    ...list,
    ...validateList(constraints, MAX_ITEMS, devices.child('constraints'), (one, at) =>
      validateConstraint(one, known, at),
    ),
    ...validateConfigurations(config, known, devices.child('config')),
    ...(whole ? declared(again(requests ?? [], devices.child('requests'))) : []),
  ];
}

/** The error about a request for devices that others use. The namespace needs a label for it. */
export function adminAccessError(path: FieldPath, { naming, namespaceLabels }: WriteContext): FieldError[] {
  const label = naming.key('resource/admin-access');
  if (namespaceLabels?.()?.[label] === 'true') return [];
  const detail = `admin access to devices requires the \`${label}: true\` label on the containing namespace`;
  return [forbiddenField(path, detail)];
}

/** Validates requests for devices that others use. Only namespaces with the label may make them. */
export function validateAdminAccess({ devices }: Partial<ResourceClaimSpec>, context: WriteContext): FieldError[] {
  const first = (devices?.requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true);
  if (first < 0) return [];
  const path = new FieldPath('spec').child('devices', 'requests').index(first).child('adminAccess');
  return adminAccessError(path, context);
}
