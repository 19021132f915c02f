import { parseStored } from '#base/json/parse-stored.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { BuiltInForm } from '#server/stored-form/built-in-form.ts';
import type { BuiltIn, Data } from './data.ts';
import type { DefinedKind, Definitions } from './definitions.ts';

/** A value in the form in which it would be stored today. */
export interface Renewed {
  readonly value: Buffer;
  /** The definition that decides the form; undefined for built-in kinds. */
  readonly by: DefinedKind | undefined;
}

/** The stored form of objects. This release decides it for built-in kinds, and definitions for all others. */
export class StoredForm {
  readonly #data: Data;
  readonly #definitions: Definitions;
  readonly #builtInForm: BuiltInForm;

  constructor(data: Data, definitions: Definitions) {
    this.#data = data;
    this.#definitions = definitions;
    this.#builtInForm = new BuiltInForm(data.naming, data.schema);
  }

  /**
   * The stored form of an object by today's configuration. Undefined if the object already has the right version, or if
   * its kind is unknown. Rejects if the value is not an object of its kind, or if the webhook of its definition does
   * not convert it.
   */
  async renewed(id: string, plain: Buffer): Promise<Renewed | undefined> {
    const builtIn = this.#data.builtIn.get(id);
    if (builtIn !== undefined) {
      const value = this.#builtIn(builtIn, plain);
      return value && { value, by: undefined };
    }
    const defined = this.#definitions.of(id);
    const value = await defined?.form.renewed(plain);
    return value && { value, by: defined };
  }

  #builtIn({ type, apiVersion, versions }: BuiltIn, plain: Buffer): Buffer | undefined {
    if (versions.size < 2) return undefined;
    const object = parseStored<ApiObject>(plain);
    const from = versions.get(object.apiVersion ?? '');
    if (from === undefined || object.apiVersion === apiVersion || object.kind !== from.kind) return undefined;
    return this.#builtInForm.renewed(type, from, object);
  }
}
