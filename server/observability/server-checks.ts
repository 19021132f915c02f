import { type LoopStalls, loopStalls } from '#base/time/loop-stalls.ts';
import { askStore } from './ask-store.ts';
import type { HealthCheck, HealthPath } from './health-check.ts';
import type { StartHooks } from './start-hooks.ts';

/** How long the cache may be without a confirmation, in milliseconds. After that it may have missed changes. */
const UNCONFIRMED_MS = 10_000;

/** The inputs of the checks. Times are in milliseconds. */
export interface CheckedServer {
  readonly store: { readonly full: boolean; health(timeoutMs: number): Promise<unknown> };
  readonly cache: { readonly ready: boolean; readonly unconfirmedMs: number };
  readonly draining: () => boolean;
  /** Work that begins with the server. */
  readonly hooks: Pick<StartHooks, 'all' | 'pending'>;
  /** The value of `--livez-grace-period`: how long after the start /livez assumes that such work will succeed. */
  readonly graceMs: number;
  /** The values of `--etcd-healthcheck-timeout` and `--etcd-readycheck-timeout`. */
  readonly storeTimeoutMs: { readonly health: number; readonly readiness: number };
  readonly now?: () => number;
  /** The stalls of this process's event loop. During a stall, nothing is known about other programs. */
  readonly stalls?: Pick<LoopStalls, 'within'>;
}

const ALL: readonly HealthPath[] = ['healthz', 'livez', 'readyz'];

/** The health checks of an API server, in the order of the output. */
export function serverChecks(server: CheckedServer): HealthCheck[] {
  const { store, cache, draining, hooks, graceMs, storeTimeoutMs, now = () => performance.now() } = server;
  const { stalls = loopStalls() } = server;
  const started = now();
  // Any client may request checks, as often as it wants. So requests that arrive during a probe of the store share its
  // result.
  const asked = new Map<number, Promise<string | undefined>>();
  const storeAnswers = (timeoutMs: number): Promise<string | undefined> => {
    let answer = asked.get(timeoutMs);
    if (answer === undefined) {
      answer = askStore(store, timeoutMs, stalls).finally(() => asked.delete(timeoutMs));
      asked.set(timeoutMs, answer);
    }
    return answer;
  };
  return [
    { name: 'ping', paths: ALL, check: () => undefined },
    { name: 'log', paths: ALL, check: () => undefined },
    {
      name: 'etcd',
      paths: ALL,
      check: () => storeAnswers(storeTimeoutMs.health),
      // A full store is not a failure here: deletions free space, so they must reach this replica.
      remark: () => (store.full ? 'the store is full and takes deletions only' : undefined),
    },
    { name: 'etcd-readiness', paths: ['readyz'], check: () => storeAnswers(storeTimeoutMs.readiness) },
    {
      name: 'informer-sync',
      paths: ['readyz'],
      check: () => {
        const { ready, unconfirmedMs } = cache;
        const current = ready && unconfirmedMs - stalls.within(unconfirmedMs) < UNCONFIRMED_MS;
        return current ? undefined : 'the watch cache is not current';
      },
    },
    ...hooks.all.map((hook) => ({
      name: hook.name,
      paths: ALL,
      check: (path: HealthPath) => (path === 'livez' && now() - started < graceMs ? undefined : hooks.pending(hook)),
    })),
    { name: 'shutdown', paths: ['readyz'], check: () => (draining() ? 'the server is shutting down' : undefined) },
  ];
}
