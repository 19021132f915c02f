import { append } from '#base/collections/append.ts';
import { askedBefore } from '#base/collections/asked-before.ts';
import {
  duplicate,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type { Service, ServiceSpec } from '#schema/generated/core.v1.ts';
import { invalidShown, shownList } from '#schema/validation/go-list.ts';
import { familyOfText } from '#schema/validation/ip.ts';
import { ipSpelling, type Spelling } from '#schema/validation/ip-names.ts';
import { HEADLESS, isHeadless, sameTexts } from './parts.ts';

/** The refusal of one of the addresses that a service asks for. */
export function addressRefused(service: Service, ip: string, why: string): FieldError {
  const detail = `failed to allocate IP ${ip}: ${why}`;
  return clusterIpsError(service.spec?.clusterIPs, detail, spec.child('clusterIPs'));
}

const FAMILIES = ['IPv4', 'IPv6'] as const;
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'] as const;
const MAX_CLUSTER_IPS = 2;
const spec = new FieldPath('spec');

/** An error about the list of cluster IPs. Messages show the whole list. */
export function clusterIpsError(values: readonly string[] | undefined, detail: string, path: FieldPath): FieldError {
  return invalidShown(path, shownList('string', values), detail);
}

/**
 * Makes `clusterIP` and `clusterIPs` equal. A client that knows only the first field leaves out the list or sends it
 * back unchanged. The field that a client changed takes precedence. If both were changed, validation decides.
 */
export function alignClusterIps(object: ServiceSpec, old: ServiceSpec | undefined): void {
  const { clusterIP = '', clusterIPs } = object;
  const none = (clusterIPs ?? []).length === 0;
  if (old === undefined) {
    if (clusterIP !== '' && none) object.clusterIPs = [clusterIP];
    return;
  }
  const before = old.clusterIP ?? '';
  if (before === clusterIP) {
    if (none && (old.clusterIPs ?? []).length > 0) object.clusterIPs = [...old.clusterIPs!];
    return;
  }
  if (!sameTexts(clusterIPs, old.clusterIPs)) return;
  if (clusterIP === '') delete object.clusterIPs;
  else object.clusterIPs = [clusterIP];
}

/**
 * Errors of cluster IPs, families and the policy that do not depend on the server's ranges.
 */
export function validateClusterIps(object: ServiceSpec, spelling: Spelling): FieldError[] {
  if (object.type === 'ExternalName') return [];
  const path = spec.child('clusterIPs');
  const { clusterIP = '', clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = object;
  const errors: FieldError[] = [];
  if (clusterIP !== '' && clusterIPs.length === 0) errors.push(required(path));
  else if (clusterIP !== '' && clusterIPs[0] !== clusterIP) {
    errors.push(clusterIpsError(clusterIPs, 'first value must match `clusterIP`', path));
  } else if (clusterIP === '' && clusterIPs.length > 0) {
    errors.push(clusterIpsError(clusterIPs, 'must be empty when `clusterIP` is not specified', path));
  }
  append(errors, validateFamilies(ipFamilies, spec.child('ipFamilies')));
  if (ipFamilyPolicy !== undefined && !(POLICIES as readonly string[]).includes(ipFamilyPolicy)) {
    errors.push(notSupported(spec.child('ipFamilyPolicy'), ipFamilyPolicy, POLICIES));
  }
  const addresses = validateAddresses(clusterIPs, spelling, path);
  append(errors, addresses);
  if (clusterIPs.length > MAX_CLUSTER_IPS) {
    errors.push(clusterIpsError(clusterIPs, `may only hold up to ${MAX_CLUSTER_IPS} values`, path));
  }
  if (addresses.length > 0) return errors;
  if (clusterIPs.length > 1 && new Set(clusterIPs.map(familyOfText)).size < FAMILIES.length) {
    errors.push(clusterIpsError(clusterIPs, 'may specify no more than one IP for each IP family', path));
  }
  if (isHeadless(object)) return errors;
  clusterIPs.forEach((ip, i) => {
    const family = ipFamilies[i];
    if (family === undefined || familyOfText(ip) === family || !(FAMILIES as readonly string[]).includes(family))
      return;
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${i}]\``;
    errors.push(invalidValue(path.index(i), ip, detail));
  });
  return errors;
}

function validateFamilies(families: readonly string[], path: FieldPath): FieldError[] {
  const again = askedBefore<string>();
  return families.flatMap((family, i) => {
    const known = (FAMILIES as readonly string[]).includes(family);
    return [
      ...(known ? [] : [notSupported(path.index(i), family, FAMILIES)]),
      ...(again(family) ? [duplicate(path.index(i), family)] : []),
    ];
  });
}

function validateAddresses(values: readonly string[], spelling: Spelling, path: FieldPath): FieldError[] {
  return values.flatMap((value, i) => {
    if (i === 0 && value === HEADLESS) {
      return values.length > 1 ? [clusterIpsError(values, "'None' must be the first and only value", path)] : [];
    }
    return ipSpelling(value, spelling).map((problem) => invalidValue(path.index(i), value, problem));
  });
}

/** Validates that a service which is only an external name does not have these fields. */
export function forbidClusterIps({ clusterIPs, ipFamilies, ipFamilyPolicy }: ServiceSpec): FieldError[] {
  const detail = 'may not be set for ExternalName services';
  return [
    ...((clusterIPs ?? []).length > 0 ? [forbiddenField(spec.child('clusterIPs'), detail)] : []),
    ...((ipFamilies ?? []).length > 0 ? [forbiddenField(spec.child('ipFamilies'), detail)] : []),
    ...(ipFamilyPolicy !== undefined ? [forbiddenField(spec.child('ipFamilyPolicy'), detail)] : []),
  ];
}
