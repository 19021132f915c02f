import type { Logger } from 'pino';
import type { Naming } from '#base/naming/naming.ts';
import type { Client } from '#client/client.ts';
import type { Discovery } from '#client/discovery/discovery.ts';
import type { EventRecorder } from '#client/events/recorder.ts';
import type { Informer } from '#client/informer/informer.ts';
import type { InformerNeed, SharedInformers } from '#client/informer/shared-informers.ts';
import type { ResourceType } from '#client/resource-type.ts';
import type { Reconcile, WorkQueueOptions } from '#client/work/work-queue.ts';
import type { FlagsOf } from '#program/flags/parse-flag-table.ts';
import type { MetricSet } from '#program/metrics/metric-set.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { ManagerFlag } from './flag-table.ts';

/** The flags that a controller may read. */
export type ManagerFlags = FlagsOf<ManagerFlag>;

/**
 * A controller: its name, the collections of which it needs copies, and its work while its instance leads. It compares
 * the actual state with the wanted state and makes them equal, whatever happened before. So it may start at any time
 * and any number of times. A repeated step does no harm.
 */
export interface Controller<Prepared = unknown> {
  /** The name in `--controllers`. */
  readonly name: string;
  /**
   * Its service account in the system namespace, which has separate permissions. Without an account it uses the
   * permissions of the manager.
   */
  readonly account?: string;
  /** The name of the source in its Events. By default it is the account. */
  readonly component?: string;
  /** Whether it runs only if `--controllers` names it. */
  readonly offByDefault?: true;
  /** The factor by which the rate of its requests may exceed --orch-api-qps. 1 by default. */
  readonly rate?: number;
  /**
   * The reason why the controller does not run although it is selected, such as a missing flag. Undefined if it runs.
   */
  readonly unavailable?: (flags: ManagerFlags) => string | undefined;
  /** The collections of which every instance keeps a copy, even without the lead. */
  readonly needs: readonly InformerNeed<never>[];
  /**
   * Called once in every instance before the copies are filled, even without the lead. It sends only reads. It is for
   * data that an instance needs at once when it begins to lead, and that the copies do not contain.
   */
  readonly prepare?: (standing: Standing) => Prepared;
  /**
   * Called each time this instance begins to lead, when all copies are filled. The work that it starts ends with
   * `term.signal`.
   */
  readonly start: (term: Term<Prepared>) => void | Promise<void>;
}

/** The facilities of a controller while its instance is a candidate or leads. */
export interface Standing {
  readonly naming: Naming;
  readonly flags: ManagerFlags;
  readonly log: Logger;
  /** The copies of collections. The copies for {@link Controller.needs} are filled when a controller starts. */
  readonly informers: SharedInformers;
  readonly discovery: Discovery;
  /** A client that only reads, with the permissions of the manager. It works with and without the lease. */
  readonly reader: Client;
  /** The signal aborts when this instance ends. */
  readonly ended: AbortSignal;
}

/** The facilities of a controller while its instance leads. */
export interface Term<Prepared = unknown> extends Standing {
  /** A client with the permissions of the controller's account. It sends nothing after the lease is lost. */
  readonly client: Client;
  /** Writes Events for users, with the controller's account. */
  readonly events: EventRecorder;
  /** The metrics of the program; `program/metrics/families/controllers.ts` defines their families. */
  readonly metrics: Pick<MetricSet, 'counter' | 'gauge' | 'histogram'>;
  /** The signal aborts at the end of this term: when the instance ends, or when it loses the lease. */
  readonly signal: AbortSignal;
  readonly prepared: Prepared;
  /** The copy of a collection that {@link Controller.needs} names. */
  informer<T extends ApiObject>(type: ResourceType<T>): Informer<T>;
  /** A queue that works on its keys until the end of the term. A failure is logged, and the work is tried again. */
  queue(reconcile: Reconcile, options?: QueueOptions): Queue;
  /** The time in milliseconds since 1970. */
  now(): number;
}

export interface QueueOptions extends Omit<WorkQueueOptions, 'observer' | 'onError'> {
  /**
   * The name of the queue if a controller has several: `serviceaccount_tokens_secret`. By default it is the
   * controller's name in metrics.
   */
  readonly name?: string;
}

/** Keys that need work. */
export interface Queue {
  add(key: string): void;
  addAfter(key: string, ms: number): void;
}

/** Declares a controller. The types check that `start` gets the result of `prepare`. */
export function controller<Prepared = undefined>(definition: Controller<Prepared>): Controller {
  return definition as Controller as Controller<unknown>;
}

/** Declares a need of a controller. */
export function need<T extends ApiObject>(
  type: ResourceType<T>,
  more: Omit<InformerNeed<T>, 'type'> = {},
): InformerNeed<never> {
  return { ...more, type } as unknown as InformerNeed<never>;
}
