import { type FieldError, FieldPath, forbiddenField, invalidValue } from '#base/errors/field-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import { defaultRelease, type Release } from '#base/release/release.ts';
import { addressesOf, nodePortsOf } from '#schema/claims/service-claims.ts';
import { serviceVersions } from '#schema/conversion/core/service.ts';
import { needsClusterIp, specOf } from '#schema/conversion/core/service-parts.ts';
import type { Service, ServiceSpec } from '#schema/generated/core.v1.ts';
import { canonicalIp, type IpFamily, parseIp } from '#schema/validation/ip.ts';
import { labelName, serviceName } from '#schema/validation/names.ts';
import type { KindRules, WriteContext } from '../../api/resource-definition.ts';
import { defineKind } from '../define-kind.ts';
import { validateLoadBalancerStatus } from '../networking/load-balancer-status.ts';
import { RELAXED_NAMES } from '../networking/relaxed-names.ts';
import { STRICT_SPELLING } from '../networking/strict-spelling.ts';
import { carryOver, dropInapplicable } from './service/carry-over.ts';
import { serviceCells } from './service/cells.ts';
import { addressRefused, alignClusterIps } from './service/cluster-ips.ts';
import { settleFamilies } from './service/families.ts';
import { checkNodePorts } from './service/node-ports.ts';
import { HEADLESS, invalidService, isExposed, needsHealthCheckPort } from './service/parts.ts';
import type { AllocateService, ServiceNetworks } from './service/service-networks.ts';
import { validateService } from './service/validate.ts';
import { validateServiceUpdate } from './service/validate-update.ts';
import { createServiceWarnings } from './service/warnings.ts';

/** The gate of a status of load balancers on services of other types. */
const ANY_STATUS = 'AllowServiceLBStatusOnNonLB';

/**
 * Decides the families, and refuses addresses and ports outside the networks. Clients get only this refusal, before all
 * other errors of a service.
 */
function settle(service: Service, old: Service | undefined, networks: ServiceNetworks, context: WriteContext): void {
  const spec = specOf(service);
  const errors = settleFamilies(spec, old?.spec, networks, context.gates.enabled(STRICT_SPELLING));
  if (errors.length > 0) throw invalidService(service, errors);
  checkAddresses(service, old, networks);
  if (context.dryRun) return;
  const held = old === undefined ? undefined : new Set(nodePortsOf(old));
  const refused = checkNodePorts(spec, held, networks);
  if (refused !== undefined) throw invalidService(service, [refused]);
  const { healthCheckNodePort: port = 0 } = spec;
  if (!needsHealthCheckPort(spec) || port === 0 || held?.has(port)) return;
  const problem = networks.nodePortProblem(port);
  if (problem !== undefined) {
    throw invalidService(service, [invalidValue(new FieldPath('spec.healthCheckNodePort'), port, problem)]);
  }
}

/** Validates that new addresses of the service are in the network. The service may keep its other addresses. */
function checkAddresses(service: Service, old: Service | undefined, networks: ServiceNetworks): void {
  const spec = specOf(service);
  if (!needsClusterIp(spec) || spec.clusterIP === HEADLESS) return;
  const held = old === undefined ? [] : addressesOf(old);
  const start = old?.spec !== undefined && needsClusterIp(old.spec) ? Math.max(held.length, 1) : 0;
  for (const [i, ip] of (spec.clusterIPs ?? []).entries()) {
    const family = spec.ipFamilies?.[i] as IpFamily | undefined;
    if (i < start || family === undefined || held.includes(canonicalIp(parseIp(ip)!))) continue;
    const problem = networks.clusterIpProblem(ip, family);
    if (problem !== undefined) throw invalidService(service, [addressRefused(service, ip, problem)]);
  }
}

/**
 * Validates the status. Since 1.29 only a load balancer may have an ingress status, unless a gate restores the earlier
 * rule.
 */
function validateStatus(
  { spec, status }: Service,
  old: Service,
  release: Release,
  context: WriteContext,
): FieldError[] {
  const path = new FieldPath('status.loadBalancer');
  const any = !release.atLeast(29) || spec?.type === 'LoadBalancer' || context.gates.enabled(ANY_STATUS);
  if (!any && (status?.loadBalancer?.ingress ?? []).length > 0)
    return [forbiddenField(path.child('ingress'), "may only be used when `spec.type` is 'LoadBalancer'")];
  return validateLoadBalancerStatus(status?.loadBalancer, old.status?.loadBalancer, path, context);
}

/** Drops the policy for traffic inside the cluster from a service that is only a name of an outside service. */
function dropInternalTraffic(service: Service): void {
  const spec = specOf(service);
  if (spec.type === 'ExternalName') delete spec.internalTrafficPolicy;
}

/** The rules of services. A service has an address inside the cluster, ports, and the selected pods. */
export function createServiceRules(
  networks: ServiceNetworks,
  allocate: AllocateService,
  release: Release = defaultRelease,
): KindRules<Service> {
  const warnings = createServiceWarnings(release);
  /** Sets the default policy of services that accept traffic from outside. */
  const defaultPolicy = (spec: ServiceSpec): void => {
    if (isExposed(spec, release)) spec.externalTrafficPolicy ||= 'Cluster';
  };
  return defineKind('core/services', {
    validateName: (name, prefix, context) =>
      (context?.gates.enabled(RELAXED_NAMES) === true ? labelName : serviceName)(name, prefix),
    revalidatesOnUpdate: true,
    versions: serviceVersions,
    prepareForCreate(service, context) {
      defaultPolicy(specOf(service));
      alignClusterIps(specOf(service), undefined);
      settle(service, undefined, networks, context);
      dropInternalTraffic(service);
    },
    prepareForUpdate(service, old, context) {
      const spec = specOf(service);
      const before = old.spec ?? {};
      defaultPolicy(spec);
      carryOver(spec, before);
      alignClusterIps(spec, before);
      settle(service, old, networks, context);
      dropInapplicable(spec, before, release);
      dropInternalTraffic(service);
      // The load balancer of a service that no longer wants one may exist for a while, but the status does not show it.
      if (spec.type !== 'LoadBalancer' && service.status !== undefined)
        service.status = { ...service.status, loadBalancer: {} };
    },
    validate: (service, { naming, gates }, old) =>
      validateService(service, old, { naming, release, strict: gates.enabled(STRICT_SPELLING) }),
    ...(release.atLeast(27) && {
      warnings: (service: Service, _old: Service | undefined, { naming }: WriteContext) => warnings(service, naming),
    }),
    validateUpdate: (service, old) => validateServiceUpdate(service.spec ?? {}, old.spec ?? {}),
    allocate,
    subresources: {
      status: {
        prepareForUpdate(service, old) {
          if (old.spec === undefined) delete service.spec;
          else service.spec = cloneJson(old.spec);
        },
        validateUpdate: (service, old, context) => validateStatus(service, old, release, context),
      },
    },
    cells: (service, { now }) => serviceCells(service, now),
  });
}
