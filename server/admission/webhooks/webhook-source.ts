import type { MutatingWebhookConfiguration } from '#schema/generated/admissionregistration.v1.ts';
import type { Item } from '../../cache/item.ts';
import type { Subscription } from '../../cache/resource-cache.ts';
import { storedObject } from '../../resources/built-in-reading.ts';
import type { ClusterView } from '../cluster-view.ts';
import { type Webhook, webhooksOf } from './webhook.ts';

export type ConfigurationKind = 'mutatingwebhookconfigurations' | 'validatingwebhookconfigurations';

/** How many changes are taken at a time. */
const BATCH = 256;

/** All webhooks of one kind in the watch cache. Only configurations that have changed are parsed again. */
export class WebhookSource {
  readonly #cluster: ClusterView;
  readonly #plural: ConfigurationKind;
  readonly #byConfiguration = new Map<string, readonly Webhook[]>();
  #subscription: Subscription | undefined;
  #all: readonly Webhook[] = [];

  constructor(cluster: ClusterView, plural: ConfigurationKind) {
    this.#cluster = cluster;
    this.#plural = plural;
  }

  /** By the names of their configurations, then in their order; the same list until a configuration changes. */
  current(): readonly Webhook[] {
    const subscription = this.#subscription;
    if (subscription === undefined || subscription.gone) {
      this.#restart();
      return this.#all;
    }
    let changes = subscription.next(BATCH);
    if (changes.length === 0) return this.#all;
    for (; changes.length > 0; changes = subscription.next(BATCH)) {
      for (const { item, previous } of changes) {
        if (item !== undefined) this.#read(item);
        else if (previous !== undefined) this.#byConfiguration.delete(previous.name);
      }
    }
    this.#arrange();
    return this.#all;
  }

  #restart(): void {
    const { cache } = this.#cluster.registry.stored('admissionregistration', this.#plural);
    const { items, subscription } = cache.snapshotAndSubscribe({ scope: '' });
    this.#subscription = subscription;
    this.#byConfiguration.clear();
    for (const item of items) this.#read(item);
    this.#arrange();
  }

  #read(item: Item): void {
    const { registry } = this.#cluster;
    const stored = registry.stored('admissionregistration', this.#plural);
    const object = storedObject(registry, stored, item) as MutatingWebhookConfiguration;
    this.#byConfiguration.set(item.name, webhooksOf(object));
  }

  #arrange(): void {
    const names = [...this.#byConfiguration.keys()].sort();
    this.#all = names.flatMap((name) => this.#byConfiguration.get(name)!);
  }
}
