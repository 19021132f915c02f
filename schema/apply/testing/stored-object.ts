import type { JsonObject } from '#base/json/json-value.ts';
import { loadSchema } from '../../descriptors/load.ts';
import { normalize } from '../../objects/normalize.ts';
import { apply } from '../apply.ts';
import { type ObjectSchema, objectSchemaOf } from '../apply-type.ts';
import { FieldSet } from '../field-set.ts';
import type { Versions } from '../object-schema.ts';
import { managedFieldsOf, trackUpdate } from '../update.ts';

const schema = loadSchema();

/** An object that is written several times, in the same way as the registry but without defaults. */
export class Stored {
  object: JsonObject | undefined;
  seconds = 0;
  readonly #apiVersion: string;
  readonly #message: string;

  constructor(apiVersion: string, message: string) {
    this.#apiVersion = apiVersion;
    this.#message = message;
  }

  #write(manager: string, subresource: string) {
    const message = schema.message(this.#message);
    const versions: Versions = {
      schema: (version): ObjectSchema | undefined =>
        version === this.#apiVersion ? objectSchemaOf(message) : undefined,
      convert: () => undefined,
    };
    const resetFields = subresource === 'status' ? FieldSet.ofMembers(['spec']) : FieldSet.ofMembers(['status']);
    const now = new Date(Date.UTC(2024, 0, 1, 0, 0, this.seconds));
    return { live: this.object, manager, subresource, versions, now, resetFields, apiVersion: this.#apiVersion };
  }

  #canonical(object: JsonObject): JsonObject {
    const canonical = normalize(schema.message(this.#message), object);
    return { apiVersion: this.#apiVersion, kind: this.#message.split('.').at(-1)!, ...canonical };
  }

  /** Restores the part that a write to this subresource must not change. */
  #reset(object: JsonObject, subresource: string): JsonObject {
    const kept = subresource === 'status' ? 'spec' : 'status';
    const value = this.object?.[kept];
    return value === undefined ? object : { ...object, [kept]: value };
  }

  apply(manager: string, config: JsonObject, { force = false, subresource = '' } = {}): boolean {
    const config2 = { apiVersion: this.#apiVersion, ...config };
    const { object, changed } = apply({ ...this.#write(manager, subresource), config: config2, force });
    this.object = this.#reset(this.#canonical(object), subresource);
    return changed;
  }

  update(manager: string, change: JsonObject, { subresource = '' } = {}): void {
    const updated = this.#canonical({ ...this.object, ...change });
    this.object = this.#reset(
      this.#canonical(trackUpdate({ ...this.#write(manager, subresource), updated })),
      subresource,
    );
  }

  /** Managers in order: `m1 Apply @0 {…}`. */
  get managers(): string[] {
    return (managedFieldsOf(this.object!) ?? []).map(({ manager, operation, time, fieldsV1, subresource }) => {
      const through = subresource === undefined ? '' : `/${subresource}`;
      const when = time == null ? '-' : Number(time.slice(17, 19));
      return `${manager} ${operation}${through} @${when} ${JSON.stringify(fieldsV1).replaceAll('"', '').replaceAll('{}', '')}`;
    });
  }
}
