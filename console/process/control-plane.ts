import type { Client } from '#client/client.ts';
import { ApiError, isForbidden } from '#client/errors.ts';
import type { ControlPlane, HealthCheck } from '../protocol/messages.ts';

/** Samples without labels that the page shows, with what they mean. */
const FIGURES: readonly [metric: string, name: string][] = [
  ['process_resident_memory_bytes', 'Memory of the replica'],
  ['process_open_fds', 'Open files of the replica'],
  ['process_start_time_seconds', 'Started'],
];

/** Reads the version, the checks and the metrics of the replica that answers. */
export async function readControlPlane(client: Client): Promise<ControlPlane> {
  const [version, checks, metrics] = await Promise.all([
    client.getJson<{ gitVersion?: unknown }>('/version'),
    readChecks(client),
    textOf(client, '/metrics'),
  ]);
  return {
    version: String(version.gitVersion ?? ''),
    checks,
    requests: metrics === undefined ? undefined : requestsIn(metrics),
    figures: metrics === undefined ? [] : figuresIn(metrics),
  };
}

async function readChecks(client: Client): Promise<readonly HealthCheck[]> {
  try {
    return checksIn((await textOf(client, '/readyz?verbose')) ?? '');
  } catch (error) {
    // A replica that is not ready says so with 500, and lists its checks all the same.
    if (error instanceof ApiError && error.code === 500) return checksIn(error.message);
    throw error;
  }
}

/** Undefined where the user may not read it. */
async function textOf(client: Client, path: string): Promise<string | undefined> {
  try {
    return (await client.call({ method: 'GET', path, headers: { accept: 'text/plain' } })).text;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

/** The checks in the text of a health path: `[+]ping ok`. */
export function checksIn(text: string): readonly HealthCheck[] {
  return [...text.matchAll(/^\[([+-])\](\S+)/gm)].map(([, sign, name]) => ({ name: name!, ok: sign === '+' }));
}

/** How many requests were answered, by verb and code, most first. */
export function requestsIn(metrics: string): NonNullable<ControlPlane['requests']> {
  const counts = new Map<string, { verb: string; code: string; count: number }>();
  for (const [, labels = '', value = ''] of metrics.matchAll(/^apiserver_request_total\{([^}]*)\} (\S+)$/gm)) {
    const verb = label(labels, 'verb');
    const code = label(labels, 'code');
    const known = counts.get(`${verb} ${code}`);
    if (known === undefined) counts.set(`${verb} ${code}`, { verb, code, count: Number(value) });
    else known.count += Number(value);
  }
  return [...counts.values()].sort((a, b) => b.count - a.count);
}

function label(labels: string, name: string): string {
  return new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
}

function figuresIn(metrics: string): ControlPlane['figures'] {
  return FIGURES.flatMap(([metric, name]) => {
    const value = new RegExp(`^${metric} (\\S+)$`, 'm').exec(metrics)?.[1];
    return value === undefined ? [] : [{ name, value: figure(metric, Number(value)) }];
  });
}

function figure(metric: string, value: number): string {
  if (metric.endsWith('_bytes')) return `${Math.round(value / 1_048_576)} MiB`;
  if (metric.endsWith('_time_seconds')) return new Date(value * 1000).toISOString();
  return String(value);
}
