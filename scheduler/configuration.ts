import type { ManagerFlags } from '#controllers/controller.ts';
import { formatDuration } from '#schema/values/duration.ts';
import type { Setup } from './profiles/profile.ts';

/** The content of `/configz`: the configuration of this instance. */
export function configuration(flags: ManagerFlags, setup: Setup): Record<string, unknown> {
  const duration = (
    name: 'leader-elect-lease-duration' | 'leader-elect-renew-deadline' | 'leader-elect-retry-period',
  ) => formatDuration(flags.get(name));
  return {
    componentconfig: {
      LeaderElection: {
        LeaderElect: flags.get('leader-elect'),
        LeaseDuration: duration('leader-elect-lease-duration'),
        RenewDeadline: duration('leader-elect-renew-deadline'),
        RetryPeriod: duration('leader-elect-retry-period'),
        ResourceName: flags.get('leader-elect-resource-name'),
        ResourceNamespace: flags.get('leader-elect-resource-namespace'),
      },
      ClientConnection: {
        Kubeconfig: flags.get('kubeconfig'),
        QPS: flags.get('{prefix}api-qps'),
        Burst: flags.get('{prefix}api-burst'),
      },
      PodInitialBackoffSeconds: setup.firstBackoffMs / 1000,
      PodMaxBackoffSeconds: setup.longestBackoffMs / 1000,
      Profiles: [...setup.profiles.values()].map((profile) => ({
        SchedulerName: profile.schedulerName,
        PercentageOfNodesToScore: profile.percentageOfNodesToScore,
        Plugins: {
          Filter: { Enabled: profile.filters.map(({ name }) => ({ Name: name })) },
          PostFilter: { Enabled: profile.preempts ? [{ Name: 'DefaultPreemption' }] : [] },
          Score: { Enabled: profile.scores.map(({ name, weight }) => ({ Name: name, Weight: weight })) },
        },
      })),
    },
  };
}
