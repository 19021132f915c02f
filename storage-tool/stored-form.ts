import { parseStored } from '#base/json/parse-stored.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { servicesOf } from '#server/allocation/service-allocation.ts';
import { ServiceRanges } from '#server/allocation/service-ranges.ts';
import type { KindRules } from '#server/api/resource-definition.ts';
import { createFeatureGates } from '#server/config/feature-gates.ts';
import { kindRules } from '#server/kinds/index.ts';
import { inStorageVersion } from '#server/resources/built-in-reading.ts';
import { modelsOf } from '#server/resources/built-in-resources.ts';
import { storedValue } from '#server/verbs/written.ts';
import type { BuiltIn, Data } from './data.ts';
import type { DefinedKind, Definitions } from './definitions.ts';

/** A value as it would be stored today. */
export interface Renewed {
  readonly value: Buffer;
  /** The definition that says so; undefined for built-in kinds. */
  readonly by: DefinedKind | undefined;
}

/** The form in which objects are stored: those of built-in kinds by this release, others as their definitions say. */
export class StoredForm {
  readonly #data: Data;
  readonly #definitions: Definitions;
  readonly #rules: ReadonlyMap<string, KindRules>;
  readonly #gates = createFeatureGates();

  constructor(data: Data, definitions: Definitions) {
    this.#data = data;
    this.#definitions = definitions;
    // Conversions allocate nothing, so which ranges services have does not matter.
    const ranges = new ServiceRanges({ clusterIpRanges: [], nodePortRange: [30_000, 32_767], reserveStatic: false });
    this.#rules = kindRules({ ...servicesOf(ranges), eventTtlSeconds: 0 });
  }

  /**
   * The value of an object that is stored in another version of its kind, as it would be stored today; undefined where
   * it is in the right one, or what it is is not known. Rejects where it is no such object, or its definition's webhook
   * does not convert it.
   */
  async renewed(id: string, plain: Buffer): Promise<Renewed | undefined> {
    const builtIn = this.#data.builtIn.get(id);
    if (builtIn !== undefined) {
      const value = this.#builtIn(id, builtIn, plain);
      return value && { value, by: undefined };
    }
    const defined = this.#definitions.of(id);
    if (defined === undefined) return undefined;
    const value = await this.#defined(defined, plain);
    return value && { value, by: defined };
  }

  async #defined(defined: DefinedKind, plain: Buffer): Promise<Buffer | undefined> {
    const { kind, apiVersion, models } = defined;
    const object = parseStored<ApiObject>(plain);
    if (object.apiVersion === apiVersion || object.kind !== kind) return undefined;
    // as what is read, and written again: completed in its version, converted, and completed in the new one
    models.get(object.apiVersion ?? '')?.renew?.(object);
    const after = await defined.convert(object);
    const model = models.get(apiVersion)!;
    model.renew?.(after);
    return storedValue({ kind, apiVersion, model }, after);
  }

  #builtIn(id: string, builtIn: BuiltIn, plain: Buffer): Buffer | undefined {
    const { naming, schema } = this.#data;
    if (builtIn.versions.size < 2) return undefined;
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
