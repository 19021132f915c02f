import assert from 'node:assert/strict';
import { collectDeclarations } from './declarations.ts';

describe('collectDeclarations', () => {
  const collect = (files: Readonly<Record<string, string>>) =>
    Object.fromEntries(collectDeclarations(['client/index.d.ts'], (file) => files[file]!));

  it('collects all files that the entry points reach, with paths instead of package imports', () => {
    const files = {
      'client/index.d.ts': [
        "export { type Naming } from '#base/naming/naming.ts';",
        "export * from './errors.ts';",
        "export declare const text: import('../base/text.ts').Text;",
        "import type { Duplex } from 'node:stream';",
      ].join('\n'),
      'client/errors.d.ts': "import './index.ts';",
      'base/naming/naming.d.ts': 'export interface Naming {}',
      'base/text.d.ts': 'export type Text = string;',
      'server/main.d.ts': '',
    };
    assert.deepEqual(collect(files), {
      'client/index.d.ts': [
        "export { type Naming } from '../base/naming/naming.js';",
        "export * from './errors.js';",
        "export declare const text: import('../base/text.js').Text;",
        "import type { Duplex } from 'node:stream';",
      ].join('\n'),
      'client/errors.d.ts': "import './index.js';",
      'base/naming/naming.d.ts': 'export interface Naming {}',
      'base/text.d.ts': 'export type Text = string;',
    });
  });

  it('refuses imports of files outside of the package', () => {
    assert.throws(
      () => collect({ 'client/index.d.ts': "export * from '../../secret.ts';" }),
      /client\/index\.d\.ts leads out of the package: \.\.\/\.\.\/secret\.ts/,
    );
  });
});
