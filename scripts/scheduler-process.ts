import type { Naming } from '#base/naming/naming.ts';
import { clientFlags } from './client-flags.ts';
import type { ManagerPlace } from './manager-process.ts';
import type { Pki } from './pki.ts';
import { type Background, startBackground } from './processes.ts';

/** The flags of a scheduler that uses a PKI folder, in which it gets its connection file. */
export function schedulerProcessFlags(naming: Naming, pki: Pki, { apiPort, port }: ManagerPlace): string[] {
  return [
    ...clientFlags(naming, pki, 'scheduler', `scheduler-${port}.conf`, apiPort),
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--client-ca-file=${pki.file('ca.crt')}`,
    `--${naming.prefixed('api-qps')}=0`,
  ];
}

/** As the unit of the scheduler has it: V8 takes this only when a process starts. */
const NODE_FLAGS: readonly string[] = ['--max-semi-space-size=4'];
/** The same as for the API server: see `replica-process.ts`. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' };

/** Starts a built scheduler or simulated nodes, `main`, or their source. */
export function startProgram(
  name: string,
  main: string,
  flags: readonly string[],
  log: string,
  nodeFlags: readonly string[] = [],
): Background {
  return startBackground(name, process.execPath, [...NODE_FLAGS, ...nodeFlags, main, ...flags], log, ENVIRONMENT);
}
