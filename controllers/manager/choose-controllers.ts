import { ConfigError } from '#base/errors/config-error.ts';
import type { Controller } from '../controller.ts';

/** Controllers of the field's managers. Manifests may name them, even if this manager lacks them. */
const NAMES_OF_THE_FIELD: ReadonlySet<string> = new Set(
  `attachdetach bootstrapsigner cloud-node-lifecycle clusterrole-aggregation cronjob csrapproving csrcleaner csrsigning
  daemonset deployment disruption endpoint endpointslice endpointslicemirroring ephemeral-volume garbagecollector
  horizontalpodautoscaling job namespace nodeipam nodelifecycle persistentvolume-binder persistentvolume-expander podgc
  pv-protection pvc-protection replicaset replicationcontroller resourcequota root-ca-cert-publisher route service
  service-cidr-controller serviceaccount serviceaccount-token statefulset taint-eviction-controller tokencleaner ttl ttl-after-finished`.split(
    /\s+/,
  ),
);

export interface Choice {
  readonly controllers: readonly Controller[];
  /** Warnings for the operator. */
  readonly warnings: readonly string[];
}

/**
 * The controllers that `--controllers` selects: `*` (the default) for all that are on by default, a name for one more,
 * and `-name` to remove one. A removal takes precedence over a selection.
 * @throws ConfigError for unknown names
 */
export function chooseControllers(all: readonly Controller[], chosen: readonly string[]): Choice {
  const wishes = chosen.map((wish) => wish.trim()).filter((wish) => wish !== '');
  const names = all.map(({ name }) => name);
  const warnings: string[] = [];
  for (const wish of wishes) {
    const name = wish.replace(/^-/, '');
    if (wish === '*' || names.includes(name)) continue;
    if (!NAMES_OF_THE_FIELD.has(name))
      throw new ConfigError(
        `flag --controllers: there is no controller ${JSON.stringify(name)}: they are ${names.join(', ')}`,
      );
    if (name === wish) warnings.push(`flag --controllers: this program does not have the controller ${name}`);
  }
  const star = wishes.length === 0 || wishes.includes('*');
  const controllers = all.filter(({ name, offByDefault }) => {
    if (wishes.includes(`-${name}`)) return false;
    return wishes.includes(name) || (star && offByDefault !== true);
  });
  return { controllers, warnings };
}
