import { type FieldError, FieldPath, invalidValue } from '#base/errors/field-error.ts';
import type { ServiceSpec } from '#schema/generated/core.v1.ts';
import { familyOfText } from '#schema/validation/ip.ts';
import { clusterIpsError, validateClusterIps } from './cluster-ips.ts';
import { HEADLESS, isHeadless, sameTexts } from './parts.ts';
import type { ServiceNetworks } from './service-networks.ts';

const spec = new FieldPath('spec');

/**
 * Decides which address families a service has, from its wishes and the networks of the server. A service that prefers
 * two families gets the second one only when it is changed, and not because the server got another network. Changes
 * `object`. Returns the errors. If there are any, the other parts of the service need no check.
 * @param strict whether every program must understand new addresses in the same way
 */
export function settleFamilies(
  object: ServiceSpec,
  old: ServiceSpec | undefined,
  networks: ServiceNetworks,
  strict = false,
): FieldError[] {
  if (object.type === 'ExternalName') return [];
  if (old !== undefined && keepsPreference(object, old)) return [];
  const loose = validateClusterIps(object, { strict, kept: new Set(old?.clusterIPs) });
  if (loose.length > 0) return loose;
  if (old !== undefined) trimForDowngrade(object, old);
  object.ipFamilyPolicy ??= defaultPolicy(object, old);
  const inferred = [...validateCounts(object), ...inferFamilies(object, networks)];
  if (inferred.length > 0) return inferred;
  if (object.clusterIP === HEADLESS && withoutSelector(object)) {
    settleSelectorless(object, networks);
    return [];
  }
  const unserved = validateServed(object, networks);
  if (unserved.length > 0) return unserved;
  if ((object.ipFamilies ?? []).length === 0) object.ipFamilies = [networks.defaultFamily];
  if (object.ipFamilyPolicy !== 'SingleStack' && object.ipFamilies!.length === 1 && networks.families.length > 1) {
    object.ipFamilies!.push(other(object.ipFamilies![0]!));
  }
  return [];
}

function other(family: string): string {
  return family === 'IPv4' ? 'IPv6' : 'IPv4';
}

function withoutSelector(object: ServiceSpec): boolean {
  return Object.keys(object.selector ?? {}).length === 0;
}

function keepsPreference(object: ServiceSpec, old: ServiceSpec): boolean {
  return (
    object.ipFamilyPolicy === 'PreferDualStack' &&
    old.ipFamilyPolicy === 'PreferDualStack' &&
    (object.clusterIPs ?? []).length > 0 &&
    sameTexts(object.clusterIPs, old.clusterIPs) &&
    sameTexts(object.ipFamilies, old.ipFamilies)
  );
}

/** Asking for one family is enough to release the second address. The client need not shorten the lists. */
function trimForDowngrade(object: ServiceSpec, old: ServiceSpec): void {
  if (object.ipFamilyPolicy !== 'SingleStack' || old.ipFamilyPolicy === 'SingleStack') return;
  if (sameTexts(object.clusterIPs, old.clusterIPs) && object.clusterIPs !== undefined) {
    object.clusterIPs = object.clusterIPs.slice(0, 1);
  }
  if (sameTexts(object.ipFamilies, old.ipFamilies) && object.ipFamilies !== undefined) {
    object.ipFamilies = object.ipFamilies.slice(0, 1);
  }
}

function defaultPolicy(object: ServiceSpec, old: ServiceSpec | undefined): string {
  if (object.clusterIP === HEADLESS && withoutSelector(object)) return 'RequireDualStack';
  // An update that names no family keeps two addresses.
  const keepsBoth = (old?.clusterIPs ?? []).length > 1 && sameTexts(object.clusterIPs, old?.clusterIPs);
  return (keepsBoth ? old?.ipFamilyPolicy : undefined) ?? 'SingleStack';
}

function validateCounts({ ipFamilyPolicy, clusterIPs = [], ipFamilies = [] }: ServiceSpec): FieldError[] {
  if (ipFamilyPolicy !== 'SingleStack') return [];
  const refuse = (what: string) =>
    invalidValue(
      spec.child('ipFamilyPolicy'),
      ipFamilyPolicy,
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    );
  return [
    ...(clusterIPs.length === 2 ? [refuse('cluster IPs')] : []),
    ...(ipFamilies.length === 2 ? [refuse('IP families')] : []),
  ];
}

/** Sets the families from the addresses if they are not given. */
function inferFamilies(object: ServiceSpec, networks: ServiceNetworks): FieldError[] {
  if (isHeadless(object)) return [];
  const clusterIPs = object.clusterIPs ?? [];
  const families = [...(object.ipFamilies ?? [])];
  const errors: FieldError[] = [];
  clusterIPs.forEach((ip, i) => {
    const family = familyOfText(ip)!;
    if (i < families.length) return;
    if (networks.has(family)) families.push(family);
    else {
      errors.push(
        clusterIpsError(clusterIPs, `${family} is not configured on this cluster`, spec.child('clusterIPs').index(i)),
      );
    }
  });
  if (families.length > 0) object.ipFamilies = families;
  return errors;
}

/** Allows any family in the networks of this server, because clients write the endpoints of such a service. */
function settleSelectorless(object: ServiceSpec, networks: ServiceNetworks): void {
  const families = (object.ipFamilies ?? []).length > 0 ? [...object.ipFamilies!] : [networks.defaultFamily as string];
  if (families.length < 2 && object.ipFamilyPolicy !== 'SingleStack') families.push(other(families[0]!));
  object.ipFamilies = families;
}

function validateServed({ ipFamilyPolicy, ipFamilies = [] }: ServiceSpec, networks: ServiceNetworks): FieldError[] {
  const errors: FieldError[] = [];
  if (ipFamilyPolicy === 'RequireDualStack' && networks.families.length < 2) {
    const detail = 'this cluster is not configured for dual-stack services';
    errors.push(invalidValue(spec.child('ipFamilyPolicy'), ipFamilyPolicy, detail));
  }
  ipFamilies.forEach((family, i) => {
    if (!networks.has(family)) {
      errors.push(invalidValue(spec.child('ipFamilies').index(i), family, 'not configured on this cluster'));
    }
  });
  return errors;
}
