import { validate } from './generated/connection-file.js';
import type { OperatorKind } from './operator-kind.ts';
import type { ValueOf } from './schema.ts';
import type { schemas } from './schemas/all.ts';

/**
 * How to reach servers, and with which credentials. It stands apart from the other kinds, of which the command line
 * loads none.
 */
export const connectionFile: OperatorKind<ValueOf<(typeof schemas)['connectionFile']>> = {
  forms: [{ kind: 'Config', group: '', versions: ['v1'] }],
  headMayBeMissing: true,
  validate,
};
