import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packages } from '#scripts/rooms.ts';

const root = new URL('../../', import.meta.url).pathname;
const vendorWord = /kubernetes|k8s|kubectl|kubeadm|\bkube\b|\bkube[-_](?!config\b)/i;

/** Where such words may stand all the same. */
const reasons: readonly (readonly [file: RegExp, line: RegExp, why: string])[] = [
  [/^base\/naming\//, /./, 'the words of both profiles'],
  [/\.(test|e2e)\.ts$|\/testing\/|^e2e\//, /./, 'tests, many of them with the upstream client'],
  [/^server\/kinds\/apiregistration\/api-service\.ts$/, /legacy kube/, 'a refusal that clients know by its text'],
  [/^server\/openapi\/document-parts\.ts$/, /Kubernetes CRD Swagger/, 'the title of documents, whatever the product'],
  [/^cli\/commands\/describe\/node\//, /kubeProxyVersion/, 'a field of nodes that is called so in both profiles'],
  [
    /./,
    /createNaming\('kubernetes'\)|=== 'kubernetes'|NAMING=kubernetes|--naming=kubernetes/,
    'the name of the profile',
  ],
];

/** Sources of programs, and the descriptions that documents of the interface repeat. */
function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (entry.name !== 'node_modules' && entry.name !== 'generated') yield* sources(path);
    } else if (/\.(ts|proto)$/.test(entry.name)) yield path;
  }
}

describe('vendor words', () => {
  it('stand in base/naming alone', () => {
    const folders = [...packages.map(({ folder }) => folder), 'proto', 'scripts', 'deploy'];
    const found: string[] = [];
    for (const file of folders.flatMap((folder) => [...sources(folder)]))
      for (const [index, line] of readFileSync(join(root, file), 'utf8').split('\n').entries())
        if (vendorWord.test(line) && !reasons.some(([where, what]) => where.test(file) && what.test(line)))
          found.push(`${file}:${index + 1}: ${line.trim()}`);
    assert.deepEqual(found, []);
  });
});
