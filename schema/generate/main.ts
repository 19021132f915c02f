import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createNaming } from '#base/naming/create-naming.ts';
import { buildSchema } from '../descriptors/build-schema.ts';
import type { MessageType } from '../descriptors/types.ts';
import { factsOf, factsOfKind, viewsOf } from '../words/facts.ts';
import { withColumnWords } from './column-words.ts';
import { readProto } from './read-proto.ts';
import { readWords } from './read-words.ts';
import { renderBounds } from './render-bounds.ts';
import { renderExamples } from './render-examples.ts';
import { renderProtoText } from './render-proto-text.ts';
import { renderStoredKinds } from './render-stored-kinds.ts';
import { renderPackage } from './render-types.ts';
import { renderWords } from './render-words.ts';
import { writeFolder } from './write-folder.ts';

/**
 * Checks `proto/` and writes what is generated from it. `schema/descriptors/generated` gets the descriptors that
 * programs read. `schema/generated` gets a file of TypeScript types for each package, a file of bounds, and a file with
 * the types of stored objects by their storage kind. `schema/words/generated` gets `proto/words/` and
 * `proto/examples/`.
 * @throws ProtoError if a file of `proto/` is wrong
 */
function main(): void {
  const schemaFolder = join(import.meta.dirname, '..');
  const folder = join(schemaFolder, '../proto');
  const files = withColumnWords(readProto(folder), readFileSync(join(folder, 'columns.yaml')));
  const naming = createNaming('orch');
  const schema = buildSchema(files, naming);
  const messages = [...schema.messages.values()];
  const types = files.map(({ package: name }): [file: string, text: string] => {
    const own = messages.filter((message) => message.package === name);
    return [`${name}.ts`, renderPackage(name, own, naming.extensionPrefix)];
  });
  writeFolder(join(schemaFolder, 'descriptors/generated'), [['proto-text.ts', renderProtoText(files)]]);
  const words = readWords(join(folder, 'words'), schema);
  writeFolder(join(schemaFolder, 'words/generated'), [
    ...renderWords(words, factsIn(messages)),
    ['examples-text.ts', renderExamples(join(folder, 'examples'))],
  ]);
  writeFolder(join(schemaFolder, 'generated'), [
    ...types,
    ['bounds.ts', renderBounds(schema)],
    ['stored-kinds.ts', renderStoredKinds(schema)],
  ]);
}

/** All facts that descriptions state. */
function factsIn(messages: readonly MessageType[]): string[] {
  return messages.flatMap((message) => [
    ...factsOfKind(message),
    ...message.jsonFields.map((field) => factsOf(field, viewsOf(message, field.name)).join(' ')),
  ]);
}

main();
