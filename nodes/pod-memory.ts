import { isNotOlder } from '#client/resource-version.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import type { Memory } from './life/next-step.ts';
import type { StageTimes } from './life/stages.ts';

/** By default a pod starts within a second, and ends within a second. */
const START_MS = 200;
const START_JITTER_MS = 500;
const END_MS = 100;
const END_JITTER_MS = 300;

/** Lines of a log that are kept for each pod; the oldest go first. */
const MOST_LINES = 500;

/** A line of a container's log about an action of the simulation. */
export interface LogLine {
  readonly at: number;
  readonly container: string;
  readonly text: string;
}

/** The memory of a simulated node about one pod. */
export class PodMemory {
  readonly uid: string;
  readonly #since: number;
  readonly #startMs: number;
  readonly #endMs: number;
  readonly #startedAt = new Map<string, number>();
  readonly #restarts = new Map<string, number>();
  readonly #lines: LogLine[] = [];
  readonly #readers = new Set<() => void>();
  /** The wishes that stages have for the pod. */
  readonly wishes = new Map<string, string>();
  readonly stages: StageTimes = new Map();
  /** Whether its node has taken it. */
  isAdmitted = false;
  #endingSince: number | undefined;
  #written: Pod | undefined;

  constructor(uid: string, now: number, random: () => number = Math.random) {
    this.uid = uid;
    this.#since = now;
    this.#startMs = START_MS + random() * START_JITTER_MS;
    this.#endMs = END_MS + random() * END_JITTER_MS;
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

  /** The facts that decide about the pod, besides its object. Called once for each step. */
  facts(pod: Pod, ip: string, hostIp: string, now: number): Memory {
    const endingSince = this.#endingSince;
    if ((pod.metadata.deletionTimestamp ?? null) !== null) this.#endingSince ??= now;
    return {
      ...{ ip, hostIp, since: this.#since, endingSince, startMs: this.#startMs, endMs: this.#endMs },
      ...{ startedAt: this.#startedAt, wishes: this.wishes },
    };
  }

  /** Takes note of the pod as the server answered to a write. */
  wrote(pod: Pod, now: number): void {
    this.#written = pod;
    for (const { name, state, restartCount } of [
      ...(pod.status?.initContainerStatuses ?? []),
      ...(pod.status?.containerStatuses ?? []),
    ]) {
      if (state?.running === undefined) this.#startedAt.delete(name);
      else if (!this.#startedAt.has(name) || this.#restarts.get(name) !== restartCount) {
        this.#startedAt.set(name, now);
        this.#restarts.set(name, restartCount);
      }
    }
  }

  /** Adds a line to the log of a container, or of all containers if none is named. */
  note(at: number, container: string, text: string): void {
    this.#lines.push({ at, container, text });
    if (this.#lines.length > MOST_LINES) this.#lines.shift();
    for (const read of [...this.#readers]) read();
  }

  /** The lines of a container's log. */
  lines(container: string): readonly LogLine[] {
    return this.#lines.filter((line) => line.container === '' || line.container === container);
  }

  /** Calls `read` when there are more lines; returns a function that ends this. */
  onLine(read: () => void): () => void {
    this.#readers.add(read);
    return () => this.#readers.delete(read);
  }
}
