import { ConfigError } from '#base/errors/config-error.ts';
import { atLeast, text } from '#program/flags/flag-readers.ts';
import type { Flags } from './parse-flags.ts';

/** How events are collected into batches. */
export interface BatchLimits {
  /** How many events may wait. Further events are lost. */
  readonly bufferSize: number;
  /** The largest number of events that are sent at once. */
  readonly maxSize: number;
  /** How long an event waits for further events, in milliseconds. */
  readonly maxWaitMs: number;
  /** The number of batches per second in the long run, and at once. Undefined means no limit. */
  readonly throttle: { readonly qps: number; readonly burst: number } | undefined;
  /** How many batches may be sent at the same time; 1 keeps their order. */
  readonly concurrency: number;
}

/** The limits for rotating and keeping files; 0 means no limit. */
export interface RotationLimits {
  readonly maxBytes: number;
  readonly maxBackups: number;
  readonly maxAgeMs: number;
  /** Whether rotated files are compressed. */
  readonly compress: boolean;
}

/** The formats of a line of the log. */
export const logFormats = ['json', 'legacy'] as const;
export type LogFormat = (typeof logFormats)[number];

/** The ways in which requests wait for a backend. */
export const auditModes = ['batch', 'blocking', 'blocking-strict'] as const;
export type AuditMode = (typeof auditModes)[number];

/** Sizes in bytes. */
export interface TruncationLimits {
  readonly maxEventSize: number;
  readonly maxBatchSize: number;
}

/** How requests wait for a backend, and how events reach it. */
export interface BackendOptions {
  readonly mode: AuditMode;
  readonly batch: Omit<BatchLimits, 'concurrency'>;
  /** Undefined means that events of any size are sent. */
  readonly truncation: TruncationLimits | undefined;
}

export interface AuditLogOptions extends BackendOptions {
  /** The path of the file; `-` for standard output. */
  readonly path: string;
  readonly format: LogFormat;
  readonly rotation: RotationLimits;
}

export interface AuditWebhookOptions extends BackendOptions {
  readonly configFile: string;
  readonly initialBackoffMs: number;
}

/** The settings of the audit log: the policy and the backends. A backend that is not configured is undefined. */
export interface AuditOptions {
  readonly policyFile: string | undefined;
  readonly logFile: AuditLogOptions | undefined;
  readonly webhook: AuditWebhookOptions | undefined;
}

const MEGABYTE = 1 << 20;
const DAY_MS = 24 * 3600 * 1000;

/** The default size at which a log is rotated, in megabytes. */
const MAX_SIZE_MB = 100;

/**
 * Reads the flags of auditing. The flags of a backend that is not configured are not checked.
 * @throws ConfigError
 */
export function readAudit(flags: Flags): AuditOptions {
  return {
    policyFile: text(flags.get('audit-policy-file')),
    logFile: readLog(flags),
    webhook: readWebhook(flags),
  };
}

function readLog(flags: Flags): AuditLogOptions | undefined {
  const path = text(flags.get('audit-log-path'));
  if (path === undefined) return undefined;
  const format = oneOf(flags, 'audit-log-format', logFormats);
  const count = (name: 'audit-log-maxage' | 'audit-log-maxbackup' | 'audit-log-maxsize') =>
    atLeast(0, flags.get(name), name);
  return {
    ...readBackend(flags, 'log'),
    path,
    format,
    rotation: {
      maxBytes: (count('audit-log-maxsize') || MAX_SIZE_MB) * MEGABYTE,
      maxBackups: count('audit-log-maxbackup'),
      maxAgeMs: count('audit-log-maxage') * DAY_MS,
      compress: flags.get('audit-log-compress'),
    },
  };
}

function readWebhook(flags: Flags): AuditWebhookOptions | undefined {
  const configFile = text(flags.get('audit-webhook-config-file'));
  if (configFile === undefined) return undefined;
  const initialBackoffMs = atLeast(0, flags.get('audit-webhook-initial-backoff'), 'audit-webhook-initial-backoff');
  return { ...readBackend(flags, 'webhook'), configFile, initialBackoffMs };
}

/** The flags that both backends have. */
function readBackend(flags: Flags, backend: 'log' | 'webhook'): BackendOptions {
  const version = flags.naming.apiVersion('audit', 'v1');
  if (flags.get(`audit-${backend}-version`) !== version)
    throw new ConfigError(`flag --audit-${backend}-version must be ${version}`);
  const mode = oneOf(flags, `audit-${backend}-mode`, auditModes);
  return {
    mode,
    batch: readBatch(flags, backend, mode === 'batch'),
    truncation: flags.get(`audit-${backend}-truncate-enabled`) ? readTruncation(flags, backend) : undefined,
  };
}

function readBatch(flags: Flags, backend: 'log' | 'webhook', used: boolean): BackendOptions['batch'] {
  const prefix = `audit-${backend}-batch` as const;
  const batch = {
    bufferSize: flags.get(`${prefix}-buffer-size`),
    maxSize: flags.get(`${prefix}-max-size`),
    maxWaitMs: flags.get(`${prefix}-max-wait`),
    throttle: flags.get(`${prefix}-throttle-enable`)
      ? { qps: flags.get(`${prefix}-throttle-qps`), burst: flags.get(`${prefix}-throttle-burst`) }
      : undefined,
  };
  if (!used) return batch;
  atLeast(1, batch.bufferSize, `${prefix}-buffer-size`);
  atLeast(1, batch.maxSize, `${prefix}-max-size`);
  atLeast(0, batch.maxWaitMs, `${prefix}-max-wait`);
  if (batch.maxSize > batch.bufferSize)
    throw new ConfigError(`flag --${prefix}-max-size must not be more than --${prefix}-buffer-size`);
  if (batch.throttle === undefined) return batch;
  if (!(batch.throttle.qps > 0)) throw new ConfigError(`flag --${prefix}-throttle-qps must be positive`);
  atLeast(1, batch.throttle.burst, `${prefix}-throttle-burst`);
  return batch;
}

function readTruncation(flags: Flags, backend: 'log' | 'webhook'): TruncationLimits {
  const prefix = `audit-${backend}-truncate` as const;
  const maxEventSize = atLeast(1, flags.get(`${prefix}-max-event-size`), `${prefix}-max-event-size`);
  const maxBatchSize = flags.get(`${prefix}-max-batch-size`);
  if (maxBatchSize < maxEventSize)
    throw new ConfigError(`flag --${prefix}-max-batch-size must not be less than --${prefix}-max-event-size`);
  return { maxEventSize, maxBatchSize };
}

function oneOf<T extends string>(
  flags: Flags,
  name: 'audit-log-format' | 'audit-log-mode' | 'audit-webhook-mode',
  known: readonly T[],
): T {
  const given = flags.get(name);
  const found = known.find((value) => value === given);
  if (found === undefined) throw new ConfigError(`flag --${name} must be one of ${known.join(', ')}`);
  return found;
}
