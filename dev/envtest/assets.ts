import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '#base/errors/config-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { makeFolder } from '#program/files/make-folder.ts';

/** The naming of the programs that look for such a folder. */
export const FIELD = createNaming('kubernetes');

/** The arguments with which the programs of an assets folder start `orch-dev`. */
export const STAND_IN = { server: 'envtest-server', etcd: 'envtest-etcd' } as const;

/**
 * Writes the programs that test suites of the field's controllers start: the API server, a substitute for etcd, and the
 * command line. They are small scripts that run this build. Returns the absolute path of the folder.
 *
 * @param built the folder of the build, `dist`
 * @param serverFlags flags that the API server gets at each start, before the flags of the tests
 * @throws ConfigError if the folder cannot be written
 */
export function writeAssets(folder: string, built: string, serverFlags: readonly string[]): string {
  const at = path.resolve(folder);
  const dev = path.join(built, 'dev/main.js');
  const programs: readonly (readonly [name: string, ...command: string[]])[] = [
    [FIELD.prefixed('apiserver'), dev, STAND_IN.server, ...serverFlags],
    ['etcd', dev, STAND_IN.etcd],
    [FIELD.commandLine, path.join(built, 'cli/main.js')],
  ];
  try {
    makeFolder(at);
    for (const [name, ...command] of programs) {
      const words = [process.execPath, ...command].map(quoted).join(' ');
      writeFileSync(path.join(at, name), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
    }
  } catch (error) {
    throw new ConfigError(`cannot write the assets: ${(error as Error).message}`);
  }
  return at;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
