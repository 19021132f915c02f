import { setImmediate as turn } from 'node:timers/promises';
import { jsonEqual } from '#base/json/json-equal.ts';
import { ApiError, isConflict, isNotFound } from '#client/errors.ts';
import { EventRecorder } from '#client/events/recorder.ts';
import { coreV1, policyV1 } from '#client/generated/resources.ts';
import { type Controller, controller, type Term } from '#controllers/controller.ts';
import type { FlagsOf } from '#program/flags/parse-flag-table.ts';
import type { Node, Pod } from '#schema/generated/core.v1.ts';
import { bindVolumes, unboundClaims } from './bind-volumes.ts';
import { clusterView, needs } from './cluster-view.ts';
import { chooseNode, type NoNode } from './decide/choose-node.ts';
import { noNodeMessage, noPreemptionMessage } from './decide/messages.ts';
import { type Candidate, choosePreemption, mayPreempt } from './decide/preempt.ts';
import type { SchedulerFlag } from './flag-table.ts';
import { markPreempted, markUnschedulable } from './pod-marks.ts';
import { defaultSetup, type Profile, type Setup } from './profiles/profile.ts';
import { SCHEDULER_NAME } from './profiles/scheduler-name.ts';
import { type Change, SchedulingQueue } from './queue/scheduling-queue.ts';
import { type Result, SchedulingMetrics, type SchedulingSizes } from './scheduling-metrics.ts';
import { ClusterState } from './state/cluster-state.ts';
import type { NodeInfo } from './state/node-info.ts';
import { isOver, type PodInfo, podInfo } from './state/pod-info.ts';

/** The largest number of assignments in progress. */
const MOST_BINDINGS = 16;
/** The longest time that the scheduler works before other work may run. */
const SLICE_MS = 8;

const AFTER_ANY_ROOM: ReadonlySet<Change> = new Set(['a node', 'a volume', 'a pod left']);
const AFTER_ANYTHING: ReadonlySet<Change> = new Set([...AFTER_ANY_ROOM, 'a pod came']);

/** Assigns pods to nodes, one after another, by the rules of a setup. */
export function createScheduler(setup: Setup): Controller {
  let current: Scheduling | undefined;
  return controller({
    name: 'scheduler',
    component: SCHEDULER_NAME,
    needs,
    start(term) {
      const metrics = new SchedulingMetrics(term.metrics, () => current?.sizes());
      const work = new Scheduling(term, setup, metrics);
      current = work;
      work.follow();
      void work.run();
    },
  });
}

/** The scheduler with all filters and scores. It is for pods that name no other scheduler. */
export const scheduler = createScheduler(defaultSetup);

/** One term of scheduling. */
class Scheduling {
  readonly #term: Term;
  readonly #state = new ClusterState();
  readonly #queue: SchedulingQueue;
  readonly #view;
  readonly #pods;
  readonly #setup: Setup;
  readonly #metrics: SchedulingMetrics;
  /** Event recorders by the name of the profile. */
  readonly #events = new Map<string, EventRecorder>();
  /** Plug-ins that refused nodes to pods that still wait, by the key of the pod. */
  readonly #refusedBy = new Map<string, { readonly profile: string; readonly plugins: ReadonlySet<string> }>();
  /** Keys of pods that wait for their gates. */
  readonly #gated = new Set<string>();
  #bindings = 0;
  #roomForBinding: (() => void) | undefined;
  #from = 0;
  #sliceBegan = 0;

  constructor(term: Term, setup: Setup, metrics: SchedulingMetrics) {
    this.#term = term;
    this.#setup = setup;
    this.#metrics = metrics;
    const { client, signal, log } = term;
    const onError = (err: unknown) => log.debug({ err }, 'an event was not written');
    for (const name of setup.profiles.keys()) {
      const own = () => new EventRecorder(client, { component: name, signal, onError });
      this.#events.set(name, name === SCHEDULER_NAME ? term.events : own());
    }
    this.#view = clusterView(term, this.#state);
    this.#pods = term.informer(coreV1.pods);
    const flags = term.flags as unknown as FlagsOf<SchedulerFlag>;
    this.#queue = new SchedulingQueue({
      now: term.now,
      longestWaitMs: flags.get('pod-max-in-unschedulable-pods-duration'),
      firstBackoffMs: setup.firstBackoffMs,
      longestBackoffMs: setup.longestBackoffMs,
      onIncoming: (queue, event) => metrics.incoming(queue, event),
    });
    signal.addEventListener('abort', () => this.#queue.close(), { once: true });
  }

  /** Keeps the state and the queue up to date. */
  follow(): void {
    const { informer, signal } = this.#term;
    informer(coreV1.nodes).on(
      {
        added: (node) => {
          this.#state.putNode(node);
          this.#queue.changed('a node');
        },
        updated: (node, before) => {
          this.#state.putNode(node);
          if (!isSameNode(node, before)) this.#queue.changed('a node');
        },
        deleted: ({ metadata }) => this.#state.removeNode(metadata.name ?? ''),
      },
      signal,
    );
    this.#pods.on(
      {
        added: (pod) => this.#put(pod),
        updated: (pod, before) => this.#put(pod, before),
        deleted: (pod) => this.#remove(podInfo(pod).key, pod),
      },
      signal,
    );
    const changed = () => this.#queue.changed('a volume');
    for (const type of [coreV1.persistentvolumes, coreV1.persistentvolumeclaims])
      informer(type).on({ added: changed, updated: changed }, signal);
  }

  /** The present numbers of pods and nodes. */
  sizes(): SchedulingSizes {
    const counts = new Map<string, [profile: string, plugin: string, pods: number]>();
    for (const { profile, plugins } of this.#refusedBy.values())
      for (const plugin of plugins) {
        const key = `${profile}/${plugin}`;
        const count = counts.get(key) ?? [profile, plugin, 0];
        count[2]++;
        counts.set(key, count);
      }
    return {
      ...{ pending: this.#queue.pending, gated: this.#gated.size, nodes: this.#state.nodes.size },
      ...{ ...this.#state.sizes, refused: counts.values() },
    };
  }

  /** Schedules until the end of the term. */
  async run(): Promise<void> {
    const { signal, log } = this.#term;
    while (!signal.aborted) {
      await this.#queue.ready(signal);
      this.#sliceBegan = performance.now();
      for (let key = this.#queue.take(); key !== undefined && !signal.aborted; key = this.#queue.take()) {
        try {
          await this.#schedule(key);
        } catch (err) {
          if (!signal.aborted) log.error({ err, pod: key }, 'could not be scheduled');
          this.#metrics.attempted(this.#pods.get(key)?.spec?.schedulerName ?? '', 'error', 0);
          this.#queue.failed(key, 'soon');
        }
        await this.#pause();
      }
    }
  }

  /** Lets other work run from time to time. */
  async #pause(): Promise<void> {
    if (performance.now() - this.#sliceBegan < SLICE_MS) return;
    await turn();
    this.#sliceBegan = performance.now();
  }

  /** Whether a pod names this scheduler and has no node yet. */
  #isOurs(pod: Pod): boolean {
    const { metadata, spec } = pod;
    return (
      (spec?.nodeName ?? '') === '' &&
      this.#setup.profiles.has(spec?.schedulerName ?? '') &&
      (metadata.deletionTimestamp ?? null) === null &&
      !isOver(pod)
    );
  }

  /** Whether a pod waits only for this scheduler. */
  #isWaiting(pod: Pod): boolean {
    return this.#isOurs(pod) && (pod.spec?.schedulingGates ?? []).length === 0;
  }

  #put(pod: Pod, before?: Pod): void {
    const { key, priority } = podInfo(pod);
    if (this.#isOurs(pod) && (pod.spec?.schedulingGates ?? []).length > 0) this.#gated.add(key);
    else this.#gated.delete(key);
    if (this.#isWaiting(pod)) {
      this.#state.putPod(pod);
      if (this.#state.isAssumed(key)) return;
      const nominated = pod.status?.nominatedNodeName ?? '';
      if (nominated !== '') this.#state.nominate(podInfo(pod), nominated);
      if (before === undefined || !this.#isWaiting(before) || !isSamePod(pod, before)) this.#queue.add(key, priority);
      return;
    }
    const isNew = (before?.spec?.nodeName ?? '') === '' && (pod.spec?.nodeName ?? '') !== '';
    if (isOver(pod) && before !== undefined && !isOver(before)) this.#remove(key, pod);
    else {
      this.#queue.remove(key);
      this.#refusedBy.delete(key);
      this.#state.putPod(pod);
      if (isNew) this.#queue.changed('a pod came');
    }
  }

  #remove(key: string, pod: Pod): void {
    this.#queue.remove(key);
    this.#refusedBy.delete(key);
    this.#gated.delete(key);
    this.#state.removePod(key);
    if ((pod.spec?.nodeName ?? '') !== '') this.#queue.changed('a pod left');
  }

  async #schedule(key: string): Promise<void> {
    const pod = this.#pods.get(key);
    if (pod === undefined || !this.#isWaiting(pod) || this.#state.isAssumed(key)) return this.#queue.done(key);
    const info = podInfo(pod);
    const profile = this.#setup.profiles.get(pod.spec?.schedulerName ?? '')!;
    const { nodes } = this.#view;
    const began = performance.now();
    const nominated = (node: string) => this.#state.nominatedOn(node);
    const choice = chooseNode(info, this.#view, nominated, this.#from, Math.random, profile);
    this.#metrics.chosen((performance.now() - began) / 1000);
    this.#from = nodes.size === 0 ? 0 : (this.#from + 1) % nodes.size;
    if (!('node' in choice)) {
      await this.#noNode(info, choice, profile);
      this.#metrics.attempted(profile.schedulerName, 'unschedulable', (performance.now() - began) / 1000);
      return;
    }
    this.#refusedBy.delete(key);
    const unbound = unboundClaims(info, this.#view);
    if (unbound.length > 0) {
      await bindVolumes(unbound, choice.node, this.#view, this.#term.client);
      return this.#queue.failed(key, new Set(['a volume']));
    }
    this.#state.assume(info, choice.node.name);
    while (this.#bindings >= MOST_BINDINGS)
      await new Promise<void>((resolve) => {
        this.#roomForBinding = resolve;
      });
    this.#bindings++;
    void this.#bind(info, choice.node, profile.schedulerName, began).finally(() => {
      this.#bindings--;
      this.#roomForBinding?.();
    });
  }

  async #bind({ pod, key, namespace }: PodInfo, node: NodeInfo, profile: string, began: number): Promise<void> {
    const { client, log, signal, now } = this.#term;
    const events = this.#events.get(profile)!;
    const ended = (result: Result) => this.#metrics.attempted(profile, result, (performance.now() - began) / 1000);
    const { name = '', uid = '' } = pod.metadata;
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace, uid } };
    const target = { kind: 'Node', name: node.name };
    try {
      const pods = client.resource(coreV1.pods).in(namespace);
      // The event about the pod itself may arrive before the answer. It then removes the pod from the queue.
      const tries = this.#queue.tries(key);
      await pods.create({ ...binding, target } as unknown as Pod, { name, subresource: 'binding' });
      ended('scheduled');
      if (tries !== undefined) this.#metrics.assigned(tries.attempts, (now() - tries.since) / 1000);
      this.#queue.done(key);
      log.debug({ namespace, name, node: node.name }, 'assigned the pod');
      events.normal(coreV1.pods, pod, 'Scheduled', `Successfully assigned ${namespace}/${name} to ${node.name}`);
    } catch (err) {
      // The copy may already have another version of the pod, in which the pod is assigned or deleted.
      if (this.#pods.get(key)?.metadata.uid === uid) this.#state.forget(key);
      if (signal.aborted || isNotFound(err)) return this.#queue.done(key);
      ended('error');
      if (!isConflict(err)) {
        log.warn({ err, namespace, name, node: node.name }, 'the pod could not be assigned');
        const message = err instanceof ApiError ? err.message : 'the server did not answer';
        events.warn(coreV1.pods, pod, 'FailedScheduling', `binding rejected: ${message}`);
      }
      this.#queue.failed(key, 'soon');
    }
  }

  async #noNode(info: PodInfo, { refusals, blocked }: NoNode, profile: Profile): Promise<void> {
    const { client, log } = this.#term;
    const events = this.#events.get(profile.schedulerName)!;
    const { pod, key } = info;
    const { size } = this.#view.nodes;
    const plugins = [blocked, ...refusals.values()].map((one) => one?.by).filter((name) => name !== undefined);
    this.#refusedBy.set(key, { profile: profile.schedulerName, plugins: new Set(plugins) });
    let message = noNodeMessage(size, blocked?.blocked ?? refusals.values());
    let nominated: string | undefined;
    if (blocked === undefined && size > 0 && profile.preempts) {
      const candidate = await this.#preempt(info, refusals, profile);
      nominated = candidate?.node.name;
      if (candidate === undefined) message += ` ${noPreemptionMessage(size, refusals.values())}`;
    }
    log.debug({ pod: key, message }, 'no node fits the pod');
    events.warn(coreV1.pods, pod, 'FailedScheduling', message);
    try {
      await markUnschedulable(client, pod, message, nominated);
    } catch (error) {
      if (isNotFound(error)) return this.#queue.done(key);
      if (!isConflict(error)) throw error;
    }
    const reasons = [...refusals.values()].flatMap((refusal) => refusal.reasons);
    const isSocial = reasons.some((reason) => reason.includes('affinity') || reason.includes('topology spread'));
    this.#queue.failed(key, isSocial ? AFTER_ANYTHING : AFTER_ANY_ROOM);
  }

  /** Evicts less important pods from a node if that makes space. */
  async #preempt(
    info: PodInfo,
    refusals: NoNode['refusals'],
    { schedulerName, filters }: Profile,
  ): Promise<Candidate | undefined> {
    const { client, log, informer } = this.#term;
    const events = this.#events.get(schedulerName)!;
    if (!mayPreempt(info, this.#view)) return undefined;
    const budgets = [...informer(policyV1.poddisruptionbudgets).all()];
    const nominated = (node: string) => this.#state.nominatedOn(node);
    const pause = () => this.#pause();
    const candidate = await choosePreemption(info, this.#view, refusals, budgets, nominated, pause, filters);
    if (candidate === undefined) {
      this.#state.unnominate(info.key);
      return undefined;
    }
    const { node, victims } = candidate;
    this.#metrics.preempted(victims.length);
    for (const { pod: victim, namespace } of victims) {
      if ((victim.metadata.deletionTimestamp ?? null) !== null) continue;
      const { name = '', uid } = victim.metadata;
      const pods = client.resource(coreV1.pods).in(namespace);
      try {
        await markPreempted(client, victim, schedulerName);
        await pods.delete(name, { preconditions: { uid } });
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error;
        continue;
      }
      log.info({ namespace, name, node: node.name, for: info.key }, 'preempted a pod of lower priority');
      const by = `Preempted by ${info.key} on node ${node.name}`;
      events.normal(coreV1.pods, victim, 'Preempted', by);
    }
    for (const other of this.#state.nominatedOn(node.name))
      if (other.priority < info.priority) {
        this.#state.unnominate(other.key);
        this.#queue.add(other.key, other.priority);
      }
    this.#state.nominate(info, node.name);
    return candidate;
  }
}

function isSamePod(a: Pod, b: Pod): boolean {
  return jsonEqual(a.spec, b.spec) && jsonEqual(a.metadata.labels, b.metadata.labels);
}

function isSameNode(a: Node, b: Node): boolean {
  return (
    jsonEqual(a.spec, b.spec) &&
    jsonEqual(a.metadata.labels, b.metadata.labels) &&
    jsonEqual(a.status?.allocatable, b.status?.allocatable)
  );
}
