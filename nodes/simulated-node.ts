import type { Logger } from 'pino';
import { jsonEqual } from '#base/json/json-equal.ts';
import type { StrategicPatch } from '#client/changes.ts';
import type { Client } from '#client/client.ts';
import { isAlreadyExists, isNotFound } from '#client/errors.ts';
import { EventRecorder } from '#client/events/recorder.ts';
import { coordinationV1, coreV1 } from '#client/generated/resources.ts';
import type { Node, NodeStatus } from '#schema/generated/core.v1.ts';
import { Admission, type Offer } from './life/admission.ts';
import { addedResources, nodeObject, nodeStatus } from './node-object.ts';
import { ipText, type NodePlan, POD_IPS } from './node-plan.ts';

export interface SimulatedNodeOptions {
  readonly plan: NodePlan;
  /** The client that acts as this node. */
  readonly client: Client;
  /** The same client, for events. */
  readonly eventsClient: Client;
  /** The same client, for the lease. */
  readonly leasesClient: Client;
  readonly leaseSeconds: number;
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** Leases have times in microseconds. */
function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}

/** A node without its managed fields, because these are its largest part. */
function withoutManagers({ metadata: { managedFields: _, ...metadata }, ...node }: Node): Node {
  return { ...node, metadata };
}

/** A simulated node: its object, its lease, and the addresses of its pods. */
export class SimulatedNode {
  readonly name: string;
  readonly plan: NodePlan;
  readonly client: Client;
  readonly events: EventRecorder;
  /** The resources that its pods take. */
  readonly admission = new Admission();
  readonly #options: SimulatedNodeOptions;
  /** The addresses in use, by the uid of the pod. */
  readonly #ips = new Map<string, number>();
  readonly #taken = new Set<number>();
  /** Its own object, as it was last read. */
  node: Node | undefined;
  #hasLease = false;

  constructor(options: SimulatedNodeOptions) {
    const { plan, client, eventsClient, signal, log } = options;
    this.#options = options;
    this.plan = plan;
    this.name = plan.name;
    this.client = client;
    const component = client.naming.prefixed('simulated-node');
    const onError = (err: unknown) => log.debug({ err, node: plan.name }, 'an event was not written');
    this.events = new EventRecorder(eventsClient, { component, signal, onError });
  }

  /** Whether an annotation stops the node. A stopped node neither renews its lease nor handles its pods. */
  get isDown(): boolean {
    return this.#says('simulate-down');
  }

  /** The resources that its object offers to pods. */
  get offer(): Offer {
    const { metadata, status } = this.node ?? {};
    const { name, labels, capacity } = this.plan;
    return { name, labels: metadata?.labels ?? labels, allocatable: status?.allocatable ?? capacity };
  }

  /**
   * Whether other clients have added resources to its capacity or removed them, and the resources for pods do not show
   * this yet.
   */
  get hasOtherResources(): boolean {
    const { capacity } = this.plan;
    const added = addedResources(this.plan, this.node);
    const offered = Object.entries(this.node?.status?.allocatable ?? {}).filter(
      ([name]) => !Object.hasOwn(capacity, name),
    );
    return !jsonEqual(added, Object.fromEntries(offered));
  }

  get isReady(): boolean {
    return !this.#says('simulate-not-ready');
  }

  #says(short: string): boolean {
    return this.node?.metadata.annotations?.[this.client.naming.key(short)] === 'true';
  }

  /** Creates its object, or takes over an existing one. */
  async register(now: number): Promise<void> {
    const nodes = this.client.resource(coreV1.nodes);
    try {
      this.node = withoutManagers(await nodes.create(nodeObject(this.plan, now, this.client.naming)));
      this.#options.log.info({ node: this.name }, 'registered the simulated node');
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      this.node = withoutManagers(await nodes.get(this.name));
      if (!this.isDown) await this.report(now);
    }
  }

  /** Writes its status. */
  async report(now: number): Promise<void> {
    const { allocatable, ...others } = nodeStatus(this.plan, this.node, now, this.isReady);
    const gone = Object.keys(this.node?.status?.allocatable ?? {}).filter((name) => allocatable?.[name] === undefined);
    const offered = { ...allocatable, ...Object.fromEntries(gone.map((name) => [name, null])) };
    const status = { ...others, allocatable: offered } as StrategicPatch<NodeStatus>;
    const nodes = this.client.resource(coreV1.nodes);
    try {
      this.node = withoutManagers(await nodes.patch(this.name, 'strategic', { status }, { subresource: 'status' }));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await this.register(now);
    }
  }

  /** Renews its lease, and creates it if it is missing. */
  async renew(now: number): Promise<void> {
    const { naming } = this.client;
    const leases = this.#options.leasesClient.resource(coordinationV1.leases).in(naming.prefixed('node-lease'));
    const renewTime = microTime(now);
    if (this.#hasLease) {
      try {
        await leases.patch(this.name, 'merge', { spec: { renewTime } });
        return;
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    const uid = this.node?.metadata.uid;
    const owner = { apiVersion: 'v1', kind: 'Node', name: this.name, uid: uid ?? '' };
    const metadata = { name: this.name, ...(uid === undefined ? {} : { ownerReferences: [owner] }) };
    const leaseDurationSeconds = this.#options.leaseSeconds;
    try {
      await leases.create({ metadata, spec: { holderIdentity: this.name, leaseDurationSeconds, renewTime } });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await leases.patch(this.name, 'merge', { spec: { holderIdentity: this.name, leaseDurationSeconds, renewTime } });
    }
    this.#hasLease = true;
  }

  /** The address of a pod: its present one, or a free one. */
  takeIp(uid: string, had: string | undefined): string {
    const { firstPodIp } = this.plan;
    let number = this.#ips.get(uid);
    if (number === undefined) {
      number = had === undefined ? undefined : this.#numberOf(had);
      // Pods do not get the first and the last address of a network.
      for (let i = 2; number === undefined && i < POD_IPS - 1; i++)
        if (!this.#taken.has(firstPodIp + i)) number = firstPodIp + i;
      number ??= firstPodIp + 1;
      this.#ips.set(uid, number);
      this.#taken.add(number);
    }
    return ipText(number);
  }

  /** A pod has gone, and its address is free. */
  freeIp(uid: string): void {
    const number = this.#ips.get(uid);
    if (number === undefined) return;
    this.#ips.delete(uid);
    this.#taken.delete(number);
  }

  #numberOf(text: string): number | undefined {
    const { firstPodIp } = this.plan;
    for (let i = 0; i < POD_IPS; i++) if (ipText(firstPodIp + i) === text) return firstPodIp + i;
    return undefined;
  }
}
