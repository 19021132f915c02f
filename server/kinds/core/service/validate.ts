import {
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Release } from '#base/release/release.ts';
import { isExternal, needsClusterIp } from '#schema/conversion/core/service-parts.ts';
import type { Service, ServiceSpec } from '#schema/generated/core.v1.ts';
import { parseCidr, validateReachableIp } from '#schema/validation/ip.ts';
import { cidrSpelling, ipSpelling, type Spelling } from '#schema/validation/ip-names.ts';
import { validateLabels } from '#schema/validation/labels.ts';
import { dns1123Subdomain, qualifiedName } from '#schema/validation/names.ts';
import { portNumber } from '#schema/validation/ports.ts';
import { validateText } from '#schema/validation/reference.ts';
import { forbidClusterIps, validateClusterIps } from './cluster-ips.ts';
import { isExposed, isHeadless, needsHealthCheckPort, TYPES } from './parts.ts';
import { validateNodePorts, validateServicePorts, validateUniquePorts } from './ports.ts';

const AFFINITIES = ['ClientIP', 'None'] as const;
const TRAFFIC_POLICIES = ['Cluster', 'Local'] as const;
/** The longest time for which a client may stay with one address, in seconds: a day. */
const MAX_AFFINITY_SECONDS = 86_400;
/** The port of the agent on every node. */
const AGENT_PORT = 10_250;
const ONLY_LOAD_BALANCER = "may only be used when `type` is 'LoadBalancer'";
/** The annotation for the choice of endpoints by location, and the older one that it replaced. */
export const TOPOLOGY_MODE = 'service/topology-mode';
export const TOPOLOGY_HINTS = 'service/topology-aware-hints';
const spec = new FieldPath('spec');

/** The facts about the server, its release and its gates for service rules. */
export interface ServiceRuleSet {
  readonly naming: Naming;
  readonly release: Release;
  /** Whether every program must understand new addresses and ranges in the same way. */
  readonly strict: boolean;
}

/**
 * Errors of a service, in the order that clients know. Its addresses and ports may not be allocated yet.
 * @param old the service before a change; its addresses are never refused
 */
export function validateService(service: Service, old: Service | undefined, rules: ServiceRuleSet): FieldError[] {
  const object = service.spec ?? {};
  const { strict } = rules;
  return [
    ...(rules.release.atLeast(27) ? validateTopology(service, rules.naming) : []),
    ...validateByType(object),
    ...validateServicePorts(object.ports ?? [], spec.child('ports')),
    ...validateLabels(object.selector, spec.child('selector')),
    ...validateAffinity(object),
    ...validateClusterIps(object, { strict, kept: new Set(old?.spec?.clusterIPs) }),
    ...validateExternalIps(object.externalIPs ?? [], { strict, kept: new Set(old?.spec?.externalIPs) }),
    ...validateType(object),
    ...validateNodePorts(object, spec.child('ports')),
    ...validateUniquePorts(object.ports ?? [], spec.child('ports')),
    ...validateSourceRanges(service, old, rules),
    ...validateNodePortAllocation(object),
    ...validateLoadBalancerClass(object),
    ...validateExternalTraffic(object, rules.release),
    ...validateInternalTraffic(object),
    ...validateDistribution(object, rules.release),
  ];
}

/** Validates how traffic is spread. The values with a more exact place exist since 1.34. */
function validateDistribution({ trafficDistribution: value }: ServiceSpec, release: Release): FieldError[] {
  const known = release.atLeast(34) ? ['PreferClose', 'PreferSameZone', 'PreferSameNode'] : ['PreferClose'];
  if (value === undefined || known.includes(value)) return [];
  return [notSupported(spec.child('trafficDistribution'), value, known)];
}

/** Validates the two annotations for topology-aware routing. The older one has no separate effect. */
function validateTopology({ metadata }: Service, naming: Naming): FieldError[] {
  const [mode, hints] = [naming.key(TOPOLOGY_MODE), naming.key(TOPOLOGY_HINTS)];
  const { [mode]: value, [hints]: older } = metadata.annotations ?? {};
  if (value === undefined || older === undefined || value === older) return [];
  const at = new FieldPath('metadata.annotations').key(mode);
  return [invalidValue(at, value, `must match annotations[${hints}] when both are specified`)];
}

function validateByType(object: ServiceSpec): FieldError[] {
  const { type = '', ports = [] } = object;
  const errors: FieldError[] = [];
  if (ports.length === 0 && !isHeadless(object) && type !== 'ExternalName') errors.push(required(spec.child('ports')));
  if (type === 'LoadBalancer') {
    ports.forEach(({ port }, i) => {
      if (port !== AGENT_PORT) return;
      const detail = `may not expose port ${AGENT_PORT} externally since it is used by kubelet`;
      errors.push(invalidValue(spec.child('ports').index(i), port, detail));
    });
  }
  if (isExternal(object) && isHeadless(object)) {
    const detail = `may not be set to 'None' for ${type} services`;
    errors.push(invalidValue(spec.child('clusterIPs').index(0), 'None', detail));
  }
  return type === 'ExternalName' ? [...errors, ...forbidClusterIps(object), ...validateExternalName(object)] : errors;
}

/** Validates a DNS name. A dot may end it. */
function validateExternalName({ externalName = '' }: ServiceSpec): FieldError[] {
  const name = externalName.endsWith('.') ? externalName.slice(0, -1) : externalName;
  const path = spec.child('externalName');
  return name === '' ? [required(path)] : validateText(name, dns1123Subdomain, path);
}

function validateAffinity({ sessionAffinity = '', sessionAffinityConfig }: ServiceSpec): FieldError[] {
  const path = spec.child('sessionAffinityConfig');
  if (sessionAffinity === '') return [required(spec.child('sessionAffinity'))];
  if (!(AFFINITIES as readonly string[]).includes(sessionAffinity)) {
    return [notSupported(spec.child('sessionAffinity'), sessionAffinity, AFFINITIES)];
  }
  if (sessionAffinity === 'None') {
    if (sessionAffinityConfig === undefined) return [];
    return [forbiddenField(path, 'must not be set when session affinity is None')];
  }
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds;
  const at = path.child('clientIP', 'timeoutSeconds');
  if (seconds === undefined) return [required(at, 'when session affinity type is ClientIP')];
  if (seconds > 0 && seconds <= MAX_AFFINITY_SECONDS) return [];
  return [invalidValue(at, seconds, `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`)];
}

function validateExternalIps(values: readonly string[], spelling: Spelling): FieldError[] {
  const path = spec.child('externalIPs');
  return values.flatMap((value, i) => {
    const problems = ipSpelling(value, spelling);
    if (problems.length === 0) return validateReachableIp(value, path.index(i));
    return problems.map((problem) => invalidValue(path.index(i), value, problem));
  });
}

function validateType({ type = '' }: ServiceSpec): FieldError[] {
  if (type === '') return [required(spec.child('type'))];
  return (TYPES as readonly string[]).includes(type) ? [] : [notSupported(spec.child('type'), type, TYPES)];
}

/** Validates which clients may reach the load balancer, from the field or from the older annotation. */
function validateSourceRanges(
  service: Service,
  old: Service | undefined,
  { naming, strict }: ServiceRuleSet,
): FieldError[] {
  const key = naming.key('service.beta/load-balancer-source-ranges');
  const { loadBalancerSourceRanges: field = [], type } = service.spec ?? {};
  const annotation = service.metadata.annotations?.[key];
  if (field.length === 0 && annotation === undefined) return [];
  const given = field.length > 0;
  const path = given ? spec.child('LoadBalancerSourceRanges') : new FieldPath('metadata.annotations').key(key);
  const list = given ? field : (annotation ?? '').trim().split(',');
  const errors = type === 'LoadBalancer' ? [] : [forbiddenField(path, ONLY_LOAD_BALANCER)];
  if (strict && given)
    return [...errors, ...validateRangeSpelling(list, old?.spec?.loadBalancerSourceRanges ?? [], path)];
  if (strict && annotation === old?.metadata.annotations?.[key]) return errors;
  const all = !given && (annotation ?? '').trim() === '';
  if (all || list.every((range) => parseCidr(range.trim()) !== undefined)) return errors;
  const value = given ? `[${field.join(' ')}]` : annotation;
  const detail = 'must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 ';
  return [...errors, invalidValue(path, value, detail)];
}

/** Validates the spelling of ranges. They may have spaces around them. */
function validateRangeSpelling(list: readonly string[], kept: readonly string[], path: FieldPath): FieldError[] {
  const trimmed = new Set(kept.map((range) => range.trim()));
  return list.flatMap((text, i) => {
    const range = text.trim();
    const problems = cidrSpelling(range, { strict: true, kept: trimmed });
    return problems.map((problem) => invalidValue(path.index(i), range, problem));
  });
}

function validateNodePortAllocation({ type, allocateLoadBalancerNodePorts }: ServiceSpec): FieldError[] {
  const path = spec.child('allocateLoadBalancerNodePorts');
  if (type === 'LoadBalancer') return allocateLoadBalancerNodePorts === undefined ? [required(path)] : [];
  return allocateLoadBalancerNodePorts === undefined ? [] : [forbiddenField(path, ONLY_LOAD_BALANCER)];
}

/** Validates the class of the load balancer implementation. It has the form of a label key. */
export function validateLoadBalancerClass({ type, loadBalancerClass }: ServiceSpec): FieldError[] {
  const path = spec.child('loadBalancerClass');
  if (loadBalancerClass === undefined) return [];
  if (type !== 'LoadBalancer') return [forbiddenField(path, ONLY_LOAD_BALANCER)];
  return validateText(loadBalancerClass, qualifiedName, path);
}

function validateExternalTraffic(object: ServiceSpec, release: Release): FieldError[] {
  const { externalTrafficPolicy: policy = '', healthCheckNodePort: port = 0 } = object;
  const errors: FieldError[] = [];
  const path = spec.child('externalTrafficPolicy');
  if (!isExposed(object, release)) {
    const detail = release.atLeast(29)
      ? 'may only be set for externally-accessible services'
      : "may only be set when `type` is 'NodePort' or 'LoadBalancer'";
    if (policy !== '') errors.push(invalidValue(path, policy, detail));
  } else if (policy === '') errors.push(required(path));
  else if (!(TRAFFIC_POLICIES as readonly string[]).includes(policy)) {
    errors.push(notSupported(path, policy, TRAFFIC_POLICIES));
  }
  if (port === 0) return errors;
  const at = spec.child('healthCheckNodePort');
  if (needsHealthCheckPort(object)) {
    return [...errors, ...portNumber(port).map((problem) => invalidValue(at, port, problem))];
  }
  const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return [...errors, invalidValue(at, port, detail)];
}

function validateInternalTraffic(object: ServiceSpec): FieldError[] {
  const { internalTrafficPolicy: policy } = object;
  const path = spec.child('internalTrafficPolicy');
  if (policy === undefined) return needsClusterIp(object) ? [required(path)] : [];
  return (TRAFFIC_POLICIES as readonly string[]).includes(policy) ? [] : [notSupported(path, policy, TRAFFIC_POLICIES)];
}
