import { createNaming } from '#base/naming/create-naming.ts';
import { defaultRelease } from '#base/release/release.ts';
import { atOnce } from '#base/time/steps.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import { KindTester } from '../../../kinds/testing/kind-tester.ts';
import { createReadMetadata } from '../../schema/read-metadata.ts';
import { createDefinitionRules, definitionErrors } from '../definition-kind.ts';

const naming = createNaming('orch');
const metadata = loadSchema(naming).message('meta.v1.ObjectMeta');
export const context = { naming, release: defaultRelease, readMetadata: createReadMetadata(metadata) };
export const tester = new KindTester(
  {
    ...createDefinitionRules(context),
    validate: (definition) => atOnce(definitionErrors(definition, undefined, context)),
    validateUpdate: (definition, old) => atOnce(definitionErrors(definition, old, context)),
  },
  'apiextensions.v1',
  'CustomResourceDefinition',
);
const open = { openAPIV3Schema: { type: 'object', 'x-orch-preserve-unknown-fields': true } };
export const version = (more: object = {}) => ({ name: 'v1', served: true, storage: true, schema: open, ...more });
export const definition = (spec: object = {}, meta: object = {}) => ({
  metadata: { name: 'widgets.example.com', ...meta },
  spec: {
    group: 'example.com',
    names: { plural: 'widgets', kind: 'Widget' },
    scope: 'Namespaced',
    versions: [version()],
    ...spec,
  },
});
/** The paths of errors. */
export const fields = (errors: readonly string[]) => errors.map((line) => line.slice(0, line.indexOf(': ')));
