import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The TypeScript file of `examplesText`: manifests of `proto/examples/` as a JSON text, by `APIVERSION KIND`. */
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
