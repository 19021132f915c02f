import { cloneJson } from '#base/json/clone-json.ts';
import { ApiError, isConflict } from '#client/errors.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson } from '#schema/objects/as-json.ts';
import { ask } from '../../framework/ask.ts';
import { CommandError } from '../../framework/errors.ts';
import type { Flags } from '../../framework/flag.ts';
import type { Io } from '../../framework/io.ts';
import type { OnServer } from './migrate.ts';
import { removeField } from './without-field.ts';

/** The ways to treat fields that other managers own. */
const WAYS = ['ask', 'force', 'skip'] as const;
type Way = (typeof WAYS)[number] | 'stop';

export const onConflictFlag = {
  name: 'on-conflict',
  type: 'string',
  help: 'With --server-side, what to do with fields of other managers: ask, force (overwrite) or skip (do not change)',
} as const;

/**
 * How the flags ask to resolve conflicts. Without such a flag, a conflict is an error.
 * @throws CommandError for a wrong value
 */
export function wayOf(flags: Flags): Way {
  const text = flags.text(onConflictFlag.name);
  if (text === '') return flags.bool('force-conflicts') ? 'force' : 'stop';
  const way = WAYS.find((one) => one === text);
  if (way === undefined)
    throw new CommandError(`--on-conflict must be ${WAYS.join(', ')}, not ${JSON.stringify(text)}`);
  if (flags.bool('force-conflicts'))
    throw new CommandError('cannot set --force-conflicts and --on-conflict at the same time');
  return way;
}

/**
 * Applies an object on the server, and applies it again if a conflict can be resolved. Resolves to the last applied
 * configuration and the changed object.
 * @throws CommandError if the conflict cannot be resolved
 * @throws ApiError if the error is not a conflict
 */
export async function applyResolving(
  io: Io,
  asked: OnServer,
  way: Way,
): Promise<{ readonly onServer: OnServer; readonly applied: ApiObject }> {
  let onServer: OnServer = { ...asked, options: { ...asked.options, force: way === 'force' } };
  for (;;) {
    try {
      return { onServer, applied: await onServer.resource.apply(onServer.target.object!, onServer.options) };
    } catch (error) {
      if (!(error instanceof ApiError) || !isConflict(error)) throw error;
      const chosen = way === 'ask' ? await askFor(io, error) : way;
      if (chosen === 'force') onServer = { ...onServer, options: { ...onServer.options, force: true } };
      else if (chosen === 'skip') onServer = skipping(io, onServer, error);
      else throw way === 'ask' ? new CommandError(`${error.message}\nNothing was applied.`) : explainConflict(error);
    }
  }
}

async function askFor(io: Io, { message }: ApiError): Promise<Way> {
  io.err.write(`${message}\n`);
  const answer = await ask(io, io.err, 'Overwrite these fields (f), skip them (s), or apply nothing (n)? ');
  return WAYS.find((way) => way !== 'ask' && (answer === way || answer === way.charAt(0))) ?? 'stop';
}

/** The same object without the fields that other managers own. @throws CommandError if no field can be left out */
function skipping(io: Io, onServer: OnServer, error: ApiError): OnServer {
  const object = cloneJson(onServer.target.object!);
  const left = new Set(
    (error.status.details?.causes ?? [])
      .map(({ field = '' }) => field)
      .filter((field) => removeField(asJson(object), field)),
  );
  if (left.size === 0) throw explainConflict(error);
  const name = object.metadata.name ?? '';
  io.err.write(
    `Warning: fields of other managers were not changed in ${object.kind} ${name}: ${[...left].join(', ')}\n`,
  );
  return { ...onServer, target: { ...onServer.target, object } };
}

/** The message of a conflict. It names each manager with its fields, and the three ways to resolve the conflict. */
function explainConflict(error: ApiError): CommandError {
  return new CommandError(
    `${error.message}\nThese fields have other managers. There are three solutions:\n* To overwrite them and become their manager, apply again with --force-conflicts.\n* To keep the values of the other managers, remove the fields from the file.\n* To share them, write their current values into the file: you are their only manager when the\n  other managers no longer set them.`,
  );
}
