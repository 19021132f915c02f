import { flagSections as managerSections } from '#controllers/flag-table.ts';
import { authenticationFlags } from '#controllers/flags/authentication.ts';
import { authorizationFlags } from '#controllers/flags/authorization.ts';
import { genericFlags } from '#controllers/flags/generic.ts';
import { secureServingFlags } from '#controllers/flags/secure-serving.ts';
import type { FlagDefinition } from '#program/flags/flag-definition.ts';

/** Flags of the manager about its controllers. The scheduler does not have them. */
const OF_CONTROLLERS: ReadonlySet<string> = new Set([
  'cluster-name',
  'controllers',
  'controller-start-interval',
  'use-service-account-credentials',
]);

/** Differences in the flags that both programs have. */
const OWN: ReadonlyMap<string, Partial<FlagDefinition>> = new Map<string, Partial<FlagDefinition>>([
  ['secure-port', { default: '10259' }],
  ['leader-elect-resource-name', { default: (naming) => naming.prefixed('scheduler') }],
  [
    '{prefix}api-qps',
    {
      default: '50',
      about:
        'requests per second; 0 or less for no limit. Scheduling a pod takes two requests: its binding and its event',
    },
  ],
  [
    '{prefix}api-burst',
    { default: '100', about: 'number of requests that may be sent at once before --{prefix}api-qps limits them' },
  ],
]);

function own(flags: readonly FlagDefinition[]): readonly FlagDefinition[] {
  return flags.filter(({ name }) => !OF_CONTROLLERS.has(name)).map((flag) => ({ ...flag, ...OWN.get(flag.name) }));
}

/**
 * Every flag of the scheduler by section, with the usual names of such programs: the flags of the manager, and a few
 * others.
 */
export const flagSections: Readonly<Record<string, readonly FlagDefinition[]>> = {
  Debugging: managerSections.Debugging,
  Generic: [
    ...own(genericFlags),
    {
      name: 'config',
      type: 'string',
      built: true,
      about: 'configuration file of the scheduler: profiles and other settings; they take precedence over other flags',
    },
    {
      name: 'pod-max-in-unschedulable-pods-duration',
      type: 'duration',
      default: '5m0s',
      built: true,
      about: 'longest time until the scheduler tries an unschedulable pod again without a change in the cluster',
    },
  ],
  'Secure serving': own(secureServingFlags),
  Authentication: authenticationFlags,
  Authorization: authorizationFlags,
  Metrics: managerSections.Metrics,
  Logs: managerSections.Logs,
  Misc: managerSections.Misc,
};

/** All flags, in the order of their sections. */
export const flagTable: readonly FlagDefinition[] = Object.values(flagSections).flat();

/** The flags that only the scheduler has. */
export type SchedulerFlag =
  | { readonly name: 'config'; readonly type: 'string' }
  | { readonly name: 'pod-max-in-unschedulable-pods-duration'; readonly type: 'duration' };
