import { randomUUID } from 'node:crypto';
import { invalid } from '#base/errors/status-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { defaultRelease } from '#base/release/release.ts';
import { sharedMessage } from '#schema/descriptors/load.ts';
import type { Service, ServiceSpec } from '#schema/generated/core.v1.ts';
import { asJson } from '#schema/objects/as-json.ts';
import { fillDefaults } from '#schema/objects/fill-defaults.ts';
import type { Condition, ObjectStore, Write } from '#storage/object-store.ts';
import { servicesOf } from '../../../../allocation/service-allocation.ts';
import { type ServiceRangeOptions, ServiceRanges } from '../../../../allocation/service-ranges.ts';
import type { AllocationContext, KindRules } from '../../../../api/resource-definition.ts';
import { createFeatureGates } from '../../../../config/feature-gates.ts';
import { createServiceRules } from '../../service.ts';

export const PREFIX = '/registry';
const SERVICE = sharedMessage('core.v1.Service');

/** The key of a stored service. */
export function serviceKey(name: string): string {
  return `${PREFIX}/core/services/ns/${name}`;
}

/** Writes services like a replica, but only by the rules: without HTTP, admission and the cache. */
export class ServiceReplica {
  readonly ranges: ServiceRanges;
  readonly rules: KindRules<Service>;
  readonly #store: ObjectStore;

  constructor(store: ObjectStore, options: Partial<ServiceRangeOptions> = {}) {
    this.#store = store;
    this.ranges = new ServiceRanges({
      clusterIpRanges: ['10.0.0.0/24'],
      nodePortRange: [30000, 32767],
      reserveStatic: true,
      ...options,
    });
    const { serviceNetworks, allocateService } = servicesOf(this.ranges);
    this.rules = createServiceRules(serviceNetworks, allocateService);
  }

  context(dryRun = false): AllocationContext {
    return {
      naming: createNaming('orch'),
      gates: createFeatureGates(),
      release: defaultRelease,
      user: undefined,
      dryRun,
      now: '2026-01-01T00:00:00Z',
      group: '',
      version: 'v1',
      warn: () => undefined,
      store: this.#store,
      etcdPrefix: PREFIX,
    };
  }

  /**
   * The stored service.
   *
   * @throws StatusError, like the server
   */
  async create(name: string, spec: ServiceSpec, dryRun = false): Promise<Service> {
    for (;;) {
      const object: Service = { metadata: { name, namespace: 'ns', uid: randomUUID() }, spec: cloneJson(spec) };
      const context = this.context(dryRun);
      fillDefaults(SERVICE, asJson(object));
      this.rules.versions!['v1']!.defaults!(object, context);
      this.rules.prepareForCreate!(object, context);
      this.#refuse(object, this.rules.validate!(object, context));
      if (await this.#commit(object, undefined, 0, dryRun)) return object;
    }
  }

  /** The service after a change of its spec. `undefined` in the change removes a field. */
  async update(name: string, change: ServiceSpec | ((spec: ServiceSpec) => ServiceSpec)): Promise<Service> {
    for (;;) {
      const found = (await this.#store.get(serviceKey(name)))!;
      const old = JSON.parse(found.value.toString()) as Service;
      const object = cloneJson(old);
      object.spec = cloneJson(typeof change === 'function' ? change(object.spec!) : change);
      const context = this.context();
      fillDefaults(SERVICE, asJson(object));
      this.rules.versions!['v1']!.defaults!(object, context);
      this.rules.prepareForUpdate!(object, old, context);
      const errors = [...this.rules.validateUpdate!(object, old, context), ...this.rules.validate!(object, context)];
      this.#refuse(object, errors);
      if (await this.#commit(object, old, found.revision, false)) return object;
    }
  }

  async remove(name: string): Promise<void> {
    const found = (await this.#store.get(serviceKey(name)))!;
    await this.#commit(undefined, JSON.parse(found.value.toString()) as Service, found.revision, false);
  }

  /** The keys of all claims, without their common prefix. */
  async claims(): Promise<string[]> {
    const prefix = `${PREFIX}/claims/`;
    const { items } = await this.#store.list(prefix, { keysOnly: true });
    return items.map(({ key }) => key.slice(prefix.length));
  }

  #refuse(object: Service, errors: ReturnType<NonNullable<KindRules<Service>['validate']>>): void {
    if (errors.length > 0) throw invalid({ group: '', kind: 'Service' }, object.metadata.name ?? '', errors);
  }

  async #commit(
    object: Service | undefined,
    old: Service | undefined,
    revision: number,
    dryRun: boolean,
  ): Promise<boolean> {
    const allocation = (await this.rules.allocate!(object, old, this.context(dryRun)))!;
    if (dryRun) return true;
    const key = serviceKey((object ?? old)!.metadata.name!);
    const own: Write = object === undefined ? { key } : { key, value: Buffer.from(JSON.stringify(object)) };
    const conditions: Condition[] = [{ key, revision }, ...allocation.conditions];
    return (await this.#store.transact(conditions, [own, ...allocation.writes])).outcome === 'written';
  }
}
