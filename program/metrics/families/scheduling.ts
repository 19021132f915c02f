import type { FamilyDefinition } from '../family-definition.ts';

/** Powers of two. */
const doubled = (first: number, count: number) => Array.from({ length: count }, (_, i) => first * 2 ** i);

/** Metrics of the scheduler's work. */
export const schedulingFamilies = [
  {
    name: 'scheduler_pending_pods',
    type: 'gauge',
    help: 'Number of pods that wait, by queue: active, after a failure (backoff), for a change (unschedulable), and gated.',
    labels: ['queue'],
    stability: 'STABLE',
  },
  {
    name: 'scheduler_pod_scheduling_attempts',
    type: 'histogram',
    help: 'Number of attempts until a pod was scheduled.',
    buckets: doubled(1, 5),
    stability: 'STABLE',
  },
  {
    name: 'scheduler_pod_scheduling_sli_duration_seconds',
    type: 'histogram',
    help: 'Time from the first observation of a pod until it was scheduled.',
    labels: ['attempts'],
    buckets: doubled(0.01, 20),
    stability: 'STABLE',
  },
  {
    name: 'scheduler_preemption_attempts_total',
    type: 'counter',
    help: 'Number of preemptions of pods of lower priority.',
    stability: 'STABLE',
  },
  {
    name: 'scheduler_preemption_victims',
    type: 'histogram',
    help: 'Number of pods that were preempted for one pod.',
    buckets: doubled(1, 7),
    stability: 'STABLE',
  },
  {
    name: 'scheduler_queue_incoming_pods_total',
    type: 'counter',
    help: 'Number of pods that were added to a queue, by event.',
    labels: ['event', 'queue'],
    stability: 'STABLE',
  },
  {
    name: 'scheduler_schedule_attempts_total',
    type: 'counter',
    help: 'Number of attempts to schedule pods, by result.',
    labels: ['profile', 'result'],
    stability: 'STABLE',
  },
  {
    name: 'scheduler_scheduler_cache_size',
    type: 'gauge',
    help: 'Number of nodes, of pods on nodes, and of pods whose assignment is not yet confirmed.',
    labels: ['type'],
    stability: 'ALPHA',
  },
  {
    name: 'scheduler_scheduling_algorithm_duration_seconds',
    type: 'histogram',
    help: 'Time that the selection of a node took.',
    buckets: doubled(0.001, 15),
    stability: 'ALPHA',
  },
  {
    name: 'scheduler_scheduling_attempt_duration_seconds',
    type: 'histogram',
    help: 'Time from the selection of a node to the end of the binding.',
    labels: ['profile', 'result'],
    buckets: doubled(0.001, 15),
    stability: 'STABLE',
  },
  {
    name: 'scheduler_unschedulable_pods',
    type: 'gauge',
    help: 'Number of unschedulable pods, by the plug-ins that rejected nodes in the last attempt.',
    labels: ['plugin', 'profile'],
    stability: 'ALPHA',
  },
] as const satisfies readonly FamilyDefinition[];
