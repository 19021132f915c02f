import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Client } from '#client/client.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { type Informer, keyOf } from '#client/informer/informer.ts';
import { SharedInformers } from '#client/informer/shared-informers.ts';
import type { Node, Pod } from '#schema/generated/core.v1.ts';
import { asNode } from './as-node.ts';
import type { Place } from './endpoint/place.ts';
import type { UsedPod } from './endpoint/usage.ts';
import { FewAtOnce } from './few-at-once.ts';
import type { Stage } from './life/stages.ts';
import type { NodePlan } from './node-plan.ts';

import { POD_FIELDS, PodKeeper } from './pod-keeper.ts';
import { SimulatedNode } from './simulated-node.ts';

export interface SimulationOptions {
  readonly client: Client;
  readonly plans: readonly NodePlan[];
  /** Whether each node writes as its own user. */
  readonly asNodes: boolean;
  /** Whether nodes write events about their pods. */
  readonly events: boolean;
  /** Changes that happen to pods in addition to the normal life. */
  readonly stages: readonly Stage[];
  /** Whether no image of this name can be pulled. */
  readonly isUnpullable: (image: string) => boolean;
  readonly leaseMs: number;
  readonly reportMs: number;
  readonly log: Logger;
}

/** The number of nodes that register at the same time. */
const REGISTERED_AT_ONCE = 8;
/** The number of events that all nodes write at the same time. Pods do not wait for them. */
const EVENTS_AT_ONCE = 3;
/** The number of leases that all nodes renew at the same time. */
const RENEWED_AT_ONCE = 8;
/** Reports of nodes that are due within this number of milliseconds are sent together. */
const TOGETHER_MS = 1000;
/** The number of renewals of a lease during its lifetime. */
const RENEWALS = 3;
const AGAIN_MS = 1000;

/**
 * Simulated nodes, for development and tests only. They run no containers. They register and renew their leases. The
 * pods that are assigned to them start and end at the times in their annotations.
 */
export class Simulation {
  readonly #options: SimulationOptions;
  readonly nodes: ReadonlyMap<string, SimulatedNode>;
  readonly keeper: PodKeeper;
  readonly #informers: SharedInformers;
  readonly #pods: Informer<Pod>;
  readonly #stop = new AbortController();

  constructor(options: SimulationOptions) {
    const { client, plans, asNodes, events, stages, isUnpullable, leaseMs, log } = options;
    this.#options = options;
    const { signal } = this.#stop;
    const leaseSeconds = Math.max(1, Math.round(leaseMs / 1000));
    const forEvents = new FewAtOnce(EVENTS_AT_ONCE);
    const forLeases = new FewAtOnce(RENEWED_AT_ONCE);
    this.nodes = new Map(
      plans.map((plan) => {
        const own = asNodes ? asNode(client, plan.name) : client;
        const clients = { client: own, eventsClient: forEvents.client(own), leasesClient: forLeases.client(own) };
        return [plan.name, new SimulatedNode({ plan, ...clients, leaseSeconds, signal, log })];
      }),
    );
    this.#informers = new SharedInformers(client, {
      onError: (what, err) => log.debug({ err }, `${what} failed`),
    });
    const pods = this.#informers.of(coreV1.pods, { fields: POD_FIELDS, fieldSelector: 'spec.nodeName!=' });
    this.keeper = new PodKeeper({ pods, nodes: this.nodes, events, stages, isUnpullable, log });
    this.#pods = pods;
  }

  /** The pods on the nodes that are up, and the wishes that stages have for them. */
  pods(): readonly UsedPod[] {
    return [...this.#pods.all()]
      .filter(({ spec }) => this.nodes.get(spec?.nodeName ?? '')?.isDown === false)
      .map((pod) => ({ pod, wishes: this.keeper.memory(keyOf(pod))?.wishes }));
  }

  /** The nodes that are up, as registered. */
  nodesUp(): readonly Node[] {
    return [...this.nodes.values()].flatMap(({ node, isDown }) => (node === undefined || isDown ? [] : [node]));
  }

  /** A container of a pod on these nodes. If no container is named, it is the first one. Undefined if there is none. */
  find(namespace: string, name: string, container: string | undefined): Place | undefined {
    const key = keyOf({ metadata: { namespace, name } });
    const copy = this.#pods.get(key);
    const memory = this.keeper.memory(key);
    const node = copy?.spec?.nodeName ?? '';
    if (copy === undefined || memory === undefined || this.nodes.get(node)?.isDown !== false) return undefined;
    const pod = memory.newest(copy);
    const { containers, initContainers } = pod.spec ?? {};
    const names = [...(containers ?? []), ...(initContainers ?? [])].map((one) => one.name);
    const [first = ''] = names;
    return names.includes(container ?? first) ? { node, pod, memory, container: container ?? first } : undefined;
  }

  /** Runs until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { signal: ended } = this.#stop;
    signal.addEventListener('abort', () => this.#stop.abort(), { once: true });
    if (signal.aborted) this.#stop.abort();
    const waiting = [...this.nodes.values()];
    const register = async () => {
      for (let node = waiting.shift(); node !== undefined; node = waiting.shift())
        await this.#untilDone(node, () => node!.register(Date.now()));
    };
    await Promise.all(Array.from({ length: REGISTERED_AT_ONCE }, register));
    this.#follow();
    this.#informers.start(ended);
    await Promise.all([this.keeper.run(ended), this.#beat(ended)]);
  }

  /** Follows the nodes of the server. It reads their annotations, and registers deleted nodes again. */
  #follow(): void {
    const { signal } = this.#stop;
    const put = (node: Node) => {
      const own = this.nodes.get(node.metadata.name ?? '');
      if (own === undefined) return;
      const [wasDown, wasReady] = [own.isDown, own.isReady];
      own.node = { ...own.node, ...node, status: { ...own.node?.status, ...node.status } };
      if (wasDown && !own.isDown) this.keeper.look(own.name);
      if ((wasReady !== own.isReady || own.hasOtherResources) && !own.isDown)
        void this.#untilDone(own, () => own.report(Date.now()));
    };
    const copies = this.#informers.of(coreV1.nodes, { fields: ['status.capacity', 'status.allocatable'] });
    const removed = ({ metadata }: Node) => {
      const own = this.nodes.get(metadata.name ?? '');
      if (own === undefined || own.isDown) return;
      own.node = undefined;
      void this.#untilDone(own, () => own.register(Date.now()));
    };
    copies.on({ added: put, updated: put, deleted: removed }, signal);
  }

  /**
   * Renews leases and reports status. Each node has its own time, so that requests are spread evenly. Nodes whose times
   * are close are handled together, because separate wake-ups would cost more than the requests.
   */
  async #beat(signal: AbortSignal): Promise<void> {
    const { leaseMs, reportMs, log } = this.#options;
    const nodes = [...this.nodes.values()];
    const renewEveryMs = leaseMs / RENEWALS;
    const together = Math.min(TOGETHER_MS, renewEveryMs / 4);
    const began = Date.now();
    const due = nodes.map((node, i) => ({
      node,
      // Without this, a slow server would get more and more renewals with the same content.
      isRenewing: false,
      renewAt: began + (renewEveryMs * i) / nodes.length,
      reportAt: began + reportMs * (1 + i / nodes.length),
    }));
    const failed = (err: unknown, node: SimulatedNode) => {
      if (!signal.aborted) log.warn({ err, node: node.name }, 'the node could not renew its lease');
    };
    const renew = async (one: (typeof due)[number]) => {
      one.isRenewing = true;
      await one.node.renew(Date.now()).catch((err: unknown) => failed(err, one.node));
      one.isRenewing = false;
    };
    while (!signal.aborted) {
      const now = Date.now();
      let next = now + renewEveryMs;
      for (const one of due) {
        if (one.renewAt <= now) {
          one.renewAt = Math.max(now, one.renewAt + renewEveryMs);
          if (!one.node.isDown && !one.isRenewing) void renew(one);
        }
        if (one.reportAt <= now) {
          one.reportAt = Math.max(now, one.reportAt + reportMs);
          if (!one.node.isDown) void one.node.report(now).catch((err: unknown) => failed(err, one.node));
        }
        next = Math.min(next, one.renewAt, one.reportAt);
      }
      await sleep(Math.max(together, next - Date.now()), undefined, { signal }).catch(() => {});
    }
  }

  /** Tries some work until it succeeds, or the simulation ends. */
  async #untilDone(node: SimulatedNode, work: () => Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await work();
        return;
      } catch (err) {
        if (!signal.aborted) this.#options.log.warn({ err, node: node.name }, 'will be tried again');
        await sleep(AGAIN_MS, undefined, { signal }).catch(() => {});
      }
    }
  }
}
