import type { FamilyDefinition } from '../family-definition.ts';

/** Powers of two. */
const doubled = (first: number, count: number) => Array.from({ length: count }, (_, i) => first * 2 ** i);

/** Metrics of the scheduler's work. */
export const schedulingFamilies = [
  {
    name: 'scheduler_pending_pods',
    type: 'gauge',
    help: 'Pods that wait: to be tried, after a failure, for a change, and for their gates.',
    labels: ['queue'],
    stability: 'STABLE',
  },
  {
    name: 'scheduler_pod_scheduling_attempts',
    type: 'histogram',
    help: 'Attempts until a pod was assigned.',
    buckets: doubled(1, 5),
    stability: 'STABLE',
  },
  {
    name: 'scheduler_pod_scheduling_sli_duration_seconds',
    type: 'histogram',
    help: 'Time from when a pod was seen first to when it was assigned.',
    labels: ['attempts'],
    buckets: doubled(0.01, 20),
    stability: 'STABLE',
  },
  {
    name: 'scheduler_preemption_attempts_total',
    type: 'counter',
    help: 'How often less important pods had to leave for a pod.',
    stability: 'STABLE',
  },
  {
    name: 'scheduler_preemption_victims',
    type: 'histogram',
    help: 'Pods that had to leave for one pod.',
    buckets: doubled(1, 7),
    stability: 'STABLE',
  },
  {
    name: 'scheduler_queue_incoming_pods_total',
    type: 'counter',
    help: 'Pods that were put into a queue, by what happened.',
    labels: ['event', 'queue'],
    stability: 'STABLE',
  },
  {
    name: 'scheduler_schedule_attempts_total',
    type: 'counter',
    help: 'Attempts to assign pods, by how they ended.',
    labels: ['profile', 'result'],
    stability: 'STABLE',
  },
  {
    name: 'scheduler_scheduler_cache_size',
    type: 'gauge',
    help: 'Nodes, pods on them, and pods that were assigned a moment ago.',
    labels: ['type'],
    stability: 'ALPHA',
  },
  {
    name: 'scheduler_scheduling_algorithm_duration_seconds',
    type: 'histogram',
    help: 'Time that the choice of a node took.',
    buckets: doubled(0.001, 15),
    stability: 'ALPHA',
  },
  {
    name: 'scheduler_scheduling_attempt_duration_seconds',
    type: 'histogram',
    help: 'Time from the choice of a node to the end of the assignment.',
    labels: ['profile', 'result'],
    buckets: doubled(0.001, 15),
    stability: 'STABLE',
  },
  {
    name: 'scheduler_unschedulable_pods',
    type: 'gauge',
    help: 'Pods that no node took when they were tried last, by the plug-ins that refused nodes.',
    labels: ['plugin', 'profile'],
    stability: 'ALPHA',
  },
] as const satisfies readonly FamilyDefinition[];
