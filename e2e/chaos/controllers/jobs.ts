import type { Random } from '../random.ts';
import type { Call, Wish } from './workload.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of any kind
type Body = any;

const JOBS = '/apis/batch/v1/namespaces/work/jobs';
const PODS = '/api/v1/namespaces/work/pods';

/** Jobs, and a node that ends their pods. Each ended pod must be counted once. */
export class ChaosJobs {
  readonly #call: Call;
  readonly #id: string;
  /** Uids of pods that were ended, by the name of their job. */
  readonly #ended = new Map<string, Set<string>>();
  #next = 0;

  /** @param id makes the names of its jobs differ from all others */
  constructor(call: Call, id: string) {
    this.#call = call;
    this.#id = id;
  }

  /** Creates a job whose pods all succeed. */
  async ask(random: Random): Promise<Wish> {
    const name = `j${this.#id}-${++this.#next}`;
    const completions = random.between(2, 8);
    const completionMode = random.of(['NonIndexed', 'Indexed']);
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    const spec = { completions, parallelism: random.between(1, 4), completionMode, template };
    const { status, body } = await this.#call('POST', JOBS, { metadata: { name }, spec });
    if (status !== 201) throw new Error(`POST ${JOBS} answered ${status} ${JSON.stringify(body).slice(0, 300)}`);
    this.#ended.set(name, new Set());
    return { what: `job ${name} of ${completions} completions`, missing: () => this.#missing(name, completions) };
  }

  /** Ends all pods that run, as a node does. */
  async endPods(): Promise<void> {
    if (this.#ended.size === 0) return;
    const { body } = await this.#call('GET', `${PODS}?labelSelector=job-name`);
    for (const pod of (body.items ?? []) as Body[]) {
      const ended = this.#ended.get(pod.metadata.labels['job-name']);
      if (ended === undefined || ended.has(pod.metadata.uid) || pod.metadata.deletionTimestamp) continue;
      const said = { ...pod, status: { ...pod.status, phase: 'Succeeded' } };
      const { status } = await this.#call('PUT', `${PODS}/${pod.metadata.name}/status`, said);
      if (status === 200) ended.add(pod.metadata.uid);
    }
  }

  async #missing(name: string, completions: number): Promise<string | undefined> {
    await this.endPods();
    const { body } = await this.#call('GET', `${JOBS}/${name}`);
    const { succeeded = 0, failed = 0, active = 0, conditions = [] } = body.status ?? {};
    if (!conditions.some(({ type, status }: Body) => type === 'Complete' && status === 'True'))
      return `${succeeded} succeeded, ${active} run`;
    const ended = this.#ended.get(name)?.size ?? 0;
    return succeeded === completions && ended === completions && failed === 0
      ? undefined
      : `${ended} pods have ended, and ${succeeded} succeeded and ${failed} failed are counted`;
  }
}
