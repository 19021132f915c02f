import type { Naming } from '#base/naming/naming.ts';
import type { ResourceType, Schema } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { servicesOf } from '../allocation/service-allocation.ts';
import { ServiceRanges } from '../allocation/service-ranges.ts';
import type { KindRules } from '../api/resource-definition.ts';
import { createFeatureGates } from '../config/feature-gates.ts';
import { kindRules } from '../kinds/index.ts';
import { inStorageVersion } from '../resources/built-in-reading.ts';
import { modelsOf } from '../resources/built-in-resources.ts';
import { storedValue } from '../verbs/written.ts';

/** The form in which this release stores objects of built-in kinds. */
export class BuiltInForm {
  readonly #naming: Naming;
  readonly #schema: Schema;
  readonly #rules: ReadonlyMap<string, KindRules>;
  readonly #gates = createFeatureGates();

  constructor(naming: Naming, schema: Schema) {
    this.#naming = naming;
    this.#schema = schema;
    // Conversion allocates no addresses, so the ranges of services do not matter.
    const ranges = new ServiceRanges({ clusterIpRanges: [], nodePortRange: [30_000, 32_767], reserveStatic: false });
    this.#rules = kindRules({ ...servicesOf(ranges), eventTtlSeconds: 0 });
  }

  /**
   * The bytes in which today's configuration stores an object that was stored in the version of `from`.
   *
   * @param stored the type in the version that is stored now
   * @param object may be changed
   * @throws DecodeError if a value in the object does not fit its type
   */
  renewed(stored: ResourceType, from: ResourceType, object: ApiObject): Buffer {
    const { group, plural, version, kind } = stored;
    const rules = this.#rules.get(`${group || 'core'}/${plural}`) ?? { group, plural };
    const context = { schema: this.#schema, naming: this.#naming, gates: this.#gates };
    const models = modelsOf(rules, context);
    // It refuses values that do not fit their types, because a conversion would drop them without an error.
    models.get(from.version)!.decode(object as never, {});
    const apiVersion = this.#naming.apiVersion(from.group, from.version);
    const after = inStorageVersion(context, { group: rules.group, rules, models }, apiVersion, object);
    return storedValue(
      { kind, apiVersion: this.#naming.apiVersion(group, version), model: models.get(version)! },
      after,
    );
  }
}
