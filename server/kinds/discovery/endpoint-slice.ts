import { append } from '#base/collections/append.ts';
import {
  declared,
  duplicate,
  type FieldError,
  FieldPath,
  invalidValue,
  notSupported,
  required,
  tooMany,
} from '#base/errors/field-error.ts';
import type { Release } from '#base/release/release.ts';
import { endpointSliceVersions } from '#schema/conversion/discovery/endpoint-slice.ts';
import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from '#schema/generated/discovery.v1.ts';
import { bounds } from '#schema/validation/bounds.ts';
import { validateDomain } from '#schema/validation/domain-names.ts';
import { age } from '#schema/validation/human-duration.ts';
import { fixedByRule, semanticallyEqual, validateImmutable } from '#schema/validation/immutable.ts';
import { familyOfText, validateIpv4, validateIpv6, validateReachableIp } from '#schema/validation/ip.ts';
import { canonicalIpText, ipSpelling, ipWarnings } from '#schema/validation/ip-names.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import { dns1123Label, labelValue, qualifiedName, subdomainName } from '#schema/validation/names.ts';
import { validateProtocol } from '#schema/validation/ports.ts';
import { validateText } from '#schema/validation/reference.ts';
import type { KindRules, WriteContext } from '../../api/resource-definition.ts';
import { defineKind } from '../define-kind.ts';
import { STRICT_SPELLING } from '../networking/strict-spelling.ts';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'] as const;
const MAX_ENDPOINTS = bounds['discovery.v1.EndpointSlice'].endpoints.maxItems;
const MAX_ADDRESSES = bounds['discovery.v1.Endpoint'].addresses.maxItems;
const MAX_PORTS = bounds['discovery.v1.EndpointSlice'].ports.maxItems;
/** The largest number of hints for zones, and also of hints for nodes. */
const MAX_HINTS = bounds['discovery.v1.EndpointHints'].forZones.maxItems;
const SHOWN = 3;

/** The rules for the endpoints of a slice that depend on the release and its feature gates. */
interface SliceRules {
  readonly release: Release;
  /**
   * Whether every program must understand the spelling of an IPv4 address in the same way. For IPv6 this is required
   * since 1.33.
   */
  readonly strict: boolean;
}

/** Validates an address by the rules since 1.33. An IPv6 address must then have the canonical form. */
function validateSpelledAddress(address: string, type: 'IPv4' | 'IPv6', strict: boolean, path: FieldPath) {
  const problems = type === 'IPv6' ? canonicalIpText(address) : ipSpelling(address, { strict });
  if (problems.length > 0) return problems.map((problem) => invalidValue(path, address, problem));
  if (familyOfText(address) !== type) return [invalidValue(path, address, `must be an ${type} address`)];
  return validateReachableIp(address, path);
}

function validateAddress(address: string, type: string, rules: SliceRules, path: FieldPath): FieldError[] {
  if (rules.release.atLeast(33) && (type === 'IPv4' || type === 'IPv6'))
    return validateSpelledAddress(address, type, rules.strict, path);
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

function validateHints({ forZones, forNodes }: EndpointHints, path: FieldPath): FieldError[] {
  if ((forZones ?? []).length > MAX_HINTS) return [tooMany(path.child('forZones'), forZones!.length, MAX_HINTS)];
  return [
    ...validateHinted(forZones ?? [], labelValue, path.child('forZones')),
    ...validateHinted(forNodes ?? [], subdomainName, path.child('forNodes')),
  ];
}

function validateHinted(
  hinted: readonly { readonly name?: string }[],
  check: (text: string) => string[],
  path: FieldPath,
): FieldError[] {
  if (hinted.length > MAX_HINTS) return [tooMany(path, hinted.length, MAX_HINTS)];
  const seen = new Set<string>();
  return hinted.flatMap(({ name = '' }, i) => {
    const at = path.index(i).child('name');
    const repeated = seen.has(name);
    seen.add(name);
    return [...(repeated ? [duplicate(at, name)] : []), ...validateText(name, check, at)];
  });
}

function validateEndpoint(endpoint: Endpoint, type: string, rules: SliceRules, path: FieldPath): FieldError[] {
  const addresses = endpoint.addresses ?? [];
  const at = path.child('addresses');
  const errors: FieldError[] = [];
  if (addresses.length === 0 && !rules.release.atLeast(MISSING_IS_LAST))
    errors.push(required(at, 'must contain at least 1 address'));
  if (addresses.length > MAX_ADDRESSES) errors.push(tooMany(at, addresses.length, MAX_ADDRESSES));
  addresses.forEach((address, i) => {
    append(errors, validateAddress(address, type, rules, at.index(i)));
  });
  const { nodeName, hostname, hints } = endpoint;
  if (nodeName !== undefined) append(errors, validateText(nodeName, subdomainName, path.child('nodeName')));
  if (hostname !== undefined) append(errors, validateText(hostname, dns1123Label, path.child('hostname')));
  if (hints !== undefined) append(errors, validateHints(hints, path.child('hints')));
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
    else append(errors, validateProtocol(protocol, at.child('protocol')));
    if (appProtocol !== undefined) append(errors, validateText(appProtocol, qualifiedName, at.child('appProtocol')));
    return errors;
  });
}

/** The release since which errors about endpoints without addresses come after all other errors. */
const MISSING_IS_LAST = 37;

/** Since 1.33 the errors of ports come before those of endpoints, and unchanged endpoints have no errors. */
function validate(slice: EndpointSlice, old: EndpointSlice | undefined, rules: SliceRules): FieldError[] {
  const ports = validatePorts(slice.ports ?? [], new FieldPath('ports'));
  const type = validateAddressType(slice);
  const found = validateEndpoints(slice, rules);
  if (!rules.release.atLeast(33)) return [...type, ...found, ...ports];
  const same = found.length > 0 && old !== undefined && semanticallyEqual(slice.endpoints, old.endpoints);
  const last = rules.release.atLeast(MISSING_IS_LAST) ? missing(slice) : [];
  return [...type, ...ports, ...(same ? [] : found), ...declared(last)];
}

function missing({ endpoints }: EndpointSlice): FieldError[] {
  const path = new FieldPath('endpoints');
  return (endpoints ?? []).flatMap(({ addresses }, i) =>
    (addresses ?? []).length === 0 ? [required(path.index(i).child('addresses'))] : [],
  );
}

function validateAddressType(slice: EndpointSlice): FieldError[] {
  const { addressType: type = '' } = slice;
  const at = new FieldPath('addressType');
  if (type === '') return declared([required(at)], MISSING_IS_LAST);
  const isKnown = (ADDRESS_TYPES as readonly string[]).includes(type);
  return isKnown ? [] : declared([notSupported(at, type, ADDRESS_TYPES)], MISSING_IS_LAST);
}

function validateEndpoints({ addressType = '', ...slice }: EndpointSlice, rules: SliceRules): FieldError[] {
  const endpoints = slice.endpoints ?? [];
  const path = new FieldPath('endpoints');
  if (endpoints.length > MAX_ENDPOINTS) return [tooMany(path, endpoints.length, MAX_ENDPOINTS)];
  return endpoints.flatMap((endpoint, i) => validateEndpoint(endpoint, addressType, rules, path.index(i)));
}

/**
 * Warns about a new slice of the type FQDN, because this type is deprecated. Also warns about IPv4 addresses without
 * the canonical form.
 */
function sliceWarnings(slice: EndpointSlice, old: EndpointSlice | undefined, release: Release): string[] {
  const { addressType } = slice;
  const ofNames = addressType === 'FQDN' && old === undefined;
  const spelled = release.atLeast(33) && addressType === 'IPv4';
  const path = new FieldPath('endpoints');
  return [
    ...(ofNames ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
    ...(spelled ? (slice.endpoints ?? []) : []).flatMap(({ addresses }, i) =>
      (addresses ?? []).flatMap((text, j) => ipWarnings(text, path.index(i).child('addresses').index(j))),
    ),
  ];
}

/** Removes the topology of endpoints: only an earlier version of the kind can set it. */
function dropTopology(slice: EndpointSlice): void {
  for (const endpoint of slice.endpoints ?? []) delete endpoint.deprecatedTopology;
}

function firstFew(items: readonly string[]): string {
  const list = items.slice(0, SHOWN).join(',');
  if (items.length > SHOWN) return `${list} + ${items.length - SHOWN} more...`;
  return list === '' ? '<unset>' : list;
}

/** The kind of endpoint slices. Each contains some of the addresses behind a service. */
export const createEndpointSliceRules = (release: Release): KindRules<EndpointSlice> => {
  const rulesOf = ({ gates }: WriteContext): SliceRules => ({ release, strict: gates.enabled(STRICT_SPELLING) });
  return defineKind('discovery/endpointslices', {
    versions: endpointSliceVersions,
    ignoresMetadataChange: true,
    // If a client changes the topology, this still counts as a change of the content.
    canonicalize: dropTopology,
    validate: (object, context) => validate(object, undefined, rulesOf(context)),
    ...(release.atLeast(27) && {
      warnings: (object: EndpointSlice, old: EndpointSlice | undefined) => sliceWarnings(object, old, release),
    }),
    validateUpdate: (object, old, context) => [
      ...validateKindMetadata(object, { namespaced: true }, context.naming),
      ...validate(object, old, rulesOf(context)),
      ...validateImmutable(object.addressType ?? '', old.addressType ?? '', new FieldPath('addressType')).map(
        fixedByRule,
      ),
    ],
    cells: (object, { now }) => [
      object.metadata.name ?? '',
      object.addressType ?? '',
      firstFew((object.ports ?? []).map(({ port, name = '' }) => (port === undefined ? name : String(port)))),
      firstFew((object.endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
      age(object.metadata.creationTimestamp, now),
    ],
  });
};
