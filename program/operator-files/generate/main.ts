import { join } from 'node:path';
import { writeFolder } from '#schema/generate/write-folder.ts';
import { schemas } from '../schemas/all.ts';
import { renderValidator } from './render-validator.ts';

const TYPES = `// Made by npm run generate.
import type { Validate } from '../validate.ts';
export declare const validate: Validate;
`;

/**
 * Writes a validator for each schema to `program/operator-files/generated`, in a file with the name of the schema. A
 * program that starts need not compile it.
 */
function main(): void {
  const files = Object.entries(schemas).flatMap(([name, schema]): [file: string, text: string][] => [
    [`${fileNameOf(name)}.js`, renderValidator(schema)],
    [`${fileNameOf(name)}.d.ts`, TYPES],
  ]);
  writeFolder(join(import.meta.dirname, '../generated'), files);
}

function fileNameOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

main();
