import { serviceUnavailable } from '#base/errors/status-error.ts';
import type { ResourceQuota } from '#schema/generated/core.v1.ts';
import { addUsage, readUsage, writeUsage } from '#schema/values/usage.ts';
import { storedObject } from '../../resources/built-in-reading.ts';
import { withOwnFields } from '../../verbs/own-fields.ts';
import { storedValue } from '../../verbs/written.ts';
import type { ClusterView } from '../cluster-view.ts';
import { type Charges, QuotaRefusal } from './measure.ts';

/** Computes the charges of one request from the current quotas; throws a QuotaRefusal. */
export type Measure = (quotas: readonly ResourceQuota[]) => Charges;

/** How often the server computes a charge again after charges of other replicas were faster. */
const ATTEMPTS = 50;

interface Waiting {
  readonly measure: Measure;
  readonly settle: (result: Charges | Error) => void;
}

/** A quota with charges that are about to be written. */
interface Account {
  quota: ResourceQuota;
  /** The quota as it is stored. */
  readonly live: ResourceQuota;
  readonly key: string;
  readonly revision: number;
}

/** A quota in the state that this replica wrote last. The cache may not have it yet. */
interface Written {
  readonly revision: number;
  readonly quota: ResourceQuota;
}

function charged(quota: ResourceQuota, charges: Charges): ResourceQuota {
  const usage = charges.get(quota.metadata.name!);
  if (usage === undefined) return quota;
  const used = writeUsage(addUsage(readUsage(quota.status?.used), usage));
  return { ...quota, status: { ...quota.status, used } };
}

/**
 * Charges quotas. All charges of one request go into one transaction that compares the revisions of the quotas, so
 * replicas together never exceed a quota. Simultaneous requests of one namespace share a transaction.
 */
export class QuotaLedger {
  readonly #cluster: ClusterView;
  readonly #queues = new Map<string, Waiting[]>();
  readonly #written = new Map<string, Written>();

  constructor(cluster: ClusterView) {
    this.#cluster = cluster;
  }

  /** Whether a namespace has any quota. */
  has(namespace: string): boolean {
    return this.#cluster.registry.stored('', 'resourcequotas').cache.count(`${namespace}/`) > 0;
  }

  /**
   * Computes the charges without writing them.
   * @throws QuotaRefusal if the refusal also holds in a fresh state
   */
  async check(namespace: string, measure: Measure): Promise<void> {
    const quotas = () => this.#accounts(namespace).map(({ quota }) => quota);
    try {
      measure(quotas());
    } catch (error) {
      if (!(error instanceof QuotaRefusal)) throw error;
      await this.#cluster.refresh();
      measure(quotas());
    }
  }

  /**
   * Charges the amounts that `measure` computes.
   * @throws QuotaRefusal if the refusal also holds in a fresh state; then nothing is charged
   */
  charge(namespace: string, measure: Measure): Promise<Charges> {
    return new Promise((resolve, reject) => {
      const settle = (result: Charges | Error) => (result instanceof Error ? reject(result) : resolve(result));
      const queue = this.#queues.get(namespace);
      if (queue !== undefined) {
        queue.push({ measure, settle });
        return;
      }
      this.#queues.set(namespace, [{ measure, settle }]);
      void this.#work(namespace);
    });
  }

  async #work(namespace: string): Promise<void> {
    const queue = this.#queues.get(namespace)!;
    while (queue.length > 0) {
      const batch = queue.splice(0);
      try {
        const results = await this.#chargeAll(namespace, batch);
        for (const [i, { settle }] of batch.entries()) settle(results[i]!);
      } catch (error) {
        for (const { settle } of batch) settle(error as Error);
      }
    }
    this.#queues.delete(namespace);
    // From here on the cache is good enough. In the worst case, the next charge conflicts with this one and starts
    // again.
    for (const key of this.#written.keys()) if (key.startsWith(`${namespace}/`)) this.#written.delete(key);
  }

  async #chargeAll(namespace: string, batch: readonly Waiting[]): Promise<(Charges | Error)[]> {
    const { registry } = this.#cluster;
    const stored = registry.stored('', 'resourcequotas');
    let fresh = false;
    const refresh = async (): Promise<void> => {
      await this.#cluster.refresh();
      fresh = true;
    };
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const accounts = this.#accounts(namespace);
      const results = batch.map(({ measure }) => this.#apply(accounts, measure));
      if (!fresh && results.some((result) => result instanceof QuotaRefusal)) {
        await refresh();
        continue;
      }
      const touched = accounts.filter(({ quota, live }) => quota !== live);
      if (touched.length === 0) return results;
      const changed = await Promise.all(
        touched.map(async (account) => {
          const quota = await withOwnFields(registry, stored, account.live, account.quota, { subresource: 'status' });
          return { ...account, quota };
        }),
      );
      const outcome = await registry.store.transact(
        changed.map(({ key, revision }) => ({ key: stored.keyPrefix + key, revision })),
        changed.map(({ key, quota }) => ({ key: stored.keyPrefix + key, value: storedValue(stored, quota) })),
      );
      if (outcome.outcome === 'written') {
        for (const { key, quota } of changed) this.#written.set(key, { revision: outcome.revision, quota });
        return results;
      }
      await refresh();
    }
    throw serviceUnavailable('the quotas of the namespace keep changing');
  }

  #apply(accounts: readonly Account[], measure: Measure): Charges | Error {
    try {
      const charges = measure(accounts.map(({ quota }) => quota));
      for (const account of accounts) account.quota = charged(account.quota, charges);
      return charges;
    } catch (error) {
      return error as Error;
    }
  }

  /** The quotas of a namespace from the cache. If the cache is behind, they come from this ledger's last writes. */
  #accounts(namespace: string): Account[] {
    const { registry } = this.#cluster;
    const stored = registry.stored('', 'resourcequotas');
    const accounts: Account[] = [];
    for (const item of stored.cache.range(`${namespace}/`)) {
      const written = this.#written.get(item.key);
      if (written !== undefined && written.revision > registry.cache.frontier) {
        accounts.push({ ...written, live: written.quota, key: item.key });
        continue;
      }
      if (written !== undefined) this.#written.delete(item.key);
      const quota = storedObject(registry, stored, item) as ResourceQuota;
      accounts.push({ quota, live: quota, key: item.key, revision: item.revision });
    }
    return accounts;
  }
}
