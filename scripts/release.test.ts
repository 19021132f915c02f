import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };

describe('CHANGELOG.md', () => {
  it('names the version of package.json', () => {
    assert.match(readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8'), new RegExp(`^## ${version}\\b`, 'm'));
  });
});
