import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createNaming } from '../../naming/create-naming.ts';
import { loadSchema } from '../load.ts';
import { renderPackage } from './render-types.ts';

/** Writes `server/schema/generated`: a file of TypeScript types for each package of `proto/`. */
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
}

main();
