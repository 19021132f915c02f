import { validate as validateAdmissionConfiguration } from './generated/admission-configuration.js';
import { validate as validateAuditPolicy } from './generated/audit-policy.js';
import { validate as validateAuthentication } from './generated/authentication-configuration.js';
import { validate as validateAuthorization } from './generated/authorization-configuration.js';
import { validate as validateEncryption } from './generated/encryption.js';
import { validate as validateEventRateLimit } from './generated/event-rate-limit.js';
import { validate as validatePodSecurity } from './generated/pod-security.js';
import { validate as validatePodStages } from './generated/pod-stages.js';
import { validate as validatePodTolerationRestriction } from './generated/pod-toleration-restriction.js';
import { validate as validateResourceQuota } from './generated/resource-quota.js';
import { validate as validateScheduler } from './generated/scheduler.js';
import { validate as validateTracing } from './generated/tracing.js';
import { validate as validateUnversionedPlugins } from './generated/unversioned-plugins.js';
import { validate as validateWebhookAdmission } from './generated/webhook-admission.js';

export { connectionFile } from './connection-file-kind.ts';

import type { OperatorKind } from './operator-kind.ts';
import type { ValueOf } from './schema.ts';
import type { schemas } from './schemas/all.ts';

type ValueOfSchema<K extends keyof typeof schemas> = ValueOf<(typeof schemas)[K]>;

/** The file of `--admission-control-config-file`. */
export const admissionConfiguration: OperatorKind<ValueOfSchema<'admissionConfiguration'>> = {
  forms: [{ kind: 'AdmissionConfiguration', group: 'apiserver.config', versions: ['v1', 'v1alpha1'] }],
  validate: validateAdmissionConfiguration,
};

/** The file of `--audit-policy-file`. */
export const auditPolicy: OperatorKind<ValueOfSchema<'auditPolicy'>> = {
  forms: [{ kind: 'Policy', group: 'audit', versions: ['v1'] }],
  validate: validateAuditPolicy,
};

/** The file of `--authentication-config`. */
export const authenticationConfiguration: OperatorKind<ValueOfSchema<'authenticationConfiguration'>> = {
  forms: [{ kind: 'AuthenticationConfiguration', group: 'apiserver.config', versions: ['v1', 'v1beta1', 'v1alpha1'] }],
  validate: validateAuthentication,
};

/** The file of `--authorization-config`. */
export const authorizationConfiguration: OperatorKind<ValueOfSchema<'authorizationConfiguration'>> = {
  forms: [{ kind: 'AuthorizationConfiguration', group: 'apiserver.config', versions: ['v1', 'v1beta1', 'v1alpha1'] }],
  validate: validateAuthorization,
};

/** The file of `--encryption-provider-config`. */
export const encryption: OperatorKind<ValueOfSchema<'encryption'>> = {
  forms: [{ kind: 'EncryptionConfiguration', group: 'apiserver.config', versions: ['v1'] }],
  validate: validateEncryption,
};

/** The file of `--tracing-config-file`. */
export const tracing: OperatorKind<ValueOfSchema<'tracing'>> = {
  forms: [{ kind: 'TracingConfiguration', group: 'apiserver.config', versions: ['v1alpha1'] }],
  validate: validateTracing,
};

/** The configuration of the admission plug-in EventRateLimit. */
export const eventRateLimit: OperatorKind<ValueOfSchema<'eventRateLimit'>> = {
  forms: [{ kind: 'Configuration', group: 'eventratelimit.admission', versions: ['v1alpha1'] }],
  validate: validateEventRateLimit,
};

/** The configuration of the admission plug-in PodSecurity. */
export const podSecurity: OperatorKind<ValueOfSchema<'podSecurity'>> = {
  forms: [
    {
      kind: 'PodSecurityConfiguration',
      group: 'pod-security.admission.config',
      versions: ['v1', 'v1beta1', 'v1alpha1'],
    },
  ],
  validate: validatePodSecurity,
};

/** The file of `--stages` of simulated nodes. */
export const podStages: OperatorKind<ValueOfSchema<'podStages'>> = {
  forms: [{ kind: 'PodStages', group: 'nodes.config', versions: ['v1alpha1'] }],
  validate: validatePodStages,
};

/** The configuration of the admission plug-in PodTolerationRestriction. */
export const podTolerationRestriction: OperatorKind<ValueOfSchema<'podTolerationRestriction'>> = {
  forms: [{ kind: 'Configuration', group: 'podtolerationrestriction.admission', versions: ['v1alpha1'] }],
  validate: validatePodTolerationRestriction,
};

/** The configuration of the admission plug-in ResourceQuota. */
export const resourceQuota: OperatorKind<ValueOfSchema<'resourceQuota'>> = {
  forms: [
    { kind: 'ResourceQuotaConfiguration', group: 'apiserver.config', versions: ['v1'] },
    { kind: 'Configuration', group: 'resourcequota.admission', versions: ['v1', 'v1beta1', 'v1alpha1'] },
  ],
  validate: validateResourceQuota,
};

/** The configuration of the admission plug-ins MutatingAdmissionWebhook and ValidatingAdmissionWebhook. */
export const webhookAdmission: OperatorKind<ValueOfSchema<'webhookAdmission'>> = {
  forms: [
    { kind: 'WebhookAdmissionConfiguration', group: 'apiserver.config', versions: ['v1', 'v1alpha1'] },
    // The name that the field uses in v1alpha1.
    { kind: 'WebhookAdmission', group: 'apiserver.config', versions: ['v1alpha1'] },
  ],
  validate: validateWebhookAdmission,
};

/**
 * The configuration of the admission plug-ins ImagePolicyWebhook and PodNodeSelector. It may also be a whole admission
 * configuration file.
 */
export const unversionedPlugins: OperatorKind<ValueOfSchema<'unversionedPlugins'>> = {
  forms: [],
  validate: validateUnversionedPlugins,
};

/** The file of `--config` of the scheduler. The second form is that of the field. */
export const scheduler: OperatorKind<ValueOfSchema<'scheduler'>> = {
  forms: [
    { kind: 'SchedulerConfiguration', group: 'scheduler.config', versions: ['v1'] },
    { kind: 'KubeSchedulerConfiguration', group: 'kubescheduler.config', versions: ['v1'] },
  ],
  validate: validateScheduler,
};
