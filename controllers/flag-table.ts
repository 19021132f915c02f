import type { FlagDefinition } from '#program/flags/flag-definition.ts';
import { authenticationFlags } from './flags/authentication.ts';
import { authorizationFlags } from './flags/authorization.ts';
import { autoscalingFlags } from './flags/autoscaling.ts';
import { certificateSigningFlags } from './flags/certificate-signing.ts';
import { genericFlags } from './flags/generic.ts';
import { cronJobFlags, jobFlags } from './flags/jobs.ts';
import { nodeLifecycleFlags, podGarbageCollectorFlags } from './flags/nodes.ts';
import { secureServingFlags } from './flags/secure-serving.ts';
import { workloadFlags } from './flags/workloads.ts';

/**
 * Every flag of the controller manager by section, with the usual names of such programs. Each controller reads its own
 * flags.
 */
export const flagSections = {
  Debugging: [
    {
      name: 'contention-profiling',
      type: 'bool',
      built: true,
      about: 'accepted for compatibility: the process has no lock contention to profile',
    },
    {
      name: 'profiling',
      type: 'bool',
      default: 'true',
      built: true,
      about: 'serve profiles at /debug/pprof/, and changes of --v at /debug/flags/v',
    },
  ],
  Generic: genericFlags,
  'Secure serving': secureServingFlags,
  Authentication: authenticationFlags,
  Authorization: authorizationFlags,
  'Certificatesigningrequest signing controller': certificateSigningFlags,
  ...workloadFlags,
  'Cronjob controller': cronJobFlags,
  'Garbage collector controller': [
    {
      name: 'concurrent-gc-syncs',
      type: 'int',
      default: '20',
      built: true,
      about: 'number of objects that the garbage collector processes at the same time',
    },
    {
      name: 'enable-garbage-collector',
      type: 'bool',
      default: 'true',
      built: true,
      about: 'delete objects whose owners are deleted',
    },
  ],
  'Horizontalpodautoscaling controller': autoscalingFlags,
  'Job controller': jobFlags,
  'Namespace controller': [
    {
      name: 'concurrent-namespace-syncs',
      type: 'int',
      default: '10',
      built: true,
      about: 'number of namespaces that are processed at the same time',
    },
    {
      name: 'namespace-sync-period',
      type: 'duration',
      default: '5m0s',
      built: true,
      about: 'interval between two checks of all namespaces',
    },
  ],
  'Nodelifecycle controller': nodeLifecycleFlags,
  'Podgc controller': podGarbageCollectorFlags,
  'Resourcequota controller': [
    {
      name: 'concurrent-resource-quota-syncs',
      type: 'int',
      default: '5',
      built: true,
      about: 'number of quotas that are processed at the same time',
    },
    {
      name: 'resource-quota-sync-period',
      type: 'duration',
      default: '5m0s',
      built: true,
      about: 'interval between two full counts of the usage of all quotas',
    },
  ],
  'Serviceaccount controller': [
    {
      name: 'concurrent-serviceaccount-token-syncs',
      type: 'int',
      default: '5',
      built: true,
      about: 'number of token secrets that are processed at the same time',
    },
    {
      name: 'root-ca-file',
      type: 'string',
      built: true,
      about: 'authorities (PEM) of the API server, for token secrets and for the config map in every namespace',
    },
    {
      name: 'service-account-private-key-file',
      type: 'string',
      built: true,
      about: 'key (PEM) that signs the tokens of token secrets',
    },
  ],
  'Ttl after finished controller': [
    {
      name: 'concurrent-ttl-after-finished-syncs',
      type: 'int',
      default: '5',
      built: true,
      about: 'number of finished jobs that are processed at the same time',
    },
  ],
  Metrics: [
    { name: 'allow-metric-labels', type: 'stringToString', default: '[]' },
    { name: 'allow-metric-labels-manifest', type: 'string' },
    { name: 'disabled-metrics', type: 'strings', built: true, about: 'metric families that are not served' },
    {
      name: 'show-hidden-metrics-for-version',
      type: 'string',
      built: true,
      about: 'accepted for compatibility: there are no hidden metrics',
    },
  ],
  Logs: [
    {
      name: 'log-flush-frequency',
      type: 'duration',
      default: '5s',
      built: true,
      about: 'accepted for compatibility: the server writes each line at once',
    },
    { name: 'logging-format', type: 'string', default: 'text', built: true, about: 'text, or json' },
    {
      name: 'v',
      type: 'Level',
      built: true,
      about: 'verbosity of the log: debug messages from 4 on, trace messages from 6 on',
    },
    { name: 'vmodule', type: 'string', built: true, about: 'accepted for compatibility: --v applies to the whole log' },
  ],
  Misc: [
    {
      name: 'kubeconfig',
      type: 'string',
      built: true,
      about:
        "connection file with the address of the API server and the credentials to use; in a pod, the default is the pod's own service account",
    },
    {
      name: 'master',
      type: 'string',
      built: true,
      about: "address of the API server, in place of the connection file's",
    },
  ],
} as const satisfies Readonly<Record<string, readonly FlagDefinition[]>>;

/** One flag of the table. */
export type ManagerFlag = (typeof flagSections)[keyof typeof flagSections][number];

/** All flags, in the order of their sections. */
export const flagTable: readonly FlagDefinition[] = Object.values(flagSections).flat();
