import { intern } from '#client/informer/intern.ts';
import { isNotOlder } from '#client/resource-version.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import type { Memory } from './life/next-step.ts';
import type { StageTimes } from './life/stages.ts';

/** How long a pod takes by default to start and to end. Both take less than a second. */
const START_MS = 200;
const START_JITTER_MS = 500;
const END_MS = 100;
const END_JITTER_MS = 300;

/** The number of log lines that are kept for each pod. The oldest are dropped first. */
const MOST_LINES = 500;

/** A line of a container's log about an action of the simulation. */
export interface LogLine {
  readonly at: number;
  readonly container: string;
  readonly text: string;
}

/** The last start of a container that runs. */
interface Start {
  readonly name: string;
  readonly at: number;
  readonly restarts: number;
}

const NO_WISHES: ReadonlyMap<string, string> = new Map();

/** What a simulated node remembers about one pod. */
export class PodMemory {
  readonly uid: string;
  readonly #since: number;
  readonly #startMs: number;
  readonly #endMs: number;
  // There are thousands of pods. So each pod has lists in place of maps, and creates them only when it needs them.
  #starts: readonly Start[] = [];
  readonly #lines: LogLine[] = [];
  #readers: Set<() => void> | undefined;
  #wishes: Map<string, string> | undefined;
  #stages: StageTimes | undefined;
  /** Whether the node has accepted the pod. */
  isAdmitted = false;
  #endingSince: number | undefined;
  #written: Pod | undefined;

  constructor(uid: string, now: number, random: () => number = Math.random) {
    this.uid = uid;
    this.#since = now;
    this.#startMs = START_MS + random() * START_JITTER_MS;
    this.#endMs = END_MS + random() * END_JITTER_MS;
  }

  /** The wishes of stages for the pod. */
  get wishes(): ReadonlyMap<string, string> {
    return this.#wishes ?? NO_WISHES;
  }

  /** Remembers the wish of a stage for the pod. */
  wish(name: string, value: string): void {
    this.#wishes ??= new Map();
    this.#wishes.set(name, value);
  }

  /** The times of the stages of the pod. */
  get stages(): StageTimes {
    this.#stages ??= new Map();
    return this.#stages;
  }

  /** The newer of two states: the copy of the pod, or the answer to the last write. */
  newest(copy: Pod): Pod {
    const written = this.#written?.metadata.resourceVersion;
    if (written === undefined || isNotOlder(copy.metadata.resourceVersion ?? '', written)) {
      this.#written = undefined;
      return copy;
    }
    return this.#written!;
  }

  /** The facts that decide about the pod, in addition to its object. The node calls this once for each step. */
  facts(pod: Pod, ip: string, hostIp: string, now: number): Memory {
    const endingSince = this.#endingSince;
    if ((pod.metadata.deletionTimestamp ?? null) !== null) this.#endingSince ??= now;
    return {
      ...{ ip, hostIp, since: this.#since, endingSince, startMs: this.#startMs, endMs: this.#endMs },
      startedAt: new Map(this.#starts.map(({ name, at }) => [name, at])),
      wishes: this.wishes,
    };
  }

  /** Remembers the pod from the answer to a write. */
  wrote(pod: Pod, now: number): void {
    this.#written = pod;
    const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
    this.#starts = [...initContainerStatuses, ...containerStatuses].flatMap(({ name, state, restartCount }) => {
      if (state?.running === undefined) return [];
      const known = this.#starts.find((start) => start.name === name && start.restarts === restartCount);
      return [known ?? { name: intern(name), at: now, restarts: restartCount }];
    });
  }

  /** Adds a line to the log of a container, or of all containers if none is named. */
  note(at: number, container: string, text: string): void {
    this.#lines.push({ at, container: intern(container), text: intern(text) });
    if (this.#lines.length > MOST_LINES) this.#lines.shift();
    for (const read of [...(this.#readers ?? [])]) read();
  }

  /** The lines of a container's log. */
  lines(container: string): readonly LogLine[] {
    return this.#lines.filter((line) => line.container === '' || line.container === container);
  }

  /** Calls `read` when there are more lines. Returns the function that ends this. */
  onLine(read: () => void): () => void {
    const readers = (this.#readers ??= new Set());
    readers.add(read);
    return () => readers.delete(read);
  }
}
