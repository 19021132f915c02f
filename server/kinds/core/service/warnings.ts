import { FieldPath } from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { between, type Entry, inForce, since } from '#base/release/in-force.ts';
import type { Release } from '#base/release/release.ts';
import type { Service, ServiceSpec } from '#schema/generated/core.v1.ts';
import { cidrWarnings, earlierCidrWarnings, earlierIpWarnings, ipWarnings } from '#schema/validation/ip-names.ts';
import { productName } from '../../product-name.ts';
import { HEADLESS } from './parts.ts';
import { TOPOLOGY_HINTS, TOPOLOGY_MODE } from './validate.ts';

/** The warnings about a service that is accepted. */
type Warn = (spec: ServiceSpec, service: Service, naming: Naming) => string[];

const SPEC = new FieldPath('spec');

function isHeadless({ type, clusterIP }: ServiceSpec): boolean {
  return type === 'ClusterIP' && clusterIP === HEADLESS;
}

const hints: Warn = (_spec, { metadata }, naming) => {
  const [older, newer] = [naming.key(TOPOLOGY_HINTS), naming.key(TOPOLOGY_MODE)];
  if (metadata.annotations?.[older] === undefined) return [];
  return [`annotation ${older} is deprecated, please use ${newer} instead`];
};

/** Warnings about the spelling of addresses and ranges. */
function spellingsBy(ofIp: typeof earlierIpWarnings, ofRange: typeof earlierCidrWarnings): Warn {
  return ({ clusterIP, clusterIPs, externalIPs, loadBalancerIP, loadBalancerSourceRanges }, _service, naming) => {
    const product = productName(naming);
    const given = clusterIP === HEADLESS ? [] : (clusterIPs ?? []);
    const ranges = SPEC.child('loadBalancerSourceRanges');
    return [
      ...given.flatMap((ip, i) => ofIp(ip, SPEC.child('clusterIPs').index(i), product)),
      ...(externalIPs ?? []).flatMap((ip, i) => ofIp(ip, SPEC.child('externalIPs').index(i), product)),
      ...(loadBalancerIP ? ofIp(loadBalancerIP, SPEC.child('loadBalancerIP'), product) : []),
      ...(loadBalancerSourceRanges ?? []).flatMap((range, i) => ofRange(range.trim(), ranges.index(i), product)),
    ];
  };
}

const headless: Warn = (spec) => {
  if (!isHeadless(spec)) return [];
  const { loadBalancerIP = '', externalIPs = [], sessionAffinity } = spec;
  return [
    ...(loadBalancerIP === '' ? [] : ['spec.loadBalancerIP is ignored for headless services']),
    ...(externalIPs.length === 0 ? [] : ['spec.externalIPs is ignored for headless services']),
    ...(sessionAffinity === 'None' ? [] : ['spec.SessionAffinity is ignored for headless services']),
  ];
};

const externalIps: Warn = (spec) => {
  if ((spec.externalIPs ?? []).length === 0 || isHeadless(spec) || spec.type === 'ExternalName') return [];
  return ['spec.externalIPs is deprecated and may no longer be implemented in some clusters'];
};

const names: Warn = ({ type, externalIPs = [], externalName = '' }) => {
  if (type === 'ExternalName')
    return externalIPs.length === 0 ? [] : ['spec.externalIPs is ignored when spec.type is "ExternalName"'];
  return externalName === '' ? [] : ['spec.externalName is ignored when spec.type is not "ExternalName"'];
};

const distribution: Warn = ({ trafficDistribution }) =>
  trafficDistribution === 'PreferClose'
    ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
    : [];

/** All warnings, in the order in which clients get them. */
const ALL: readonly Entry<Warn>[] = [
  since('1.27', hints),
  since('1.34', headless),
  between('1.27', '1.33', spellingsBy(earlierIpWarnings, earlierCidrWarnings)),
  since('1.33', spellingsBy(ipWarnings, cidrWarnings)),
  since('1.36', externalIps),
  since('1.28', names),
  since('1.35', distribution),
];

/** The warnings of a release. */
export function createServiceWarnings(release: Release): (service: Service, naming: Naming) => string[] {
  const warns = inForce(release, ALL);
  return (service, naming) => warns.flatMap((warn) => warn(service.spec ?? {}, service, naming));
}
