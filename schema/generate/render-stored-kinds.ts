import type { Schema } from '../descriptors/types.ts';

/**
 * The TypeScript file of the type `StoredKinds`: for each stored kind, by storage identity (`core/pods`), the type of
 * its objects in the storage version.
 */
export function renderStoredKinds(schema: Schema): string {
  const imports: string[] = [];
  const members: string[] = [];
  for (const { group, version, resources } of schema.groupVersions) {
    for (const { storage, plural, message } of resources) {
      if (storage === undefined || storage.group !== group || storage.version !== version) continue;
      const name = `${message.shortName}${members.length}`;
      imports.push(`import type { ${message.shortName} as ${name} } from './${message.package}.ts';`);
      members.push(`  '${group === '' ? 'core' : group}/${plural}': ${name};`);
    }
  }
  return [
    '// Made by npm run generate from proto/.',
    ...imports,
    'export interface StoredKinds {',
    ...members,
    '}',
    '',
  ].join('\n');
}
