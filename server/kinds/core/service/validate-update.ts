import { type FieldError, FieldPath, forbiddenField, invalidValue } from '#base/errors/field-error.ts';
import { needsClusterIp } from '#schema/conversion/core/service-parts.ts';
import type { ServiceSpec } from '#schema/generated/core.v1.ts';
import { invalidShown, shownList } from '#schema/validation/go-list.ts';
import { clusterIpsError } from './cluster-ips.ts';
import { isHeadless, needsHealthCheckPort } from './parts.ts';
import { validateLoadBalancerClass } from './validate.ts';

const KEPT = 'may not change once set';
const spec = new FieldPath('spec');

/**
 * Validates the fields that must not change. A second address and family may be added and removed together with the
 * policy. The first ones stay, unless the service changes to or from an external name.
 */
export function validateServiceUpdate(object: ServiceSpec, old: ServiceSpec): FieldError[] {
  return [
    ...validateAddresses(object, old),
    ...validateFamilies(object, old),
    ...validateClass(object, old),
    ...validateHealthCheckPort(object, old),
  ];
}

/** Whether the addresses before and after the change can be compared. */
function comparable(object: ServiceSpec, old: ServiceSpec): boolean {
  if (!needsClusterIp(object) || !needsClusterIp(old)) return false;
  return !(isHeadless(object) && isHeadless(old));
}

function validateAddresses(object: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (!comparable(object, old)) return [];
  const path = spec.child('clusterIPs');
  const [values, before] = [object.clusterIPs ?? [], old.clusterIPs ?? []];
  if (values.length === 0 && before.length > 0) {
    return [clusterIpsError(values, 'primary clusterIP can not be unset', path.index(0))];
  }
  const kept = Math.min(values.length, before.length);
  const compared = values.length === before.length ? kept : Math.min(kept, 1);
  const errors: FieldError[] = [];
  for (let i = 0; i < compared; i++) {
    if (values[i] !== before[i]) errors.push(clusterIpsError(values, KEPT, path.index(i)));
  }
  return values.length < before.length ? [...errors, ...validateRelease(object, 'clusterIP')] : errors;
}

function validateFamilies(object: ServiceSpec, old: ServiceSpec): FieldError[] {
  // If a service has or had no address, its families can change freely.
  if (!comparable(object, old) || isHeadless(object) || isHeadless(old)) return [];
  const [values, before] = [object.ipFamilies ?? [], old.ipFamilies ?? []];
  const changed = before.length > 0 && values.length > 0 && values[0] !== before[0];
  const errors = changed
    ? [invalidShown(spec.child('ipFamilies').index(0), shownList('core.IPFamily', values), KEPT)]
    : [];
  return values.length < before.length ? [...errors, ...validateRelease(object, 'ipFamily')] : errors;
}

/** Validates that a service releases its second address or family only with the policy for a single one. */
function validateRelease({ ipFamilyPolicy }: ServiceSpec, what: string): FieldError[] {
  if (ipFamilyPolicy === 'SingleStack') return [];
  const detail = `must be set to 'SingleStack' when releasing the secondary ${what}`;
  return [invalidValue(spec.child('ipFamilyPolicy'), ipFamilyPolicy, detail)];
}

function validateClass(object: ServiceSpec, old: ServiceSpec): FieldError[] {
  const stays = object.type === 'LoadBalancer' && old.type === 'LoadBalancer';
  const changed = stays && object.loadBalancerClass !== old.loadBalancerClass;
  return [
    ...(changed ? [invalidValue(spec.child('loadBalancerClass'), object.loadBalancerClass, KEPT)] : []),
    ...validateLoadBalancerClass(object),
  ];
}

function validateHealthCheckPort(object: ServiceSpec, old: ServiceSpec): FieldError[] {
  if (!needsHealthCheckPort(object) || !needsHealthCheckPort(old)) return [];
  if (object.healthCheckNodePort === old.healthCheckNodePort) return [];
  return [forbiddenField(spec.child('healthCheckNodePort'), 'field is immutable')];
}
