import type { MetricSet } from '#program/metrics/metric-set.ts';
import type { Access } from '../api/access.ts';
import type { AdmissionChain } from '../api/admission.ts';
import type { ServerOptions } from '../config/options.ts';
import type { ClusterServices } from '../outbound/cluster-services.ts';
import type { Warn } from '../outbound/webhook-connection.ts';
import type { Registry } from '../resources/registry.ts';
import { AdmissionMetrics } from './admission-metrics.ts';
import { ensureDefaultLimits } from './bootstrap-limits.ts';
import { PluginChain } from './chain.ts';
import { choosePlugins } from './choose-plugins.ts';
import { RegistryView } from './cluster-view.ts';
import { readAdmissionConfiguration } from './configuration.ts';
import { pluginsOf } from './plugin-table.ts';

/** Admission with the settings of an operator. */
export interface Admission {
  /**
   * The chain of plug-ins for the objects of a registry. The registry takes its writes through the chain.
   * @throws ConfigError
   */
  chain(registry: Registry): AdmissionChain;
  /** Creates the objects that plug-ins need. It is called when the cache is filled. */
  ensureObjects(registry: Registry): Promise<void>;
}

/**
 * Chooses the plug-ins and reads their configuration, by the options of the server.
 *
 * @param warn gets each unknown field of a connection file
 * @throws ConfigError for unknown plug-ins and for invalid configuration files
 */
export function createAdmission(
  options: ServerOptions,
  access: Access,
  services: ClusterServices,
  set: MetricSet,
  warn: Warn,
): Admission {
  const { naming, gates } = options;
  const { enabled, disabled, exactly, configFile } = options.admission;
  const entries = choosePlugins(options.release, enabled, disabled, exactly);
  const known = new Set(pluginsOf(options.release).map(({ name }) => name));
  const configurations = configFile === undefined ? undefined : readAdmissionConfiguration(configFile, naming, known);
  const metrics = new AdmissionMetrics(set);
  const limited = entries.some(({ name }) => name === 'LimitRanger');
  return {
    chain(registry) {
      const environment = {
        naming,
        gates,
        options,
        cluster: new RegistryView(registry),
        access,
        services,
        metrics,
        warn,
      };
      const plugins = entries.flatMap(({ name, make }) =>
        make === undefined ? [] : [make({ ...environment, configuration: configurations?.get(name) })],
      );
      return new PluginChain(plugins, metrics);
    },
    async ensureObjects(registry) {
      if (limited) await ensureDefaultLimits(registry);
    },
  };
}
