import { atLeast } from '#program/flags/flag-readers.ts';
import type { Flags } from './parse-flags.ts';

/** Settings of operators for reads and writes of objects. */
export interface VerbOptions {
  /** Whether containers may have all rights of the host. */
  readonly allowPrivileged: boolean;
  /** Whether a garbage collector runs. It removes the finalizers that deletions set. */
  readonly collectsGarbage: boolean;
  /** The number of objects of a collection that are deleted at once. */
  readonly deleteWorkers: number;
  /** The shortest lifetime of a watch without a timeout. */
  readonly minWatchSeconds: number;
}

/**
 * Reads the flags of the verbs.
 * @throws ConfigError
 */
export function readVerbs(flags: Flags): VerbOptions {
  return {
    allowPrivileged: flags.get('allow-privileged'),
    collectsGarbage: flags.get('enable-garbage-collector'),
    deleteWorkers: atLeast(1, flags.get('delete-collection-workers'), 'delete-collection-workers'),
    minWatchSeconds: atLeast(1, flags.get('min-request-timeout'), 'min-request-timeout'),
  };
}
