import { type HostPort, hostPortsCollide, hostPortsOf } from '#client/host-ports.ts';
import { allowsNode } from '#client/node-selector.ts';
import type { Pod, PodSpec } from '#schema/generated/core.v1.ts';
import { podRequests } from '#schema/quota/pod-evaluator.ts';
import { parseQuantity, Quantity } from '#schema/values/quantity.ts';
import type { Amounts, Usage } from '#schema/values/usage.ts';

/** The reason why a node rejects a pod that was assigned to it. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/** The name, the labels and the resources that a node offers. */
export interface Offer {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly allocatable: Amounts;
}

/** The requests and ports of a pod on its node. */
interface Taken {
  readonly requests: Usage;
  readonly ports: readonly HostPort[];
}

const NOTHING: PodSpec = { containers: [] };

/** The resources that the pods of a node use. Like a real node, the node rejects pods for which it has no space. */
export class Admission {
  readonly #taken = new Map<string, Taken>();

  /** Counts a pod that the node admitted before, whether or not there is space. */
  take({ metadata, spec = NOTHING }: Pod): void {
    this.#taken.set(metadata.uid ?? '', { requests: podRequests(spec), ports: hostPortsOf(spec) });
  }

  /** Admits a new pod, or returns the reason why it cannot. */
  admit(pod: Pod, offer: Offer): Rejection | undefined {
    const { spec = NOTHING } = pod;
    const rejection =
      this.#withoutRoom(spec, offer.allocatable) ??
      (allowsNode(pod, offer) ? undefined : failed('NodeAffinity')) ??
      (this.#hasFreePorts(spec) ? undefined : failed('NodePorts'));
    if (rejection === undefined) this.take(pod);
    return rejection;
  }

  /** Releases the resources of a pod that has ended. */
  release(uid: string): void {
    this.#taken.delete(uid);
  }

  #withoutRoom(spec: PodSpec, allocatable: Amounts): Rejection | undefined {
    const one = Quantity.of(1);
    for (const [name, wanted] of [['pods', one] as const, ...Object.entries(podRequests(spec))]) {
      // A node does not check resources that it does not offer.
      const most = Object.hasOwn(allocatable, name) ? parseQuantity(allocatable[name]!) : undefined;
      if (most === undefined || wanted.sign === 0) continue;
      let used = Quantity.of(0);
      for (const { requests } of this.#taken.values()) {
        const more = name === 'pods' ? one : requests[name];
        if (more !== undefined) used = used.add(more);
      }
      if (used.add(wanted).compare(most) <= 0) continue;
      const [requested, taken, capacity] = [wanted, used, most].map((amount) => shown(name, amount));
      return rejected(
        `OutOf${name}`,
        `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${taken}, capacity: ${capacity}`,
      );
    }
    return undefined;
  }

  #hasFreePorts(spec: PodSpec): boolean {
    const wanted = hostPortsOf(spec);
    if (wanted.length === 0) return true;
    const taken = [...this.#taken.values()].flatMap(({ ports }) => ports);
    return !wanted.some((port) => taken.some((other) => hostPortsCollide(port, other)));
  }
}

function failed(predicate: string): Rejection {
  return rejected(predicate, `Predicate ${predicate} failed`);
}

function rejected(reason: string, message: string): Rejection {
  return { reason, message: `Pod was rejected: ${message}` };
}

/** Processors in thousandths, and all other resources in their unit. */
function shown(name: string, amount: Quantity): bigint {
  return name === 'cpu' ? amount.milliValue() : amount.value();
}
