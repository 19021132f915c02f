import { timerMs } from '#base/time/longest-timer.ts';
import { isNotFound } from '#client/errors.ts';
import type { Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { isForPeople } from '../../framework/io.ts';
import { nameOf } from '../../output/printer.ts';
import type { Found } from '../../resources/found.ts';

/** The pauses between checks, in milliseconds. The first pauses are short, because most objects are deleted at once. */
const LOOKS = [0, 50, 100, 200, 400, 1000];

/** The number of milliseconds after which a hint says what the command waits for. */
const PATIENCE = 2000;

/**
 * Resolves when all objects are deleted. An object also counts as deleted if a later object with the same name has
 * replaced it.
 * @param timeoutMs 0 means no limit
 * @throws CommandError after the timeout
 */
export async function deletionsAwaited(
  { session, io }: Invocation,
  objects: readonly Found[],
  timeoutMs: number,
): Promise<void> {
  if (objects.length === 0) return;
  const client = await session.client();
  const began = performance.now();
  let explained = !isForPeople(io);
  for (const { type, object, target } of objects) {
    const { name, namespace = target.namespace, uid } = object.metadata;
    for (let look = 0; ; look++) {
      io.signal.throwIfAborted();
      await pause(LOOKS[Math.min(look, LOOKS.length - 1)]!, io.signal);
      const there = await client
        .resource(type)
        .in(type.namespaced ? namespace : undefined)
        .get(name!)
        .catch((error: unknown) => {
          if (isNotFound(error)) return undefined;
          throw error;
        });
      if (there === undefined || (uid !== undefined && there.metadata.uid !== uid)) break;
      const waited = performance.now() - began;
      if (timeoutMs > 0 && waited > timeoutMs)
        throw new CommandError(`timed out waiting for the condition on ${type.plural}/${name}`);
      if (explained || waited < PATIENCE) continue;
      explained = true;
      const finalizers = there.metadata.finalizers ?? [];
      const why = finalizers.length === 0 ? '' : ` (finalizers: ${finalizers.join(', ')})`;
      io.err.write(
        `Waiting for ${nameOf(there, type)} to be gone${why}; Ctrl-C stops the waiting, not the deletion.\n`,
      );
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, timerMs(ms));
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}
