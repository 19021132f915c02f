import type { MetricSet } from '#program/metrics/metric-set.ts';
import type { ServerOptions } from '../config/options.ts';
import type { ClusterServices } from '../outbound/cluster-services.ts';
import { type SpecialHandlers, viewKey } from '../resources/registration.ts';
import type { Registry } from '../resources/registry.ts';
import { bindingHandler } from './binding.ts';
import { componentStatusHandler } from './component-status.ts';
import { createConnections } from './connect/create-connections.ts';
import { evictionHandler } from './eviction.ts';
import { podLogHandler } from './pod-log.ts';
import { podStreamHandlers } from './pod-streams.ts';
import { proxyHandlers } from './proxy.ts';
import { scaleHandler } from './scale.ts';

/** Handlers of the subresources and virtual resources that are not plain views of a stored object. */
export function subresourceHandlers(
  registry: Registry,
  services: ClusterServices,
  options: ServerOptions,
  metrics: MetricSet,
): SpecialHandlers {
  const connections = createConnections(registry, services, options);
  const binding = bindingHandler(registry);
  const scale = scaleHandler(registry);
  return new Map([
    [viewKey('Scale'), scale],
    ['core/bindings', binding],
    ['core/componentstatuses', componentStatusHandler(registry)],
    ['core/pods/binding', binding],
    ['core/pods/eviction', evictionHandler(registry)],
    ['core/pods/log', podLogHandler(connections, metrics)],
    ...podStreamHandlers(connections),
    ...proxyHandlers(connections),
  ]);
}
