import type { Random } from '../random.ts';
import type { PodsWatch } from './pods-watch.ts';
import type { Call, Wish } from './workload.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of any kind
type Body = any;

const DEPLOYMENTS = '/apis/apps/v1/namespaces/work/deployments';
const MOST = 3;

/** Makes deployments that are rolled out again and again. */
export class ChaosRollouts {
  readonly #call: Call;
  readonly #watch: PodsWatch;
  readonly #id: string;
  readonly #names: string[] = [];
  #next = 0;

  /**
   * @param watch the record of the pods
   * @param id makes the names of its deployments differ from all others
   */
  constructor(call: Call, watch: PodsWatch, id: string) {
    this.#call = call;
    this.#watch = watch;
    this.#id = id;
  }

  /** Creates a deployment, or changes the image of one. The image may be the one before. */
  async ask(random: Random): Promise<Wish> {
    const image = `i:${this.#next++ % 3}`;
    if (this.#names.length === MOST || (this.#names.length > 0 && random.chance(0.6))) {
      const name = random.of(this.#names);
      const body = { spec: { template: { spec: { containers: [{ name: 'c', image }] } } } };
      const { status } = await this.#call('PATCH', `${DEPLOYMENTS}/${name}`, body, 'application/merge-patch+json');
      if (status !== 200) throw new Error(`PATCH ${name} answered ${status}`);
      return { what: `rollout of ${name}`, missing: () => this.#missing(name) };
    }
    const name = `d${this.#id}-${this.#names.length}`;
    const [replicas, maxUnavailable] = [random.between(3, 6), random.between(0, 1)];
    const maxSurge = maxUnavailable === 0 ? 1 : random.between(0, 2);
    this.#watch.promise(name, { replicas, least: replicas - maxUnavailable, most: replicas + maxSurge });
    const labels = { app: name };
    const spec = {
      ...{ replicas, selector: { matchLabels: labels } },
      strategy: { rollingUpdate: { maxSurge, maxUnavailable } },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image }] } },
    };
    const { status, body } = await this.#call('POST', DEPLOYMENTS, { metadata: { name }, spec });
    if (status !== 201) throw new Error(`POST ${DEPLOYMENTS} answered ${status} ${JSON.stringify(body).slice(0, 300)}`);
    this.#names.push(name);
    return { what: `deployment ${name} of ${replicas}`, missing: () => this.#missing(name) };
  }

  async #missing(name: string): Promise<string | undefined> {
    const { body } = await this.#call('GET', `${DEPLOYMENTS}/${name}`);
    const { metadata, spec, status = {} } = body as Body;
    const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, observedGeneration = 0 } = status;
    const isDone =
      observedGeneration === metadata.generation &&
      [replicas, updatedReplicas, availableReplicas].every((count) => count === spec.replicas);
    return isDone ? undefined : `${updatedReplicas} of ${replicas} pods are new, ${availableReplicas} available`;
  }
}
