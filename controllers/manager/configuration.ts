import { formatDuration } from '#schema/values/duration.ts';
import type { ManagerFlags } from '../controller.ts';
import { flagTable, type ManagerFlag } from '../flag-table.ts';

type FlagName = ManagerFlag['name'];

/** The place of a value: the name of its flag, or further sections. */
interface Section {
  readonly [name: string]: FlagName | Section;
}

/** The configuration in the form of common programs. It has only settings that this program has. */
const SECTIONS: Section = {
  Generic: {
    Address: 'bind-address',
    MinResyncPeriod: 'min-resync-period',
    ClientConnection: {
      Kubeconfig: 'kubeconfig',
      ContentType: '{prefix}api-content-type',
      QPS: '{prefix}api-qps',
      Burst: '{prefix}api-burst',
    },
    ControllerStartInterval: 'controller-start-interval',
    LeaderElection: {
      LeaderElect: 'leader-elect',
      LeaseDuration: 'leader-elect-lease-duration',
      RenewDeadline: 'leader-elect-renew-deadline',
      RetryPeriod: 'leader-elect-retry-period',
      ResourceName: 'leader-elect-resource-name',
      ResourceNamespace: 'leader-elect-resource-namespace',
    },
    Controllers: 'controllers',
    Debugging: { EnableProfiling: 'profiling', EnableContentionProfiling: 'contention-profiling' },
  },
  CSRSigningController: {
    ClusterSigningCertFile: 'cluster-signing-cert-file',
    ClusterSigningKeyFile: 'cluster-signing-key-file',
    KubeletServingSignerConfiguration: {
      CertFile: 'cluster-signing-kubelet-serving-cert-file',
      KeyFile: 'cluster-signing-kubelet-serving-key-file',
    },
    KubeletClientSignerConfiguration: {
      CertFile: 'cluster-signing-kubelet-client-cert-file',
      KeyFile: 'cluster-signing-kubelet-client-key-file',
    },
    LegacyUnknownSignerConfiguration: {
      CertFile: 'cluster-signing-legacy-unknown-cert-file',
      KeyFile: 'cluster-signing-legacy-unknown-key-file',
    },
    ClusterSigningDuration: 'cluster-signing-duration',
  },
  CronJobController: { ConcurrentCronJobSyncs: 'concurrent-cron-job-syncs' },
  GarbageCollectorController: {
    EnableGarbageCollector: 'enable-garbage-collector',
    ConcurrentGCSyncs: 'concurrent-gc-syncs',
  },
  HPAController: {
    ConcurrentHorizontalPodAutoscalerSyncs: 'concurrent-horizontal-pod-autoscaler-syncs',
    HorizontalPodAutoscalerSyncPeriod: 'horizontal-pod-autoscaler-sync-period',
  },
  JobController: { ConcurrentJobSyncs: 'concurrent-job-syncs' },
  NamespaceController: {
    NamespaceSyncPeriod: 'namespace-sync-period',
    ConcurrentNamespaceSyncs: 'concurrent-namespace-syncs',
  },
  NodeLifecycleController: {
    NodeEvictionRate: 'node-eviction-rate',
    SecondaryNodeEvictionRate: 'secondary-node-eviction-rate',
    NodeStartupGracePeriod: 'node-startup-grace-period',
    NodeMonitorGracePeriod: 'node-monitor-grace-period',
    LargeClusterSizeThreshold: 'large-cluster-size-threshold',
    UnhealthyZoneThreshold: 'unhealthy-zone-threshold',
  },
  PodGCController: { TerminatedPodGCThreshold: 'terminated-pod-gc-threshold' },
  ResourceQuotaController: {
    ResourceQuotaSyncPeriod: 'resource-quota-sync-period',
    ConcurrentResourceQuotaSyncs: 'concurrent-resource-quota-syncs',
  },
  SAController: {
    ServiceAccountKeyFile: 'service-account-private-key-file',
    ConcurrentSATokenSyncs: 'concurrent-serviceaccount-token-syncs',
    RootCAFile: 'root-ca-file',
  },
  TTLAfterFinishedController: { ConcurrentTTLSyncs: 'concurrent-ttl-after-finished-syncs' },
};

const types = new Map(flagTable.map(({ name, type }) => [name, type]));

function valuesOf(section: Section, flags: ManagerFlags): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(section).map(([name, place]) => {
      if (typeof place !== 'string') return [name, valuesOf(place, flags)];
      const value = flags.get(place);
      return [name, types.get(place) === 'duration' ? formatDuration(value as number) : value];
    }),
  );
}

/** The content of `/configz`: the configuration of this instance. */
export function configuration(flags: ManagerFlags): Record<string, unknown> {
  return { [flags.naming.key('controllermanager.config')]: valuesOf(SECTIONS, flags) };
}
