import { cloneJson } from '#base/json/clone-json.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Schema } from '#schema/descriptors/types.ts';
import type { CustomResourceDefinition, JSONSchemaProps } from '#schema/generated/apiextensions.v1.ts';
import { customKind } from '#server/custom-resources/kinds/custom-kind.ts';
import { CustomModel } from '#server/custom-resources/kinds/custom-model.ts';
import { documentedKind } from '#server/custom-resources/kinds/documented-kind.ts';
import { SchemaCache } from '#server/custom-resources/kinds/schema-cache.ts';
import { createReadMetadata } from '#server/custom-resources/schema/read-metadata.ts';
import type { CustomResource } from '#server/resources/custom-resource.ts';

const VERSION = 'v1';

/** The schema of a book. */
const SCHEMA: JSONSchemaProps = {
  type: 'object',
  required: ['spec'],
  properties: {
    spec: {
      type: 'object',
      required: ['title'],
      properties: {
        title: { type: 'string', minLength: 1 },
        pages: { type: 'integer', minimum: 1 },
        language: { type: 'string', default: 'en' },
      },
    },
  },
};

function definitionOf(group: string): CustomResourceDefinition {
  const names = { plural: 'books', singular: 'book', kind: 'Book', listKind: 'BookList' };
  const additionalPrinterColumns = [{ name: 'Title', type: 'string', jsonPath: '.spec.title' }];
  const version = { name: VERSION, served: true, storage: true, additionalPrinterColumns };
  return {
    metadata: { name: `books.${group}` },
    spec: { group, scope: 'Namespaced', names, versions: [version] },
    status: { acceptedNames: names, conditions: [], storedVersions: [VERSION] },
  };
}

/** The single kind of the extension server, as a definition would describe it. */
export function books(group: string, naming: Naming, schema: Pick<Schema, 'message'>): CustomResource {
  const metadata = schema.message('meta.v1.ObjectMeta');
  const compiled = new SchemaCache(naming.extensionPrefix, metadata).get('books', () => SCHEMA);
  const source = {
    kind: 'Book',
    version: VERSION,
    schema: () => compiled.structural,
    applySchema: () => compiled.applySchema,
  };
  const named = { group, version: VERSION, kind: 'Book' };
  const documented = documentedKind(named, naming.extensionPrefix, {
    read: () => cloneJson(SCHEMA),
    hash: () => JSON.stringify(SCHEMA),
    selectableFields: () => [],
    isLarge: () => false,
  });
  const model = new CustomModel(source, createReadMetadata(metadata), documented);
  return customKind(definitionOf(group), { naming, model: () => model }, {});
}
