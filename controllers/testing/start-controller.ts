import { pino } from 'pino';
import { Discovery } from '#client/discovery/discovery.ts';
import { EventRecorder } from '#client/events/recorder.ts';
import { SharedInformers } from '#client/informer/shared-informers.ts';
import type { ResourceType } from '#client/resource-type.ts';
import type { FakeServer } from '#client/testing/fake-server.ts';
import { WorkQueue } from '#client/work/work-queue.ts';
import { parseFlagTable } from '#program/flags/parse-flag-table.ts';
import { MetricSet } from '#program/metrics/metric-set.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Controller, ManagerFlags, Term } from '../controller.ts';
import { flagTable, type ManagerFlag } from '../flag-table.ts';

/** The flags of a program that starts with this command line. */
export function managerFlags(...argv: readonly string[]): ManagerFlags {
  const invocation = parseFlagTable<ManagerFlag>(argv, flagTable);
  if (!('flags' in invocation)) throw new Error('nothing to start');
  return invocation.flags;
}

export interface StartedController {
  /** Messages of the log, in order. */
  readonly log: string[];
  readonly informers: SharedInformers;
  /** Ends the term; resolves when all started work has ended. */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly flags?: ManagerFlags;
  readonly now?: () => number;
}

/** Runs a controller on a fake server, as the leader would. */
export async function startController(
  controller: Controller,
  server: FakeServer,
  { flags = managerFlags(`--naming=${server.naming.profile}`), now = Date.now }: StartOptions = {},
): Promise<StartedController> {
  const stop = new AbortController();
  const { signal } = stop;
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push((JSON.parse(line) as { msg: string }).msg) });
  const informers = new SharedInformers(server.client);
  for (const { type, ...more } of controller.needs) informers.of(type as ResourceType, more);
  const discovery = new Discovery(server.client);
  const { naming, client } = server;
  const standing = { naming, flags, log, informers, discovery, reader: client, ended: signal };
  const prepared = controller.prepare?.(standing);
  informers.start(signal);
  await informers.ready();
  const work: Promise<void>[] = [];
  const term: Term = {
    ...standing,
    client: client.guarded(() => {}, signal),
    events: new EventRecorder(client, {
      component: controller.component ?? controller.account ?? controller.name,
      signal,
    }),
    metrics: new MetricSet(),
    signal,
    prepared,
    informer: <T extends ApiObject>(type: ResourceType<T>) => informers.of(type),
    queue: (reconcile, { name: _, ...options } = {}) => {
      const queue = new WorkQueue({
        ...options,
        onError: (key, error) => lines.push(`${key} failed: ${(error as Error).message}`),
      });
      work.push(queue.run(reconcile, signal));
      return queue;
    },
    now,
  };
  await controller.start(term);
  return {
    log: lines,
    informers,
    stop: async () => {
      stop.abort();
      await Promise.all(work);
    },
  };
}
