import type { Logger } from 'pino';
import type { StrategicPatch } from '#client/changes.ts';
import { isConflict, isNotFound } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { type Informer, keyOf } from '#client/informer/informer.ts';
import { type LookAgain, WorkQueue } from '#client/work/work-queue.ts';
import type { Pod, PodStatus } from '#schema/generated/core.v1.ts';
import type { Rejection } from './life/admission.ts';
import { endContainers, nextStep, rejectedStatus, type Step } from './life/next-step.ts';
import { type Due, dueStages, type Stage } from './life/stages.ts';
import { PodMemory } from './pod-memory.ts';
import type { SimulatedNode } from './simulated-node.ts';

/** The fields of pods that a node reads, besides metadata. */
export const POD_FIELDS: readonly string[] = [
  ...['nodeName', 'restartPolicy', 'activeDeadlineSeconds', 'hostNetwork', 'readinessGates', 'overhead', 'resources'],
  ...['nodeSelector', 'affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution'],
  ...['containers.name', 'containers.image', 'containers.resources', 'containers.ports'],
  ...['containers.readinessProbe', 'containers.livenessProbe', 'containers.startupProbe'],
  ...['initContainers.readinessProbe', 'initContainers.livenessProbe', 'initContainers.startupProbe'],
  ...['containers.command', 'containers.args', 'initContainers.command', 'initContainers.args'],
  ...['initContainers.name', 'initContainers.image', 'initContainers.restartPolicy', 'initContainers.resources'],
  'initContainers.ports',
]
  .map((field) => `spec.${field}`)
  .concat('status');

/** The status of a pod that its node evicts for a reason. */
function failedStatus(reason: string | null | undefined, message: string | null | undefined): PodStatus | undefined {
  if (!reason) return undefined;
  return { phase: 'Failed', reason, ...(message ? { message } : {}) };
}

function isOver({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/**
 * Admits a pod to a node, or returns the reason why the node rejects it. A pod that has started or is being deleted was
 * admitted before.
 */
function admit(pod: Pod, node: SimulatedNode): Rejection | undefined {
  if (pod.status?.startTime === undefined && pod.metadata.deletionTimestamp === undefined)
    return node.admission.admit(pod, node.offer);
  node.admission.take(pod);
  return undefined;
}

const NOTHING_DUE: Due = { stages: [], nextAt: undefined };

/** The number of pods of all nodes that are worked on at once. */
const WORKERS = 24;

export interface PodKeeperOptions {
  readonly pods: Informer<Pod>;
  readonly nodes: ReadonlyMap<string, SimulatedNode>;
  /** Whether nodes write events about their pods. */
  readonly events: boolean;
  /** Changes that happen to pods in addition to the normal life. */
  readonly stages: readonly Stage[];
  /** Whether no image of this name can be pulled. */
  readonly isUnpullable: (image: string) => boolean;
  readonly log: Logger;
  /** The time in milliseconds since 1970. */
  readonly now?: () => number;
  readonly random?: () => number;
}

/** Simulates the life and the end of the pods on simulated nodes. */
export class PodKeeper {
  readonly #options: PodKeeperOptions;
  readonly #queue: WorkQueue;
  readonly #memories = new Map<string, PodMemory>();
  readonly #now: () => number;

  constructor(options: PodKeeperOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#queue = new WorkQueue({
      workers: WORKERS,
      longestRetryMs: 30_000,
      onError: (key, err, failures) => {
        const level = isConflict(err) ? 'debug' : 'warn';
        options.log[level]({ err, pod: key, failures }, 'failed, will be tried again');
      },
    });
  }

  /** The memory of a pod on these nodes; undefined if no pod with this key is on them. */
  memory(key: string): PodMemory | undefined {
    return this.#memories.get(key);
  }

  /** Keeps pods until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { pods, nodes } = this.#options;
    const look = (pod: Pod) => {
      const node = nodes.get(pod.spec?.nodeName ?? '');
      if (node === undefined) return;
      if (isOver(pod)) node.admission.release(pod.metadata.uid ?? '');
      this.#queue.add(keyOf(pod));
    };
    pods.on({ added: look, updated: look, deleted: (pod) => this.#forget(pod) }, signal);
    await this.#queue.run((key) => this.#live(key), signal);
  }

  /** Checks all pods of a node again. */
  look(node: string): void {
    for (const pod of this.#options.pods.all()) if (pod.spec?.nodeName === node) this.#queue.add(keyOf(pod));
  }

  #forget(pod: Pod): void {
    const key = keyOf(pod);
    const memory = this.#memories.get(key);
    if (memory === undefined || memory.uid !== pod.metadata.uid) return;
    this.#memories.delete(key);
    const node = this.#options.nodes.get(pod.spec?.nodeName ?? '');
    node?.freeIp(memory.uid);
    node?.admission.release(memory.uid);
  }

  async #live(key: string): Promise<LookAgain | undefined> {
    const { pods, nodes, stages, isUnpullable, random = Math.random } = this.#options;
    const copy = pods.get(key);
    const node = nodes.get(copy?.spec?.nodeName ?? '');
    if (copy === undefined || node === undefined || node.isDown) return undefined;
    const now = this.#now();
    const uid = copy.metadata.uid ?? '';
    let memory = this.#memories.get(key);
    if (memory?.uid !== uid) {
      memory = new PodMemory(uid, now, random);
      this.#memories.set(key, memory);
    }
    if (!memory.isAdmitted && !isOver(copy)) {
      const rejection = admit(copy, node);
      if (rejection !== undefined) {
        const happened = [{ ...rejection, type: 'Warning' as const, container: '' }];
        const step = { status: rejectedStatus(copy, rejection, now), happened, nextAt: undefined };
        await this.#take(copy, node, memory, step, now);
        return undefined;
      }
      memory.isAdmitted = true;
    }
    // The answer to a recent write may be newer than the copy.
    let pod = memory.newest(copy);
    const due = stages.length === 0 ? NOTHING_DUE : dueStages(stages, pod, memory.stages, now, random);
    for (const stage of due.stages) {
      await this.#happen(stage, pod, node, memory, now);
      pod = memory.newest(copy);
    }
    const usesHost = copy.spec?.hostNetwork === true;
    const ip = usesHost ? node.plan.ip : node.takeIp(uid, pod.status?.podIP);
    const step = nextStep(pod, { ...memory.facts(pod, ip, node.plan.ip, now), isUnpullable }, now, node.client.naming);
    await this.#take(pod, node, memory, step, now);
    const times = [step.nextAt, due.nextAt].filter((at) => at !== undefined);
    return times.length === 0 ? undefined : { afterMs: Math.max(1, Math.min(...times) - this.#now()) };
  }

  /** Does the actions of a stage. */
  async #happen({ next }: Stage, pod: Pod, node: SimulatedNode, memory: PodMemory, now: number): Promise<void> {
    const { wishes, exitCode, reason, message, event } = next;
    for (const [name, value] of Object.entries(wishes ?? {})) memory.wish(name, value);
    const type = event?.type ?? 'Normal';
    const happened = event ? [{ type, reason: event.reason, message: event.message ?? '', container: '' }] : [];
    const ended =
      exitCode === undefined || exitCode === null ? undefined : endContainers(pod, exitCode, reason ?? 'Error', now);
    const failed = exitCode === undefined || exitCode === null ? failedStatus(reason, message) : undefined;
    const status = ended ?? failed;
    await this.#take(
      pod,
      node,
      memory,
      { happened, nextAt: undefined, ...(status === undefined ? {} : { status }) },
      now,
    );
    if (next.delete !== true) return;
    const { name = '', namespace, uid } = pod.metadata;
    const own = node.client.resource(coreV1.pods).in(namespace);
    await own.delete(name, { preconditions: { uid } }).catch((error: unknown) => {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    });
  }

  async #take(pod: Pod, node: SimulatedNode, memory: PodMemory, step: Step, now: number): Promise<void> {
    const { name = '', namespace, uid = '' } = pod.metadata;
    const own = node.client.resource(coreV1.pods).in(namespace);
    try {
      if (step.status !== undefined) {
        const patch = { metadata: { uid }, status: step.status as StrategicPatch<PodStatus> };
        memory.wrote(await own.patch(name, 'strategic', patch, { subresource: 'status' }), now);
      }
      if (step.remove === true) await own.delete(name, { gracePeriodSeconds: 0, preconditions: { uid } });
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return;
      throw error;
    }
    for (const { type, reason, message, container } of step.happened) {
      memory.note(now, container, `${reason}: ${message}`);
      if (!this.#options.events) continue;
      if (type === 'Normal') node.events.normal(coreV1.pods, pod, reason, message);
      else node.events.warn(coreV1.pods, pod, reason, message);
    }
  }
}
