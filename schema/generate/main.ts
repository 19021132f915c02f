import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createNaming } from '#base/naming/create-naming.ts';
import { loadSchema } from '../descriptors/load.ts';
import { renderStoredKinds } from './render-stored-kinds.ts';
import { renderPackage } from './render-types.ts';

/**
 * Writes `schema/generated`: a file of TypeScript types for each package of `proto/`, and one that knows the
 * types of stored objects by what they are stored as.
 */
function main(): void {
  const folder = join(import.meta.dirname, '../generated');
  const naming = createNaming('orch');
  const messages = [...loadSchema(naming).messages.values()];
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of new Set(messages.map((message) => message.package))) {
    const own = messages.filter((message) => message.package === name);
    writeFileSync(join(folder, `${name}.ts`), renderPackage(name, own, naming.extensionPrefix));
  }
  writeFileSync(join(folder, 'stored-kinds.ts'), renderStoredKinds(loadSchema(naming)));
}

main();
