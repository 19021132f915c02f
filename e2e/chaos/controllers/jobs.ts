import type { Random } from '../random.ts';
import type { PodsWatch } from './pods-watch.ts';
import type { Call, Wish } from './workload.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of any kind
type Body = any;

const JOBS = '/apis/batch/v1/namespaces/work/jobs';

/** Makes jobs whose pods end on simulated nodes. A job must count each ended pod once. */
export class ChaosJobs {
  readonly #call: Call;
  readonly #id: string;
  readonly #watch: PodsWatch;
  #next = 0;

  /**
   * @param watch the record of the pods
   * @param id makes the names of its jobs differ from all others
   */
  constructor(call: Call, watch: PodsWatch, id: string) {
    this.#call = call;
    this.#watch = watch;
    this.#id = id;
  }

  /** Creates a job. All of its pods succeed. */
  async ask(random: Random): Promise<Wish> {
    const name = `j${this.#id}-${++this.#next}`;
    const completions = random.between(2, 8);
    const completionMode = random.of(['NonIndexed', 'Indexed']);
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    const spec = { completions, parallelism: random.between(1, 4), completionMode, template };
    const { status, body } = await this.#call('POST', JOBS, { metadata: { name }, spec });
    if (status !== 201) throw new Error(`POST ${JOBS} answered ${status} ${JSON.stringify(body).slice(0, 300)}`);
    return { what: `job ${name} of ${completions} completions`, missing: () => this.#missing(name, completions) };
  }

  async #missing(name: string, completions: number): Promise<string | undefined> {
    const { body } = await this.#call('GET', `${JOBS}/${name}`);
    const { succeeded = 0, failed = 0, active = 0, conditions = [] } = body.status ?? {};
    if (!conditions.some(({ type, status }: Body) => type === 'Complete' && status === 'True'))
      return `${succeeded} succeeded, ${active} run`;
    const ended = this.#watch.ended(name);
    return succeeded === completions && ended === completions && failed === 0
      ? undefined
      : `${ended} pods have ended, and ${succeeded} succeeded and ${failed} failed are counted`;
  }
}
