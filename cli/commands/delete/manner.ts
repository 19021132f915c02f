import type { DeleteOptions } from '#client/resource-client.ts';
import type { Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import type { Flag } from '../../framework/flag.ts';
import type { DryRun } from '../../write/dry-run.ts';

/** The options of a deletion. */
export interface Manner extends DeleteOptions {
  readonly dryRunKind: DryRun;
  readonly force: boolean;
  readonly ignoreMissing: boolean;
  readonly wait: boolean;
}

/** The flag `--cascade`. */
export const cascadeFlag: Flag = {
  name: 'cascade',
  type: 'string',
  default: 'background',
  optional: 'background',
  help: 'How to delete dependent objects: background (after the object), foreground (before it) or orphan (keep them)',
};

/** The value of `--cascade` as an option of a deletion. @throws CommandError for a wrong value */
export function cascadeOf({ flags, io }: Invocation): DeleteOptions['propagationPolicy'] {
  const text = flags.text('cascade');
  switch (text) {
    case 'background':
      return 'Background';
    case 'foreground':
      return 'Foreground';
    case 'orphan':
      return 'Orphan';
    case 'true':
    case 'false': {
      const instead = text === 'true' ? 'background' : 'orphan';
      io.err.write(
        `warning: --cascade=${text} is deprecated (boolean value) and can be replaced with --cascade=${instead}.\n`,
      );
      return text === 'true' ? 'Background' : 'Orphan';
    }
    default:
      throw new CommandError(`invalid cascade value (${text}). Must be "background", "foreground", or "orphan"`);
  }
}
