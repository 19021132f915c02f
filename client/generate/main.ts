import { join } from 'node:path';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { ResourceType } from '#schema/descriptors/types.ts';
import { writeFolder } from '#schema/generate/write-folder.ts';

/**
 * Writes two files. `client/generated/resources.ts` has every resource of `proto/` with the type of its objects.
 * `kinds.ts` exports these resources and all types of `proto/`.
 */
function main(): void {
  const folder = join(import.meta.dirname, '../generated');
  const messages = [...loadSchema().messages.values()];
  const resources = messages.flatMap(({ resource }) => resource ?? []);
  const packages = [...new Set(resources.map(({ message }) => message.package))].sort();
  const lines = [
    '// Made by npm run generate from proto/.',
    "import { builtIn } from '../resource-type.ts';",
    ...packages.map((name) => `import type * as ${camelCase(name)}Types from '#schema/generated/${name}.ts';`),
  ];
  for (const name of packages) {
    lines.push('', `/** The types of ${name}. */`, `export const ${camelCase(name)} = {`);
    for (const resource of resources) if (resource.message.package === name) lines.push(`  ${entry(resource)},`);
    lines.push('} as const;');
  }
  writeFolder(folder, [
    ['resources.ts', `${lines.join('\n')}\n`],
    ['kinds.ts', `${doorTo(messages.map((message) => message.package)).join('\n')}\n`],
  ]);
}

function doorTo(packages: readonly string[]): readonly string[] {
  const versioned = [...new Set(packages)].filter((name) => /\.v\d/.test(name)).sort();
  return [
    '// Made by npm run generate from proto/.',
    "export * from './resources.ts';",
    ...versioned.map((name) => `export type * as ${pascalCase(name)} from '#schema/generated/${name}.ts';`),
  ];
}

function pascalCase(name: string): string {
  return name[0]!.toUpperCase() + camelCase(name).slice(1);
}

function entry({ group, version, plural, kind, namespaced, message }: ResourceType): string {
  const type = `${camelCase(message.package)}Types.${message.shortName}`;
  const texts = [group, version, plural, kind].map((text) => `'${text}'`).join(', ');
  return `${plural}: builtIn<${type}>(${texts}, ${namespaced})`;
}

function camelCase(name: string): string {
  return name.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase());
}

main();
