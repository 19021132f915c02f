import { setTimeout as sleep } from 'node:timers/promises';
import { makeRequest } from '#base/x509/testing/make-request.ts';
import type { Client } from '../client.ts';
import type { Random } from '../random.ts';
import { ChaosJobs } from './jobs.ts';
import type { PodsWatch } from './pods-watch.ts';
import { ChaosRollouts } from './rollouts.ts';

/**
 * A request to the controllers. `missing` resolves to undefined if the request is fulfilled, and otherwise to the text
 * of what is missing.
 */
export interface Wish {
  readonly what: string;
  readonly missing: () => Promise<string | undefined>;
}

export type Call = (
  method: string,
  path: string,
  body?: unknown,
  mediaType?: string,
) => Promise<{ status: number; body: Body }>;

// biome-ignore lint/suspicious/noExplicitAny: answers of any kind
type Body = any;

const MAPS = '/api/v1/namespaces/work/configmaps';
const REQUESTS = '/apis/certificates.orch.io/v1/certificatesigningrequests';

/** Sends requests to the controllers, one after the other, and records the expected results. */
export class Workload {
  readonly wishes: Wish[] = [];
  readonly counts = new Map<string, number>();
  readonly #call: Call;
  readonly #random: Random;
  readonly #id: string;
  readonly #jobs: ChaosJobs;
  readonly #rollouts: ChaosRollouts;
  #next = 0;

  /**
   * @param watch the record of the pods
   * @param id distinguishes its objects from those of other workloads
   */
  constructor(client: Client, ports: readonly number[], random: Random, watch: PodsWatch, id: string) {
    this.#random = random;
    this.#id = id;
    this.#call = (method, path, body, mediaType) => client.call(random.of(ports), method, path, body, mediaType);
    this.#jobs = new ChaosJobs(this.#call, watch, id);
    this.#rollouts = new ChaosRollouts(this.#call, watch, id);
  }

  async prepare(): Promise<void> {
    await this.#make('/api/v1/namespaces', { metadata: { name: 'work' } });
  }

  /** Runs until `stop`. */
  async run(pauseMs: number, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const work = this.#random.weighted<() => Promise<Wish>>([
        [5, () => this.#owner()],
        [2, () => this.#namespace()],
        [3, () => this.#request()],
        [1, () => this.#account()],
        [2, () => this.#jobs.ask(this.#random)],
        [2, () => this.#rollouts.ask(this.#random)],
      ]);
      const wish = await work();
      this.wishes.push(wish);
      const kind = wish.what.split(' ')[0]!;
      this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
      await sleep(this.#random.between(0, 2 * pauseMs), undefined, { signal: stop }).catch(() => {});
    }
  }

  /** Makes an owner with two levels of dependents. The client deletes it in one of the three ways. */
  async #owner(): Promise<Wish> {
    const name = `o${this.#id}-${++this.#next}`;
    const owner = await this.#make(MAPS, { metadata: { name } });
    const owned = (by: Body, blockOwnerDeletion: boolean) => ({
      ownerReferences: [
        { apiVersion: 'v1', kind: 'ConfigMap', name: by.metadata.name, uid: by.metadata.uid, blockOwnerDeletion },
      ],
    });
    const [first, second]: string[][] = [[], []];
    for (let i = 0; i < this.#random.between(1, 6); i++) {
      const blocks = this.#random.chance(0.5);
      const made = await this.#make(MAPS, { metadata: { name: `${name}-${i}`, ...owned(owner, blocks) } });
      first!.push(made.metadata.name);
      if (!this.#random.chance(0.3)) continue;
      const below = await this.#make(MAPS, { metadata: { name: `${name}-${i}-0`, ...owned(made, true) } });
      second!.push(below.metadata.name);
    }
    const policy = this.#random.of(['Background', 'Foreground', 'Orphan']);
    await this.#call('DELETE', `${MAPS}/${name}`, {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: policy,
    });
    return {
      what: `${policy} deletion of ${name} with ${first!.length}+${second!.length} dependents`,
      missing: async () => {
        const { body } = await this.#call('GET', MAPS);
        const left = new Map<string, Body>(body.items.map((item: Body) => [item.metadata.name, item]));
        if (left.has(name)) return 'the owner is there';
        if (policy !== 'Orphan') {
          const there = [...first!, ...second!].filter((one) => left.has(one));
          return there.length === 0 ? undefined : `${there} are there`;
        }
        const gone = [...first!, ...second!].filter((one) => !left.has(one));
        if (gone.length > 0) return `${gone} are gone`;
        const held = first!.filter((one) => left.get(one).metadata.ownerReferences !== undefined);
        return held.length === 0 ? undefined : `${held} still name their owner`;
      },
    };
  }

  async #namespace(): Promise<Wish> {
    const name = `n${this.#id}-${++this.#next}`;
    await this.#make('/api/v1/namespaces', { metadata: { name } });
    for (let i = 0; i < this.#random.between(0, 8); i++) {
      await this.#make(`/api/v1/namespaces/${name}/configmaps`, { metadata: { name: `c${i}` } });
      await this.#make(`/api/v1/namespaces/${name}/secrets`, { metadata: { name: `s${i}` } });
    }
    await this.#call('DELETE', `/api/v1/namespaces/${name}`);
    return {
      what: `namespace ${name} deleted`,
      missing: async () => {
        const { status, body } = await this.#call('GET', `/api/v1/namespaces/${name}`);
        return status === 404 ? undefined : `it is ${body.status?.phase}`;
      },
    };
  }

  async #request(): Promise<Wish> {
    const name = `r${this.#id}-${++this.#next}`;
    const spec = {
      request: makeRequest({ subject: [['CN', name]] }),
      signerName: 'orch.io/apiserver-client',
      usages: ['client auth'],
    };
    const request = await this.#make(REQUESTS, { metadata: { name }, spec });
    const type = this.#random.chance(0.7) ? 'Approved' : 'Denied';
    const conditions = [{ type, status: 'True', reason: 'Chaos', message: '' }];
    await this.#call('PUT', `${REQUESTS}/${name}/approval`, { ...request, status: { conditions } });
    return {
      what: `request ${name} ${type}`,
      missing: async () => {
        const { body } = await this.#call('GET', `${REQUESTS}/${name}`);
        const signed = body.status?.certificate !== undefined;
        return signed === (type === 'Approved') ? undefined : signed ? 'it is signed' : 'it is not signed';
      },
    };
  }

  /** Deletes the default account and the authorities of a namespace, which must be created again. */
  async #account(): Promise<Wish> {
    const [account, map] = ['/api/v1/namespaces/work/serviceaccounts/default', `${MAPS}/orch-root-ca.crt`];
    await this.#call('DELETE', this.#random.of([account, map]));
    return {
      what: 'account and authorities of the namespace',
      missing: async () => {
        for (const path of [account, map])
          if ((await this.#call('GET', path)).status !== 200) return `${path} is missing`;
        return undefined;
      },
    };
  }

  async #make(path: string, object: object): Promise<Body> {
    const { status, body } = await this.#call('POST', path, object);
    if (status !== 201) throw new Error(`POST ${path} answered ${status} ${JSON.stringify(body).slice(0, 300)}`);
    return body;
  }
}
