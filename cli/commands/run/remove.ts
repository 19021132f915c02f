import type { DiscoveredType } from '#client/discovery/discovered.ts';
import { isNotFound } from '#client/errors.ts';
import type { DeleteOptions } from '#client/resource-client.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Invocation } from '../../command-line/command.ts';
import { nameOf } from '../../output/printer.ts';
import { deletionsAwaited } from '../delete/await-deletions.ts';

/** Deletes a temporary object (`--rm`), also after Ctrl-C. A missing object counts as deleted. */
export async function remove(
  invocation: Invocation,
  { type, object }: { readonly type: DiscoveredType; readonly object: ApiObject },
  propagationPolicy: DeleteOptions['propagationPolicy'],
): Promise<void> {
  const { flags, session, io } = invocation;
  const { name = '', namespace } = object.metadata;
  const seconds = flags.bool('force') ? 0 : flags.int('grace-period');
  const resource = (await session.client()).resource(type).in(namespace);
  try {
    await resource.delete(name, {
      propagationPolicy,
      ...(seconds < 0 ? {} : { gracePeriodSeconds: seconds }),
      // The deletion has a separate signal, so it runs even after the user has interrupted the command.
      signal: new AbortController().signal,
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return;
  }
  const how = flags.bool('force') ? 'force deleted' : 'deleted';
  if (!flags.bool('quiet')) io.out.write(`${nameOf(object, type).split('/')[0]} "${name}" ${how}\n`);
  if (flags.bool('wait')) {
    const target = { type, namespace, name };
    await deletionsAwaited(invocation, [{ type, object, target }], flags.duration('timeout'));
  }
}
