import { setTimeout as sleep } from 'node:timers/promises';
import type { LinkState } from './link.ts';
import type { Random } from './random.ts';
import type { System } from './system.ts';

/** The name and the time of a fault (milliseconds of `performance.now()`). */
export interface Fault {
  readonly name: string;
  readonly from: number;
  until: number;
}

interface Plan {
  readonly name: string;
  /** Causes the fault. Resolves to the function that ends it. */
  readonly strike: () => Promise<() => Promise<void>>;
}

/** A time in milliseconds that is longer than all other faults that can delay the start of a replica. */
const LAUNCHED_WITHIN = 60_000;

type Family = 'replica' | 'member' | 'network' | 'history';

/** Harms a system at random, with one or two faults at a time, and repairs the faults. */
export class Nemesis {
  readonly faults: Fault[] = [];
  readonly #system: System;
  readonly #random: Random;

  constructor(system: System, random: Random) {
    this.#system = system;
    this.#random = random;
  }

  /** Causes faults until `stop`. After that, all faults are repaired. */
  async run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await pause(this.#random.between(500, 2500), stop);
      if (stop.aborted) return;
      const first = this.#random.of<Family>(['replica', 'member', 'network', 'history']);
      const others = (['replica', 'network', 'history'] as const).filter((family) => family !== first);
      const families = this.#random.chance(0.3) ? [first, this.#random.of(others)] : [first];
      await Promise.all(families.map((family) => this.#inflict(this.#plan(family), stop)));
    }
  }

  /** Causes exactly one fault, for tests of single mechanisms. */
  async inflict(plan: Plan, milliseconds: number): Promise<void> {
    await this.#during(plan, () => sleep(milliseconds));
  }

  /** Stalls all links from a replica to the members, so that the replica receives nothing. */
  deafen(replica: number, state: LinkState = 'stalled'): Plan {
    const set = (to: LinkState) =>
      [0, 1, 2].forEach((member) => void this.#system.members.setToReplica(replica, member, to));
    return {
      name: `replica ${replica} is ${state} from etcd`,
      strike: async () => {
        set(state);
        return async () => set('open');
      },
    };
  }

  #inflict(plan: Plan, stop: AbortSignal): Promise<void> {
    return this.#during(plan, () => pause(this.#random.between(1000, 6000), stop));
  }

  async #during(plan: Plan, wait: () => Promise<void>): Promise<void> {
    const fault: Fault = { name: plan.name, from: performance.now(), until: Number.POSITIVE_INFINITY };
    this.faults.push(fault);
    const undo = await plan.strike();
    await wait();
    await undo();
    fault.until = performance.now();
  }

  #plan(family: Family): Plan {
    const random = this.#random;
    const { members, ports } = this.#system;
    const replica = random.between(0, ports.length - 1);
    const member = random.between(0, 2);
    const state = random.of<LinkState>(['cut', 'stalled']);
    const plans: Record<Family, readonly (readonly [number, () => Plan])[]> = {
      replica: [
        [3, () => this.#endReplica(replica, 'kill')],
        [2, () => this.#endReplica(replica, 'stop')],
        [3, () => this.#freezeReplica(replica)],
        [1, () => this.#endAllReplicas()],
      ],
      member: [
        [2, () => this.#killMembers([member])],
        [2, () => this.#killLeader()],
        [1, () => this.#killMembers([0, 1, 2])],
        [2, () => this.#freezeMember(member)],
        [2, () => this.#slowDisk(member)],
      ],
      network: [
        [2, () => this.#isolateMember(member, state)],
        [1, () => this.#separate(member, (member + 1) % 3, state)],
        [1, () => this.deafen(replica, state)],
        [
          2,
          () => ({
            name: `replica ${replica} is ${state} from member ${member}`,
            strike: async () => {
              members.setToReplica(replica, member, state);
              return async () => members.setToReplica(replica, member, 'open');
            },
          }),
        ],
      ],
      history: [[1, () => this.#compact()]],
    };
    return random.weighted(plans[family])();
  }

  #endReplica(replica: number, how: 'kill' | 'stop'): Plan {
    return {
      name: `replica ${replica} is ${how === 'kill' ? 'killed' : 'restarted'}`,
      strike: async () => {
        await this.#system.end(replica, how);
        return () => this.#launch(replica);
      },
    };
  }

  #endAllReplicas(): Plan {
    const all = this.#system.ports.map((_, i) => i);
    return {
      name: 'all replicas are killed',
      strike: async () => {
        await Promise.all(all.map((i) => this.#system.end(i, 'kill')));
        return async () => void (await Promise.all(all.map((i) => this.#launch(i))));
      },
    };
  }

  /** Starts a replica, even during other faults. A failed start is repeated. */
  async #launch(replica: number): Promise<void> {
    for (const giveUpAt = performance.now() + LAUNCHED_WITHIN; ; ) {
      try {
        return await this.#system.launch(replica);
      } catch (error) {
        if (performance.now() > giveUpAt) throw error;
      }
    }
  }

  #freezeReplica(replica: number): Plan {
    return {
      name: `replica ${replica} is frozen`,
      strike: async () => {
        this.#system.replica(replica).freeze();
        return async () => this.#system.replica(replica).thaw();
      },
    };
  }

  #killMembers(which: readonly number[]): Plan {
    const processes = which.map((i) => this.#system.members.processes[i]!);
    return {
      name: `members ${which.join(', ')} are killed`,
      strike: async () => {
        await Promise.all(processes.map((process) => process.kill()));
        return async () => {
          for (const process of processes) process.launch();
          await Promise.all(processes.map((process) => process.ready()));
        };
      },
    };
  }

  #killLeader(): Plan {
    return {
      name: 'the leader of etcd is killed',
      strike: async () => this.#killMembers([await this.#system.members.leader()]).strike(),
    };
  }

  #freezeMember(member: number): Plan {
    const process = this.#system.members.processes[member]!;
    return {
      name: `member ${member} is frozen`,
      strike: async () => {
        await process.freeze();
        return async () => process.thaw();
      },
    };
  }

  /**
   * A disk that hangs repeatedly, which stops the work of its member. The run cannot control the device, so it stops
   * the whole member in bursts that are about as long as slow flushes.
   */
  #slowDisk(member: number): Plan {
    const process = this.#system.members.processes[member]!;
    return {
      name: `the disk of member ${member} is slow`,
      strike: async () => {
        const over = new AbortController();
        const bursts = (async () => {
          while (!over.signal.aborted) {
            await process.freeze();
            await sleep(this.#random.between(50, 400));
            process.thaw();
            await pause(this.#random.between(5, 50), over.signal);
          }
        })();
        return async () => {
          over.abort();
          await bursts;
        };
      },
    };
  }

  #isolateMember(member: number, state: LinkState): Plan {
    const { members } = this.#system;
    const others = [0, 1, 2].filter((i) => i !== member);
    return {
      name: `member ${member} is ${state} from its peers`,
      strike: async () => {
        for (const other of others) members.setBetween(member, other, state);
        return async () => {
          for (const other of others) members.setBetween(member, other, 'open');
        };
      },
    };
  }

  #separate(a: number, b: number, state: LinkState): Plan {
    const { members } = this.#system;
    return {
      name: `members ${a} and ${b} are ${state} from each other`,
      strike: async () => {
        members.setBetween(a, b, state);
        return async () => members.setBetween(a, b, 'open');
      },
    };
  }

  /** Removes history up to a recorded revision, sometimes all of it. */
  #compact(): Plan {
    const back = this.#random.of([0, 0, 50, 500]);
    return {
      name: `etcd is compacted up to ${back} revisions ago`,
      strike: async () => {
        const revision = Math.max(1, this.#system.recorder.revision - back);
        await this.#system.members.compact(revision);
        return async () => {};
      },
    };
  }
}

async function pause(milliseconds: number, stop: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal: stop }).catch(() => {});
}
