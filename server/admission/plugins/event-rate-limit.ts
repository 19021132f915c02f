import { table } from '#base/collections/own-properties.ts';
import { ConfigError } from '#base/errors/config-error.ts';
import { StatusError } from '#base/errors/status-error.ts';
import { TokenBuckets } from '#base/limits/token-buckets.ts';
import { eventRateLimit as kind } from '#program/operator-files/kinds.ts';
import type { Event } from '#schema/generated/core.v1.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import { type AdmissionPlugin, handling, type PluginEnvironment } from '../plugin.ts';
import { aggregate } from '../refusal.ts';

/** The key by which events share a limit, for each type of limit. */
const KEYS: Readonly<Record<string, (request: AdmissionRequest) => string>> = table({
  Server: () => '',
  Namespace: ({ namespace }) => namespace,
  User: ({ context }) => context.user?.name ?? '',
  SourceAndObject: ({ object }) => {
    const { source, involvedObject } = object as unknown as Event & { involvedObject?: Event['involvedObject'] };
    const { kind, namespace, name, uid, apiVersion } = involvedObject ?? {};
    return [source?.component, source?.host, kind, namespace, name, uid, apiVersion].join('');
  },
});
const DEFAULT_CACHE = 4096;

interface Limit {
  readonly type: string;
  readonly buckets: TokenBuckets;
}

function readLimits({ configuration, naming }: PluginEnvironment): readonly Limit[] {
  if (configuration === undefined) {
    throw new ConfigError(
      'the admission plug-in EventRateLimit needs limits: name a configuration in --admission-control-config-file',
    );
  }
  return configuration.as(kind, naming).limits.map(({ type, qps, burst, cacheSize }) => {
    const size = type === 'Server' ? 1 : cacheSize || DEFAULT_CACHE;
    return { type, buckets: new TokenBuckets(qps, burst, size) };
  });
}

/**
 * Limits how many events are written: for the whole server, for each namespace, for each user, or for each source and
 * object.
 */
export function eventRateLimit(environment: PluginEnvironment): AdmissionPlugin {
  const limits = readLimits(environment);
  return {
    name: 'EventRateLimit',
    handles: handling('', 'events', ['CREATE', 'UPDATE']),
    validate(request) {
      if (request.dryRun) return;
      const reached = limits.flatMap(({ type, buckets }) => {
        const key = KEYS[type]!(request);
        return buckets.take(key) ? [] : [`limit reached on type ${type} for key ${key}`];
      });
      if (reached.length > 0) {
        throw new StatusError(429, 'TooManyRequests', `Too many requests: ${aggregate(reached)}`);
      }
    },
  };
}
