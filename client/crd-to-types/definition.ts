import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { fieldsIn, isFields, textOf } from '../answers.ts';

/** A JSON object of unknown fields. */
export type Fields = Readonly<Record<string, unknown>>;

/** One version of a type that a definition declares. */
export interface DefinedVersion {
  readonly name: string;
  /** The schema in the form of OpenAPI v3. Without a schema, objects may have any fields. */
  readonly schema: Fields | undefined;
}

/** The parts of a custom type's definition from which types are made. */
export interface Definition {
  /** The full name, such as `gizmos.example.com`. */
  readonly name: string;
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** The served versions, in their order. */
  readonly versions: readonly DefinedVersion[];
}

/** The error about a definition from which no types can be made. The message contains the place and the reason. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';
}

const KIND = /^[A-Z][A-Za-z0-9]*$/;
const WORD = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/**
 * The definitions in a document. The document is one definition or a list of definitions. A document of another kind
 * contains none.
 *
 * @param document a value from JSON or YAML
 * @param where the name of the document in error messages
 * @throws DefinitionError
 */
export function definitionsIn(document: unknown, where: string): readonly Definition[] {
  if (!isFields(document)) return [];
  const kind = textOf(document['kind']);
  if (kind.endsWith('List')) return fieldsIn(document['items']).flatMap((item) => definitionsIn(item, where));
  const groups = namingProfiles.map((profile) => createNaming(profile).group('apiextensions'));
  const [group = '', version] = textOf(document['apiVersion']).split('/');
  if (kind !== 'CustomResourceDefinition' || !groups.includes(group)) return [];
  if (version !== 'v1') throw new DefinitionError(`${where}: a definition is of version ${version}: convert it to v1`);
  return [readDefinition(document, where)];
}

function readDefinition({ metadata, spec }: Fields, where: string): Definition {
  const name = isFields(metadata) ? textOf(metadata['name']) : '';
  const fail = (what: string): never => {
    throw new DefinitionError(`${where}: the definition ${JSON.stringify(name)} has no usable ${what}`);
  };
  if (!isFields(spec) || !isFields(spec['names'])) return fail('spec');
  const { kind, plural } = spec['names'];
  const group = textOf(spec['group']);
  if (typeof kind !== 'string' || !KIND.test(kind)) return fail('spec.names.kind');
  if (typeof plural !== 'string' || !WORD.test(plural)) return fail('spec.names.plural');
  if (!WORD.test(group)) return fail('spec.group');
  const versions = fieldsIn(spec['versions'])
    .filter(({ served }) => served !== false)
    .map(({ name: version, schema }) => {
      if (typeof version !== 'string' || !WORD.test(version)) return fail('spec.versions[].name');
      const root = isFields(schema) ? schema['openAPIV3Schema'] : undefined;
      return { name: version, schema: isFields(root) ? root : undefined };
    });
  if (versions.length === 0) return fail('spec.versions');
  return { name, group, plural, kind, namespaced: spec['scope'] === 'Namespaced', versions };
}
