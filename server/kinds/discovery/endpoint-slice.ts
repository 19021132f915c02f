import { duplicate, type FieldError, FieldPath, notSupported, required, tooMany } from '#base/errors/field-error.ts';
import { endpointSliceVersions } from '#schema/conversion/discovery/endpoint-slice.ts';
import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from '#schema/generated/discovery.v1.ts';
import { validateDomain } from '#schema/validation/domain-names.ts';
import { age } from '#schema/validation/human-duration.ts';
import { validateImmutable } from '#schema/validation/immutable.ts';
import { validateIpv4, validateIpv6, validateReachableIp } from '#schema/validation/ip.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import { dns1123Label, labelValue, qualifiedName, subdomainName } from '#schema/validation/names.ts';
import { validateProtocol } from '#schema/validation/ports.ts';
import { validateText } from '#schema/validation/reference.ts';
import { defineKind } from '../define-kind.ts';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'] as const;
const MAX_ENDPOINTS = 1000;
const MAX_ADDRESSES = 100;
const MAX_PORTS = 20000;
const MAX_ZONE_HINTS = 8;
const SHOWN = 3;

function validateAddress(address: string, type: string, path: FieldPath): FieldError[] {
  switch (type) {
    case 'IPv4':
      return [...validateIpv4(address, path), ...validateReachableIp(address, path)];
    case 'IPv6':
      return [...validateIpv6(address, path), ...validateReachableIp(address, path)];
    case 'FQDN':
      return validateDomain(address, path);
    default:
      return [];
  }
}

function validateHints(hints: EndpointHints, path: FieldPath): FieldError[] {
  const zones = hints.forZones ?? [];
  if (zones.length > MAX_ZONE_HINTS) return [tooMany(path, zones.length, MAX_ZONE_HINTS)];
  const seen = new Set<string>();
  return zones.flatMap(({ name = '' }, i) => {
    const at = path.index(i).child('name');
    const repeated = seen.has(name);
    seen.add(name);
    return [...(repeated ? [duplicate(at, name)] : []), ...validateText(name, labelValue, at)];
  });
}

function validateEndpoint(endpoint: Endpoint, type: string, path: FieldPath): FieldError[] {
  const addresses = endpoint.addresses ?? [];
  const at = path.child('addresses');
  const errors: FieldError[] = [];
  if (addresses.length === 0) errors.push(required(at, 'must contain at least 1 address'));
  if (addresses.length > MAX_ADDRESSES) errors.push(tooMany(at, addresses.length, MAX_ADDRESSES));
  addresses.forEach((address, i) => {
    errors.push(...validateAddress(address, type, at.index(i)));
  });
  const { nodeName, hostname, hints } = endpoint;
  if (nodeName !== undefined) errors.push(...validateText(nodeName, subdomainName, path.child('nodeName')));
  if (hostname !== undefined) errors.push(...validateText(hostname, dns1123Label, path.child('hostname')));
  if (hints !== undefined) errors.push(...validateHints(hints, path.child('hints', 'forZones')));
  return errors;
}

function validatePorts(ports: readonly EndpointPort[], path: FieldPath): FieldError[] {
  if (ports.length > MAX_PORTS) return [tooMany(path, ports.length, MAX_PORTS)];
  const seen = new Set<string>();
  return ports.flatMap(({ name = '', protocol, appProtocol }, i) => {
    const at = path.index(i);
    const errors = name === '' ? [] : validateText(name, dns1123Label, at.child('name'));
    if (seen.has(name)) errors.push(duplicate(at.child('name'), name));
    seen.add(name);
    if (protocol === '') errors.push(notSupported(at.child('protocol'), '', ['SCTP', 'TCP', 'UDP']));
    else errors.push(...validateProtocol(protocol, at.child('protocol')));
    if (appProtocol !== undefined) errors.push(...validateText(appProtocol, qualifiedName, at.child('appProtocol')));
    return errors;
  });
}

function validate(slice: EndpointSlice): FieldError[] {
  const { addressType: type = '' } = slice;
  const at = new FieldPath('addressType');
  const errors: FieldError[] = [];
  if (type === '') errors.push(required(at));
  else if (!(ADDRESS_TYPES as readonly string[]).includes(type)) errors.push(notSupported(at, type, ADDRESS_TYPES));
  const endpoints = slice.endpoints ?? [];
  const path = new FieldPath('endpoints');
  if (endpoints.length > MAX_ENDPOINTS) errors.push(tooMany(path, endpoints.length, MAX_ENDPOINTS));
  else {
    endpoints.forEach((endpoint, i) => {
      errors.push(...validateEndpoint(endpoint, type, path.index(i)));
    });
  }
  return [...errors, ...validatePorts(slice.ports ?? [], new FieldPath('ports'))];
}

/** The topology of an endpoint was read from objects of earlier versions; this one cannot set it. */
function dropTopology(slice: EndpointSlice): void {
  for (const endpoint of slice.endpoints ?? []) delete endpoint.deprecatedTopology;
}

function firstFew(items: readonly string[]): string {
  const list = items.slice(0, SHOWN).join(',');
  if (items.length > SHOWN) return `${list} + ${items.length - SHOWN} more...`;
  return list === '' ? '<unset>' : list;
}

/** Some of the addresses behind a service. */
export const endpointSlice = defineKind('discovery/endpointslices', {
  versions: endpointSliceVersions,
  ignoresMetadataChange: true,
  // a change of it counts as one of the content all the same
  canonicalize: dropTopology,
  validate,
  validateUpdate: (object, old, { naming }) => [
    ...validateKindMetadata(object, { namespaced: true }, naming),
    ...validate(object),
    ...validateImmutable(object.addressType ?? '', old.addressType ?? '', new FieldPath('addressType')),
  ],
  cells: (object, { now }) => [
    object.metadata.name ?? '',
    object.addressType ?? '',
    firstFew((object.ports ?? []).map(({ port, name = '' }) => (port === undefined ? name : String(port)))),
    firstFew((object.endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
    age(object.metadata.creationTimestamp, now),
  ],
});
