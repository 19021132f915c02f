import {
  admissionConfiguration,
  eventRateLimit,
  podSecurity,
  unversionedPlugins,
  webhookAdmission,
} from './admission.ts';
import { auditPolicy } from './audit.ts';
import { authenticationConfiguration } from './authentication.ts';
import { authorizationConfiguration } from './authorization.ts';
import { connectionFile } from './connection.ts';
import { encryption } from './encryption.ts';
import { podStages } from './pod-stages.ts';
import { resourceQuota } from './quota.ts';
import { scheduler } from './scheduler.ts';
import { podTolerationRestriction } from './tolerations.ts';
import { tracing } from './tracing.ts';

/** The schemas of all kinds of operators' files. The generator makes a validator of each, with the same name. */
export const schemas = {
  admissionConfiguration,
  auditPolicy,
  authenticationConfiguration,
  authorizationConfiguration,
  connectionFile,
  encryption,
  eventRateLimit,
  podSecurity,
  podStages,
  podTolerationRestriction,
  resourceQuota,
  scheduler,
  tracing,
  unversionedPlugins,
  webhookAdmission,
} as const;
