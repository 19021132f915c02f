import { servicesOf } from '../server/allocation/service-allocation.ts';
import { ServiceRanges } from '../server/allocation/service-ranges.ts';
import { inStorageVersion } from '../server/api/built-in-reading.ts';
import { modelsOf } from '../server/api/built-in-resources.ts';
import type { KindRules } from '../server/api/resource-definition.ts';
import { createFeatureGates } from '../server/config/feature-gates.ts';
import { parseStored } from '../server/json/parse-stored.ts';
import { kindRules } from '../server/kinds/index.ts';
import { storedValue } from '../server/registry/written.ts';
import type { ApiObject } from '../server/schema/api-object.ts';
import type { Data } from './data.ts';

/** The form in which this release stores objects of built-in kinds. */
export class StoredForm {
  readonly #data: Data;
  readonly #rules: ReadonlyMap<string, KindRules>;
  readonly #gates = createFeatureGates();

  constructor(data: Data) {
    this.#data = data;
    // Conversions allocate nothing, so which ranges services have does not matter.
    const ranges = new ServiceRanges({ clusterIpRanges: [], nodePortRange: [30_000, 32_767], reserveStatic: false });
    this.#rules = kindRules({ ...servicesOf(ranges), eventTtlSeconds: 0 });
  }

  /** The value of an object that is stored in another version of its kind, as this release would store it; undefined where
   * it is in the right one, or what it is is not known. Throws where it is no such object. */
  renewed(id: string, plain: Buffer): Buffer | undefined {
    const { builtIn: all, naming, schema } = this.#data;
    const builtIn = all.get(id);
    if (builtIn === undefined || builtIn.versions.size < 2) return undefined;
    const object = parseStored<ApiObject>(plain);
    const { apiVersion = '' } = object;
    const from = builtIn.versions.get(apiVersion);
    if (from === undefined || apiVersion === builtIn.apiVersion || object.kind !== from.kind) return undefined;
    const [group = '', plural = ''] = id.split('/');
    const rules = this.#rules.get(id) ?? { group: group === 'core' ? '' : group, plural };
    const context = { schema, naming, gates: this.#gates };
    const models = modelsOf(rules, context);
    const model = models.get(builtIn.type.version)!;
    // what its message does not have would be lost without a word
    models.get(from.version)!.decode(object as never, {});
    const after = inStorageVersion(context, { group: rules.group, rules, models }, apiVersion, object);
    return storedValue({ kind: builtIn.type.kind, apiVersion: builtIn.apiVersion, model }, after);
  }
}
