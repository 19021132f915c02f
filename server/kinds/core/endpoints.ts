import { append } from '#base/collections/append.ts';
import { type FieldError, FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import type { Release } from '#base/release/release.ts';
import { endpointsVersions } from '#schema/conversion/core/endpoints.ts';
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from '#schema/generated/core.v1.ts';
import { bounds, validateBound } from '#schema/validation/bounds.ts';
import { age } from '#schema/validation/human-duration.ts';
import { semanticallyEqual } from '#schema/validation/immutable.ts';
import { validateReachableIp } from '#schema/validation/ip.ts';
import { ipSpelling, ipWarnings } from '#schema/validation/ip-names.ts';
import { dns1123Label, qualifiedName, subdomainName } from '#schema/validation/names.ts';
import { validateProtocol } from '#schema/validation/ports.ts';
import { validateText } from '#schema/validation/reference.ts';
import type { KindRules } from '../../api/resource-definition.ts';
import { defineKind } from '../define-kind.ts';
import { STRICT_SPELLING } from '../networking/strict-spelling.ts';

const SHOWN = 3;

function validateAddress(
  { ip = '', hostname, nodeName }: EndpointAddress,
  strict: boolean,
  path: FieldPath,
): FieldError[] {
  return [
    ...ipSpelling(ip, { strict }).map((problem) => invalidValue(path.child('ip'), ip, problem)),
    ...(hostname ? validateText(hostname, dns1123Label, path.child('hostname')) : []),
    ...(nodeName === undefined ? [] : validateText(nodeName, subdomainName, path.child('nodeName'))),
    ...validateReachableIp(ip, path.child('ip')),
  ];
}

function validatePort(
  { name = '', port, protocol, appProtocol }: EndpointPort,
  nameNeeded: boolean,
  path: FieldPath,
): FieldError[] {
  const errors = name === '' ? [] : validateText(name, dns1123Label, path.child('name'));
  if (name === '' && nameNeeded) errors.push(required(path.child('name')));
  return [
    ...errors,
    ...validateBound(port ?? 0, bounds['core.v1.EndpointPort'].port, path.child('port')),
    ...validateProtocol(protocol, path.child('protocol')),
    ...(appProtocol === undefined ? [] : validateText(appProtocol, qualifiedName, path.child('appProtocol'))),
  ];
}

function validateSubsets(subsets: readonly EndpointSubset[] | undefined, strict: boolean): FieldError[] {
  return (subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, i) => {
    const path = new FieldPath('subsets').index(i);
    const none = addresses.length === 0 && notReadyAddresses.length === 0;
    return [
      ...(none ? [required(path, 'must specify `addresses` or `notReadyAddresses`')] : []),
      ...addresses.flatMap((address, j) => validateAddress(address, strict, path.child('addresses').index(j))),
      ...notReadyAddresses.flatMap((address, j) =>
        validateAddress(address, strict, path.child('notReadyAddresses').index(j)),
      ),
      ...ports.flatMap((port, j) => validatePort(port, ports.length > 1, path.child('ports').index(j))),
    ];
  });
}

/** The ready addresses with each of their ports: `1.2.3.4:80,[fd00::1]:80`. */
function shownEndpoints(subsets: readonly EndpointSubset[]): string {
  if (subsets.length === 0) return '<none>';
  let count = 0;
  const first: string[] = [];
  for (const { addresses = [], ports = [] } of subsets) {
    const few = addresses.slice(0, SHOWN);
    append(
      first,
      ports.length === 0
        ? few.map(({ ip }) => ip)
        : ports
            .slice(0, SHOWN)
            .flatMap(({ port }) => few.map(({ ip }) => `${ip.includes(':') ? `[${ip}]` : ip}:${port}`)),
    );
    count += addresses.length * Math.max(ports.length, 1);
  }
  const list = first.slice(0, SHOWN).join(',');
  return count > SHOWN ? `${list} + ${count - SHOWN} more...` : list;
}

/** Warnings about addresses that do not have the canonical form of their family. */
function addressWarnings({ subsets = [] }: Endpoints): string[] {
  return subsets.flatMap((subset, i) =>
    (['addresses', 'notReadyAddresses'] as const).flatMap((list) =>
      (subset[list] ?? []).flatMap(({ ip }, j) =>
        ipWarnings(ip, new FieldPath('subsets').index(i).child(list).index(j).child('ip')),
      ),
    ),
  );
}

/**
 * The kind of endpoints: the addresses behind a service, as one object. An unchanged part was valid when it was
 * written.
 */
export const createEndpointsRules = (release: Release): KindRules<Endpoints> =>
  defineKind('core/endpoints', {
    versions: endpointsVersions,
    revalidatesOnUpdate: true,
    validate({ subsets }, { gates }, old) {
      const errors = validateSubsets(subsets, gates.enabled(STRICT_SPELLING));
      const same =
        old !== undefined && release.atLeast(33) && errors.length > 0 && semanticallyEqual(subsets, old.subsets);
      return same ? [] : errors;
    },
    ...(release.atLeast(33) && { warnings: addressWarnings }),
    cells: (object, { now }) => [
      object.metadata.name ?? '',
      shownEndpoints(object.subsets ?? []),
      age(object.metadata.creationTimestamp, now),
    ],
  });
