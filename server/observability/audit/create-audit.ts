import type { Logger } from 'pino';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { MetricSet } from '#program/metrics/metric-set.ts';
import type { AuditOptions, BackendOptions } from '../../config/audit-options.ts';
import { countedCalls } from '../../outbound/call-metrics.ts';
import { readWebhookConnection } from '../../outbound/webhook-connection.ts';
import { Audit } from './audit.ts';
import { AuditMetrics } from './audit-metrics.ts';
import type { AuditBackend, AuditSink, OnLoss } from './backend.ts';
import { BatchBackend } from './batch-backend.ts';
import { BlockingBackend } from './blocking-backend.ts';
import { LogFile } from './log-file.ts';
import { LogSink, type LogTarget, OutputTarget } from './log-sink.ts';
import { readAuditPolicy } from './policy-file.ts';
import { TruncatingSink } from './truncating-sink.ts';
import { WebhookSink } from './webhook-sink.ts';

/** The largest number of lists that are sent to a server at the same time. A slow one must not delay the others. */
const WEBHOOK_CONCURRENCY = 10;

/** The same number for a file, which accepts any number of lists in order. */
const LOG_CONCURRENCY = 100;

/** The time between two lines of the server's own log about lost events, in milliseconds. */
const TELL_EVERY = 1000;

/** The parts of the audit log if something is recorded. */
export interface AuditParts {
  readonly audit: Audit | undefined;
}

/**
 * Reads the policy and opens the backends. Nothing is recorded without a policy and at least one backend.
 * @throws ConfigError about the policy, the connection file or the log file
 */
export async function createAudit(
  options: AuditOptions,
  naming: Naming,
  set: MetricSet,
  log: Logger,
): Promise<AuditParts> {
  const metrics = new AuditMetrics(set);
  const { policyFile, logFile, webhook } = options;
  const policy = policyFile === undefined ? undefined : readAuditPolicy(policyFile, naming);
  if (policy === undefined) {
    if (logFile ?? webhook) log.warn('nothing is audited: --audit-policy-file is missing');
    return { audit: undefined };
  }
  const apiVersion = naming.apiVersion('audit', 'v1');
  const onLoss = lossReporter(metrics, log);
  const backend = (plugin: string, sink: AuditSink, how: BackendOptions, concurrency: number): AuditBackend => {
    metrics.expect(plugin);
    const mark = naming.key('audit/truncated');
    const fitted = how.truncation === undefined ? sink : new TruncatingSink(sink, how.truncation, mark, onLoss);
    return how.mode === 'batch'
      ? new BatchBackend(plugin, fitted, { ...how.batch, concurrency }, onLoss)
      : new BlockingBackend(plugin, fitted, how.mode === 'blocking-strict', onLoss);
  };
  const backends: AuditBackend[] = [];
  let target: LogTarget | undefined;
  if (logFile !== undefined) {
    target =
      logFile.path === '-'
        ? new OutputTarget(process.stdout.fd)
        : await openLogFile(logFile.path, logFile.rotation, log);
    backends.push(backend('log', new LogSink(target, logFile.format, apiVersion), logFile, LOG_CONCURRENCY));
  }
  if (webhook !== undefined) {
    const connection = readWebhookConnection(webhook.configFile, (line) => log.warn(line));
    const sink = new WebhookSink(connection, {
      apiVersion,
      initialBackoffMs: webhook.initialBackoffMs,
      counted: countedCalls(set),
    });
    backends.push(backend('webhook', sink, webhook, WEBHOOK_CONCURRENCY));
  }
  if (backends.length === 0) return { audit: undefined };
  return { audit: new Audit(policy, backends, metrics, naming, async () => target?.close()) };
}

async function openLogFile(
  path: string,
  rotation: ConstructorParameters<typeof LogFile>[1],
  log: Logger,
): Promise<LogFile> {
  const file = new LogFile(path, rotation, (error) => log.warn({ err: error }, 'old audit logs could not be deleted'));
  try {
    await file.open();
  } catch (error) {
    throw new ConfigError(`cannot open the file of flag --audit-log-path: ${(error as Error).message}`);
  }
  return file;
}

/** Counts all lost entries, and logs the count from time to time. A full disk must not also fill the other log. */
function lossReporter(metrics: AuditMetrics, log: Logger): OnLoss {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let unlogged = 0;
  return (plugin, events, error) => {
    metrics.lost(plugin, events);
    unlogged += events;
    const now = performance.now();
    if (now - loggedAt < TELL_EVERY) return;
    log.error({ plugin, events: unlogged, err: error }, 'audit events are lost');
    loggedAt = now;
    unlogged = 0;
  };
}
