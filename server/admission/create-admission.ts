import type { Access } from '../api/access.ts';
import type { AdmissionChain } from '../api/admission.ts';
import type { Registry } from '../api/registry.ts';
import type { ServerOptions } from '../config/options.ts';
import type { MetricSet } from '../metrics/metric-set.ts';
import type { ClusterServices } from '../outbound/cluster-services.ts';
import { AdmissionMetrics } from './admission-metrics.ts';
import { ensureDefaultLimits } from './bootstrap-limits.ts';
import { PluginChain } from './chain.ts';
import { choosePlugins } from './choose-plugins.ts';
import { RegistryView } from './cluster-view.ts';
import { readAdmissionConfiguration } from './configuration.ts';
import { pluginTable } from './plugin-table.ts';

/** Admission as an operator has set it up. */
export interface Admission {
  readonly chain: AdmissionChain;
  /** To be called once, before the first request and after the cache is filled. */
  start(registry: Registry): Promise<void>;
}

/**
 * Makes the chain of plug-ins from the options of the server.
 * @throws ConfigError for unknown plug-ins and for configuration files that do not fit
 */
export function createAdmission(
  options: ServerOptions,
  access: Access,
  services: ClusterServices,
  set: MetricSet,
): Admission {
  const { naming, gates, flags } = options;
  const entries = choosePlugins(
    flags.get('enable-admission-plugins'),
    flags.get('disable-admission-plugins'),
    flags.get('admission-control'),
  );
  const file = flags.get('admission-control-config-file');
  const known = new Set(pluginTable.map(({ name }) => name));
  const configurations = file === '' ? undefined : readAdmissionConfiguration(file, naming, known);
  const cluster = new RegistryView();
  const metrics = new AdmissionMetrics(set);
  const plugins = entries.flatMap(({ name, make }) => {
    const configuration = configurations?.get(name);
    const environment = { naming, gates, options, cluster, access, services, metrics, configuration };
    return make === undefined ? [] : [make(environment)];
  });
  const limited = entries.some(({ name }) => name === 'LimitRanger');
  return {
    chain: new PluginChain(plugins, metrics),
    async start(registry) {
      cluster.connect(registry);
      if (limited) await ensureDefaultLimits(registry);
    },
  };
}
