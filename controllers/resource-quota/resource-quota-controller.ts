import type { DiscoveredType } from '#client/discovery/discovered.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { byNamespace, type Informer, keyOf, splitKey } from '#client/informer/informer.ts';
import type { ResourceQuota } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { evaluators } from '#schema/quota/evaluators.ts';
import { usedOf } from '#schema/quota/used-of.ts';
import { controller, need, type Standing } from '../controller.ts';
import { every } from '../every.ts';

/** How long a change waits for further changes of the same namespace. */
const TOGETHER_MS = 100;
/** The waiting time before the next check of a copy that is not filled yet. */
const FILLING_MS = 200;
/**
 * How long the server takes until it charges for the new limits of a status. Until then, other clients may create
 * objects that it does not charge for.
 */
const UNCHARGED_MS = 1000;
/** How long a type may take to be served after its definition. */
const UNKNOWN_MS = 30_000;

/**
 * Counts the usage of a namespace's quotas when the usage may have become less, or when limits change: when an object
 * ends or changes, when a quota changes, and at intervals. The server itself charges a new object at its creation.
 */
export const resourceQuotaController = controller<CountedTypes>({
  name: 'resourcequota',
  account: 'resourcequota-controller',
  needs: [
    need(coreV1.resourcequotas, { fields: ['spec', 'status'] }),
    need(coreV1.pods, {
      fields: [
        'spec.containers.resources',
        'spec.initContainers.resources',
        'spec.overhead',
        'spec.activeDeadlineSeconds',
        'spec.priorityClassName',
        'spec.affinity',
        'status.phase',
      ],
    }),
    need(coreV1.services, { fields: ['spec.type', 'spec.ports', 'spec.allocateLoadBalancerNodePorts'] }),
    need(coreV1.persistentvolumeclaims, { fields: ['spec.storageClassName', 'spec.resources.requests'] }),
  ],
  prepare: (standing) => new CountedTypes(standing),

  start({ client, informer, prepared: counted, queue, flags, naming, log, signal }) {
    const quotas = informer(coreV1.resourcequotas);
    const evaluatorOf = evaluators(naming);
    const followed = new WeakSet<Informer<ApiObject>>();
    const keys = queue(
      async (key) => {
        const copy = quotas.get(key);
        if (copy === undefined || copy.metadata.deletionTimestamp) return;
        const names = Object.keys(copy.spec?.hard ?? {});
        const types = await counted.of(names);
        for (const { type, objects } of types.found) follow(type, objects);
        if (types.found.some(({ objects }) => !objects.filled)) return { afterMs: FILLING_MS };
        const { namespace = '', name = '' } = splitKey(key);
        // It reads the whole quota from the server: the copy has only parts, and the server charges quotas in the
        // meantime.
        const own = client.resource(coreV1.resourcequotas).in(namespace);
        const [quota] = (await own.list({ fieldSelector: `metadata.name=${name}` })).items;
        if (quota === undefined || quota.metadata.uid !== copy.metadata.uid) return;
        const objectsOf = types.found.map(({ type, objects }) => ({
          evaluator: evaluatorOf({ group: type.group, type }),
          objects: objects.find(byNamespace, namespace),
        }));
        const hard = quota.spec?.hard ?? {};
        const used = usedOf(quota, objectsOf);
        const status = { ...quota.status, hard, used };
        if (!isSame(status, quota.status)) {
          await own.update({ ...quota, status }, { subresource: 'status' });
          log.info({ namespace, name, used }, 'updated the usage of a quota');
          const limited = quota.status?.hard ?? {};
          if (Object.keys(hard).some((each) => !Object.hasOwn(limited, each))) return { afterMs: UNCHARGED_MS };
        }
        return types.missing ? { afterMs: UNKNOWN_MS } : undefined;
      },
      { workers: flags.get('concurrent-resource-quota-syncs'), longestRetryMs: 60_000 },
    );

    /** Counts the quotas of a namespace again when objects of this type end or change their usage. */
    function follow(type: DiscoveredType, objects: Informer<ApiObject>): void {
      if (followed.has(objects)) return;
      followed.add(objects);
      const evaluator = evaluatorOf({ group: type.group, type });
      const changed = ({ metadata }: ApiObject) => {
        for (const quota of quotas.find(byNamespace, metadata.namespace ?? ''))
          if (evaluator.matching(Object.keys(quota.spec?.hard ?? {})).length > 0)
            keys.addAfter(keyOf(quota), TOGETHER_MS);
      };
      const usage = (object: ApiObject) =>
        JSON.stringify(Object.entries(evaluator.usage(object)).map(([name, amount]) => [name, amount.toString()]));
      objects.on(
        {
          updated: (object, before) => usage(object) !== usage(before) && changed(object),
          deleted: changed,
        },
        signal,
      );
    }

    const add = (quota: ResourceQuota) => keys.add(keyOf(quota));
    quotas.on(
      {
        added: add,
        updated: (quota, before) => (quota === before || !isSame(quota.spec, before.spec)) && add(quota),
      },
      signal,
    );
    every(flags.get('resource-quota-sync-period'), signal, () => {
      for (const quota of quotas.all()) add(quota);
    });
  },
});

/** The types that quotas limit. A type that is only counted is copied from the time at which a quota names it. */
class CountedTypes {
  readonly #standing: Standing;

  constructor(standing: Standing) {
    this.#standing = standing;
    const { informers, ended } = standing;
    const look = ({ spec }: ResourceQuota) =>
      void this.of(Object.keys(spec?.hard ?? {})).catch((err) => {
        if (!ended.aborted) standing.log.warn({ err }, "the server's resource types cannot be read");
      });
    informers.of(coreV1.resourcequotas, { fields: ['spec', 'status'] }).on({ added: look }, ended);
  }

  /**
   * The types that the resources of a quota count; `missing` if some of the resources may count a type that is not
   * served now.
   */
  async of(names: readonly string[]) {
    const { discovery, informers, naming } = this.#standing;
    const evaluatorOf = evaluators(naming);
    const match = (types: readonly DiscoveredType[]) =>
      types.filter((type) => type.namespaced && evaluatorOf({ group: type.group, type }).matching(names).length > 0);
    const counted = (types: readonly DiscoveredType[]) =>
      new Set(types.flatMap((type) => evaluatorOf({ group: type.group, type }).matching(names)));
    let types = match((await discovery.get()).thatCan('list', 'watch'));
    const isMissing = () => names.some((name) => name.startsWith('count/') && !counted(types).has(name));
    if (isMissing()) types = match((await discovery.refresh()).thatCan('list', 'watch'));
    return {
      found: types.map((type) => ({ type, objects: informers.of<ApiObject>(type) })),
      missing: isMissing(),
    };
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => [name, sorted(inner)]);
}
