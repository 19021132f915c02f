import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

describe('files for editors', () => {
  it('.nvmrc names the Node.js version of package.json', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
    assert.equal(read('.nvmrc').trim(), dependencies['node']);
  });

  it('.vscode/launch.json starts programs that exist', () => {
    const { configurations } = JSON.parse(read('.vscode/launch.json')) as {
      configurations: { program?: string }[];
    };
    const programs = configurations.flatMap(({ program }) => (program === undefined ? [] : [program]));
    assert.ok(programs.length >= 2);
    for (const program of programs) assert.ok(existsSync(program.replace(/^\$\{workspaceFolder\}/, root)), program);
  });
});
