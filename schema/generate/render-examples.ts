import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The text of the TypeScript file that exports `examplesText`. This constant is a JSON object with the manifests of
 * `proto/examples/`, each under a key such as `apps/v1 Deployment`.
 */
export function renderExamples(folder: string): string {
  const examples = new Map<string, string>();
  for (const file of readdirSync(folder).sort()) {
    for (const text of readFileSync(join(folder, file), 'utf8').split(/^---\n/m)) {
      const [, apiVersion] = /^apiVersion: (.+)$/m.exec(text) ?? [];
      const [, kind] = /^kind: (.+)$/m.exec(text) ?? [];
      examples.set(`${apiVersion} ${kind}`, text);
    }
  }
  const json = JSON.stringify(Object.fromEntries(examples));
  return `// Made by npm run generate from proto/examples/.\nexport const examplesText: string =\n  ${JSON.stringify(json)};\n`;
}
