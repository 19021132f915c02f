import type { FamilyDefinition } from '../family-definition.ts';

const LABELS = ['flow_schema', 'priority_level'] as const;
const WAITS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30];

/** Priority and fairness: who waits for a turn, and who gets none. */
export const fairnessFamilies = [
  {
    name: 'apiserver_flowcontrol_current_executing_requests',
    type: 'gauge',
    help: 'Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem',
    labels: LABELS,
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_flowcontrol_current_inqueue_requests',
    type: 'gauge',
    help: 'Number of requests currently pending in queues of the API Priority and Fairness subsystem',
    labels: LABELS,
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_flowcontrol_current_r',
    type: 'gauge',
    help: 'R(time of last change)',
    labels: ['priority_level'],
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_flowcontrol_dispatched_requests_total',
    type: 'counter',
    help: 'Number of requests executed by API Priority and Fairness subsystem',
    labels: LABELS,
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_flowcontrol_rejected_requests_total',
    type: 'counter',
    help: 'Number of requests rejected by API Priority and Fairness subsystem',
    labels: [...LABELS, 'reason'],
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_flowcontrol_request_concurrency_in_use',
    type: 'gauge',
    help: 'Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem',
    labels: LABELS,
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_flowcontrol_request_concurrency_limit',
    type: 'gauge',
    help: 'Shared concurrency limit in the API Priority and Fairness subsystem',
    labels: ['priority_level'],
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_flowcontrol_request_execution_seconds',
    type: 'histogram',
    help: 'Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution in the API Priority and Fairness subsystem',
    labels: [...LABELS, 'type'],
    buckets: WAITS,
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_flowcontrol_request_queue_length_after_enqueue',
    type: 'histogram',
    help: 'Length of queue in the API Priority and Fairness subsystem, as seen by each request after it is enqueued',
    labels: LABELS,
    buckets: [0, 10, 25, 50, 100, 250, 500, 1000],
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_flowcontrol_request_wait_duration_seconds',
    type: 'histogram',
    help: 'Length of time a request spent waiting in its queue',
    labels: ['execute', ...LABELS],
    buckets: WAITS,
    stability: 'ALPHA',
  },
  {
    name: 'apiserver_flowcontrol_work_estimated_seats',
    type: 'histogram',
    help: 'Number of estimated seats (maximum of initial and final seats) associated with requests in API Priority and Fairness',
    labels: LABELS,
    buckets: [1, 2, 4, 10],
    stability: 'ALPHA',
  },
] as const satisfies readonly FamilyDefinition[];
