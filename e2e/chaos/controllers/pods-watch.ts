import type { Replica } from '../../replica.ts';
import { openWatch, type WatchStream } from '../../watch-stream.ts';
import type { Violation } from './check.ts';

/**
 * The pods of a deployment. They are the requested number, the smallest number of ready pods, and the largest number of
 * pods.
 */
export interface Promised {
  readonly replicas: number;
  readonly least: number;
  readonly most: number;
}

/** The longest time in which nothing may change, in milliseconds. */
const LONGEST_MS = 3_600_000;

interface Pod {
  readonly metadata: {
    readonly uid: string;
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly resourceVersion: string;
  };
  readonly spec: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/**
 * Follows the pods of the namespace `work` with one watch, and checks after each change the promises of deployments.
 */
export class PodsWatch {
  readonly violations: Violation[] = [];
  readonly #pods = new Map<string, Pod>();
  readonly #promised = new Map<string, Promised>();
  /** Deployments whose pods have all been ready at one time. */
  readonly #complete = new Set<string>();
  /** The uids of pods that succeeded, by the name of their job. */
  readonly #ended = new Map<string, Set<string>>();
  #stream: WatchStream | undefined;
  #isOver = false;
  changes = 0;

  /** Follows the pods until it is closed. */
  async follow(replica: Replica): Promise<void> {
    this.#stream = await openWatch(replica, '/api/v1/namespaces/work/pods?watch=1&timeoutSeconds=100000');
    void this.#read().catch((error: Error) => {
      if (!this.#isOver) this.violations.push({ law: 'available', message: `nothing is seen: ${error.message}` });
    });
  }

  close(): void {
    this.#isOver = true;
    this.#stream?.close();
  }

  /** Records the promise of a complete deployment. Its pods have its name as the label `app`. */
  promise(name: string, promised: Promised): void {
    this.#promised.set(name, promised);
  }

  /** The number of pods of a job that have succeeded. */
  ended(job: string): number {
    return this.#ended.get(job)?.size ?? 0;
  }

  async #read(): Promise<void> {
    for (;;) {
      const { type, object } = (await this.#stream!.next(LONGEST_MS)) as unknown as { type: string; object: Pod };
      this.see(type, object);
    }
  }

  /** Records a change, and checks the promises after it. */
  see(type: string, pod: Pod): void {
    this.changes++;
    const { uid, labels = {}, name, resourceVersion } = pod.metadata;
    const before = this.#pods.get(uid);
    if (before?.spec.nodeName !== undefined && before.spec.nodeName !== pod.spec.nodeName)
      this.violations.push({
        law: 'bound',
        message: `${name} went from ${before.spec.nodeName} to ${pod.spec.nodeName}`,
      });
    if (type === 'DELETED') this.#pods.delete(uid);
    else this.#pods.set(uid, pod);
    const job = labels['job-name'];
    if (job !== undefined && pod.status?.phase === 'Succeeded')
      this.#ended.set(job, (this.#ended.get(job) ?? new Set()).add(uid));
    if (labels['app'] !== undefined) this.#judge(labels['app'], resourceVersion);
  }

  #judge(name: string, version: string): void {
    const promised = this.#promised.get(name);
    if (promised === undefined) return;
    const own = [...this.#pods.values()].filter(
      ({ metadata }) => metadata.labels?.['app'] === name && metadata.deletionTimestamp === undefined,
    );
    const ready = own.filter(({ status }) =>
      status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True'),
    ).length;
    if (ready >= promised.replicas) this.#complete.add(name);
    const at = `${name} at version ${version}`;
    if (own.length > promised.most)
      this.violations.push({ law: 'available', message: `${at}: ${own.length} pods, at most ${promised.most}` });
    if (this.#complete.has(name) && ready < promised.least)
      this.violations.push({ law: 'available', message: `${at}: ${ready} ready, at least ${promised.least}` });
  }
}
