import { createHash } from 'node:crypto';
import { parseStored } from '#base/json/parse-stored.ts';
import type { CustomResourceDefinition } from '#schema/generated/apiextensions.v1.ts';
import { type DefinedForm, DefinedForms } from '#server/stored-form/defined-form.ts';
import type { Data } from './data.ts';
import { storedServices } from './stored-services.ts';

const DEFINITIONS = 'apiextensions/customresourcedefinitions/';

/** A kind that a user has defined, from the stored definition. */
export interface DefinedKind {
  readonly form: DefinedForm;
  /** The versions in which objects may be stored, according to the status of the definition. */
  readonly storedVersions: readonly string[];
  /** The key of the definition. `form` is valid while the definition is at this revision. */
  readonly key: string;
  readonly revision: number;
}

/** The stored definitions, read once. */
export class Definitions {
  readonly #kinds: ReadonlyMap<string, DefinedKind>;

  private constructor(kinds: ReadonlyMap<string, DefinedKind>) {
    this.#kinds = kinds;
  }

  static async read(data: Data): Promise<Definitions> {
    const found: { readonly key: string; readonly revision: number; readonly definition: CustomResourceDefinition }[] =
      [];
    await data.each(DEFINITIONS, ({ key, revision, plain }) => {
      if (plain !== undefined) found.push({ key, revision, definition: parseStored(plain) });
    });
    const called = found.flatMap(({ definition }) => definition.spec.conversion?.webhook?.clientConfig?.service ?? []);
    const namespaces = new Set(called.map(({ namespace }) => namespace));
    const forms = new DefinedForms(data.naming, data.schema, await storedServices(data, namespaces));
    const kinds = new Map<string, DefinedKind>();
    for (const { key, revision, definition } of found) {
      const form = forms.of(definition);
      if (form === undefined) continue;
      const { spec, status } = definition;
      const storedVersions = status?.storedVersions ?? [];
      kinds.set(`${data.naming.shortForm(spec.group)}/${spec.names.plural}`, { form, storedVersions, key, revision });
    }
    return new Definitions(kinds);
  }

  /** The kind with this storage id. */
  of(id: string): DefinedKind | undefined {
    return this.#kinds.get(id);
  }

  [Symbol.iterator](): Iterator<readonly [id: string, kind: DefinedKind]> {
    return this.#kinds.entries();
  }

  /**
   * A hash of the definitions with several stored versions. It changes when one of them changes its storage version.
   */
  get digest(): string {
    const several = [...this.#kinds.values()].filter(({ storedVersions }) => storedVersions.length > 1);
    const hash = createHash('sha256');
    for (const {
      form: { name, apiVersion },
    } of several)
      hash.update(`${name} ${apiVersion}\n`);
    return hash.digest('hex');
  }
}
