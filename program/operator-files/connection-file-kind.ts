import { validate } from './generated/connection-file.js';
import type { OperatorKind } from './operator-kind.ts';
import type { ValueOf } from './schema.ts';
import type { schemas } from './schemas/all.ts';

/**
 * The schema of connection files: servers and credentials. It is separate from the other kinds, because the command
 * line loads only this one.
 */
export const connectionFile: OperatorKind<ValueOf<(typeof schemas)['connectionFile']>> = {
  forms: [{ kind: 'Config', group: '', versions: ['v1'] }],
  headMayBeMissing: true,
  validate,
};
