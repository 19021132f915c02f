import type { Naming } from '#base/naming/naming.ts';
import { type Entry, inForce, since, until } from '#base/release/in-force.ts';
import type { Release } from '#base/release/release.ts';

/** A part of the start for which other parts wait. */
export type StartPart = 'cache' | 'definitions' | 'aggregation' | 'objects' | 'flow-control' | 'in-flight' | 'policy';

/** Work that begins with the server, as a health check. */
export interface StartHook {
  readonly name: string;
  /** The part of the start after which the work is complete. */
  readonly part: StartPart;
  /** The awaited condition, for the log. */
  readonly waitsFor: string;
}

const hook = (name: string, part: StartPart, waitsFor: string): StartHook => ({
  name: `poststarthook/${name}`,
  part,
  waitsFor,
});

/**
 * The hooks in the order of the output. Names in braces get the prefix of the installation. `{service}` is the service
 * of the API server, which has the name of the product.
 */
const HOOKS: readonly Entry<StartHook>[] = [
  hook('start-{apiserver-admission-initializer}', 'objects', 'plug-ins of admission read what is stored'),
  hook('generic-apiserver-start-informers', 'cache', 'the watch cache is filled'),
  hook('priority-and-fairness-config-consumer', 'flow-control', 'priority levels are read'),
  hook('priority-and-fairness-filter', 'flow-control', 'priority levels are read'),
  hook('max-in-flight-filter', 'in-flight', 'requests under way are counted'),
  hook('storage-object-count-tracker-hook', 'cache', 'stored objects are counted'),
  hook('start-apiextensions-informers', 'cache', 'definitions of custom resources are read'),
  hook('start-apiextensions-controllers', 'definitions', 'definitions of custom resources are looked after'),
  hook('crd-informer-synced', 'definitions', 'custom resources are served'),
  since('1.27', hook('start-system-namespaces-controller', 'objects', 'namespaces of the system are made')),
  since('1.33', hook('start-{service}-cidr-controller', 'objects', 'the first range of addresses is made')),
  since('1.28', hook('start-service-ip-repair-controllers', 'objects', 'addresses of services are looked after')),
  hook('bootstrap-controller', 'objects', 'namespaces and the service of this server are made'),
  hook('rbac/bootstrap-roles', 'policy', 'roles and bindings of the system are made'),
  hook('scheduling/bootstrap-system-priority-classes', 'objects', 'priority classes of the system are made'),
  hook('priority-and-fairness-config-producer', 'objects', 'priority levels of the system are made'),
  hook('start-cluster-authentication-info-controller', 'aggregation', 'the authentication config map is looked after'),
  hook('start-{aggregator-informers}', 'cache', 'API services are read'),
  hook('apiservice-registration-controller', 'aggregation', 'it is known who serves what'),
  until('1.31', hook('apiservice-status-available-controller', 'aggregation', 'extension servers are looked after')),
  since('1.31', hook('apiservice-status-local-available-controller', 'aggregation', 'API services are looked after')),
  since(
    '1.31',
    hook('apiservice-status-remote-available-controller', 'aggregation', 'extension servers are looked after'),
  ),
  since('1.26', hook('apiservice-discovery-controller', 'aggregation', 'documents of extension servers are read')),
  hook('{apiserver-autoregistration}', 'aggregation', 'what is served here has its API services'),
  { name: 'autoregister-completion', part: 'aggregation', waitsFor: 'what is served here has its API services' },
  hook('apiservice-openapi-controller', 'aggregation', 'documents of extension servers are looked after'),
  hook('apiservice-openapiv3-controller', 'aggregation', 'documents of extension servers are looked after'),
];

/** Records which parts of the start are complete. */
export class StartHooks {
  readonly #done = new Set<StartPart>();
  /** The hooks of this server. */
  readonly all: readonly StartHook[];

  /** @param without parts that the flags switch off */
  constructor(naming: Pick<Naming, 'prefixed' | 'product'>, release: Release, without: readonly StartPart[] = []) {
    this.all = inForce(release, HOOKS)
      .filter(({ part }) => !without.includes(part))
      .map((one) => ({
        ...one,
        name: one.name
          .replace('{service}', `${naming.product}-service`)
          .replace(/\{(.*)\}/, (_, name: string) => naming.prefixed(name)),
      }));
  }

  complete(part: StartPart): void {
    this.#done.add(part);
  }

  /** The condition that a hook still waits for; undefined when it is done. */
  pending({ part, waitsFor }: StartHook): string | undefined {
    return this.#done.has(part) ? undefined : `not finished: waiting until ${waitsFor}`;
  }
}
