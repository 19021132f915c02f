import type { Naming } from '#base/naming/naming.ts';
import { clientFlags } from './client-flags.ts';
import type { Pki } from './pki.ts';
import { type Background, startBackground } from './processes.ts';

/**
 * Flags of Node itself: the smallest young generation, because the controller manager's data is old, and it has little
 * young data at a time.
 */
const NODE_FLAGS: readonly string[] = ['--max-semi-space-size=2'];

/** The same as for the API server: see `replica-process.ts`. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' };

export interface ManagerPlace {
  /** Port of the API server on this machine. */
  readonly apiPort: number;
  /** Port for health and metrics. */
  readonly port: number;
}

/** The flags of a controller manager that uses a PKI folder, in which it gets its connection file. */
export function managerProcessFlags(naming: Naming, pki: Pki, { apiPort, port }: ManagerPlace): string[] {
  return [
    ...clientFlags(naming, pki, 'controller-manager', `controller-manager-${port}.conf`, apiPort),
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--client-ca-file=${pki.file('ca.crt')}`,
    `--root-ca-file=${pki.file('ca.crt')}`,
    `--service-account-private-key-file=${pki.file('sa.key')}`,
    `--cluster-signing-cert-file=${pki.file('ca.crt')}`,
    `--cluster-signing-key-file=${pki.file('ca.key')}`,
    '--use-service-account-credentials',
    '--controllers=*,bootstrapsigner,tokencleaner',
  ];
}

/** Starts a built controller manager, `main`, or its source. */
export function startManagerProcess(
  name: string,
  main: string,
  flags: readonly string[],
  log: string,
  moreNodeFlags: readonly string[] = [],
): Background {
  return startBackground(name, process.execPath, [...NODE_FLAGS, ...moreNodeFlags, main, ...flags], log, ENVIRONMENT);
}
