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
      about: 'accepted: there is no contention on locks to be profiled',
    },
    {
      name: 'profiling',
      type: 'bool',
      default: 'true',
      built: true,
      about: 'whether profiles can be taken at /debug/pprof/, and --v be changed at /debug/flags/v',
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
      about: 'objects that the garbage collector works on at once',
    },
    {
      name: 'enable-garbage-collector',
      type: 'bool',
      default: 'true',
      built: true,
      about: 'delete what lost its owners',
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
      about: 'namespaces worked on at once',
    },
    {
      name: 'namespace-sync-period',
      type: 'duration',
      default: '5m0s',
      built: true,
      about: 'how often all namespaces are looked at again',
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
      about: 'quotas worked on at once',
    },
    {
      name: 'resource-quota-sync-period',
      type: 'duration',
      default: '5m0s',
      built: true,
      about: 'how often the usage of all quotas is counted again',
    },
  ],
  'Serviceaccount controller': [
    {
      name: 'concurrent-serviceaccount-token-syncs',
      type: 'int',
      default: '5',
      built: true,
      about: 'token secrets worked on at once',
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
      about: 'finished jobs worked on at once',
    },
  ],
  Metrics: [
    { name: 'allow-metric-labels', type: 'stringToString', default: '[]' },
    { name: 'allow-metric-labels-manifest', type: 'string' },
    { name: 'disabled-metrics', type: 'strings', built: true, about: 'families of metrics to leave out' },
    {
      name: 'show-hidden-metrics-for-version',
      type: 'string',
      built: true,
      about: 'accepted: there are no hidden metrics',
    },
  ],
  Logs: [
    {
      name: 'log-flush-frequency',
      type: 'duration',
      default: '5s',
      built: true,
      about: 'accepted for manifests that give it: lines are written at once',
    },
    { name: 'logging-format', type: 'string', default: 'text', built: true, about: 'text, or json' },
    {
      name: 'v',
      type: 'Level',
      built: true,
      about: 'how much is logged: from 4 on also what helps to find mistakes (debug), from 6 on everything (trace)',
    },
    { name: 'vmodule', type: 'string', built: true, about: 'accepted: --v is for the whole log' },
  ],
  Misc: [
    {
      name: 'kubeconfig',
      type: 'string',
      built: true,
      about: "connection file: where the API server is, and as whom to speak; in a pod, the pod's own by default",
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
