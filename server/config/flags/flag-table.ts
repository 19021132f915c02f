import type { FlagDefinition } from '#program/flags/flag-definition.ts';
import { admissionFlags } from './admission.ts';
import { apiEnablementFlags } from './api-enablement.ts';
import { auditingFlags } from './auditing.ts';
import { authenticationFlags } from './authentication.ts';
import { authorizationFlags } from './authorization.ts';
import { egressSelectorFlags } from './egress-selector.ts';
import { etcdFlags } from './etcd.ts';
import { featuresFlags } from './features.ts';
import { genericFlags } from './generic.ts';
import { logsFlags } from './logs.ts';
import { metricsFlags } from './metrics.ts';
import { miscFlags } from './misc.ts';
import { secureServingFlags } from './secure-serving.ts';
import { tracesFlags } from './traces.ts';

/**
 * Every flag of the API server by section, with the names of the field. A flag has an effect if `ServerOptions` reads
 * it and it has `built: true` here.
 */
export const flagSections = {
  Generic: genericFlags,
  Etcd: etcdFlags,
  'Secure serving': secureServingFlags,
  Auditing: auditingFlags,
  Features: featuresFlags,
  Authentication: authenticationFlags,
  Authorization: authorizationFlags,
  'API enablement': apiEnablementFlags,
  'Egress selector': egressSelectorFlags,
  Admission: admissionFlags,
  Metrics: metricsFlags,
  Logs: logsFlags,
  Traces: tracesFlags,
  Misc: miscFlags,
} as const satisfies Readonly<Record<string, readonly FlagDefinition[]>>;

/** All flags, in the order of their sections. */
export const flagTable: readonly FlagDefinition[] = Object.values(flagSections).flat();

/** One flag of the table. */
export type FlagRow = (typeof flagSections)[keyof typeof flagSections][number];
