import type { ResourceShape } from '#schema/descriptors/types.ts';
import { definitionEntries, pathEntries, skeletonV2, skeletonV3 } from './document-parts.ts';
import type { DocumentedResource } from './message-definitions.ts';
import { type Form, reachable } from './model.ts';
import type { OperationsOptions } from './resource-operations.ts';
import { resourcePaths } from './resource-paths.ts';
import { hashOf } from './section-hash.ts';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const VIEWS = ['get', 'patch', 'update'];

/** Sample kinds with every feature of kinds that users define. */
function examples(): DocumentedResource[] {
  return [true, false].map((namespaced) => {
    const type: ResourceShape = {
      group: 'example.com',
      version: 'v1',
      kind: 'Example',
      plural: 'examples',
      singular: 'example',
      namespaced,
      verbs: VERBS,
      shortNames: [],
      categories: [],
      subresources: [
        { name: 'status', kind: 'Example', group: undefined, version: undefined, verbs: VIEWS },
        { name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: VIEWS },
      ],
      columns: [],
      selectableFields: [],
      storage: undefined,
      allowCreateOnUpdate: false,
      unconditionalUpdate: false,
      deleteAnswersObject: false,
      orphanByDefault: false,
      generation: 'content',
      deprecation: undefined,
      removedRelease: undefined,
    };
    const documented = {
      name: 'com.example.v1.Example',
      hash: '',
      schema: async (form: Form) => ({ type: form }),
    };
    return { group: 'example.com', version: 'v1', type, model: { message: undefined, documented } };
  });
}

/**
 * A hash of the OpenAPI text that this build writes for a few examples. It differs between builds that write custom
 * kinds differently. So the hash of a document depends only on its definitions and this edition, and a client that
 * caches a document by its hash never keeps the text of another build.
 */
export async function editionOf(options: OperationsOptions): Promise<string> {
  const texts = [
    JSON.stringify([
      skeletonV2(options.naming, options.schema.release),
      skeletonV3(options.naming, options.schema.release, true),
      options.definitions.wordsHash,
    ]),
  ];
  for (const example of examples()) {
    const paths = resourcePaths(options, example);
    for (const form of ['v2', 'v3'] as const) {
      const entries = [
        ...pathEntries(form, options.naming, paths),
        ...definitionEntries(form, reachable(paths.values())),
      ];
      for (const [name, make] of entries) texts.push(name, JSON.stringify(await make()));
    }
  }
  return hashOf(texts);
}
