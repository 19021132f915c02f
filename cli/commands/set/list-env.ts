import { cloneJson } from '#base/json/clone-json.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Invocation } from '../../command-line/command.ts';
import { throwAll } from '../../framework/errors.ts';
import type { Found } from '../../resources/found.ts';
import { foundToSet, selectToSet } from './change-objects.ts';
import type { Container } from './containers.ts';
import { referenceText, referredValue } from './env-sources.ts';

/**
 * Shows the variables that containers would have after the changes.
 * @param apply makes the changes and returns the containers
 */
export async function listEnv(
  invocation: Invocation,
  words: readonly string[],
  apply: (object: ApiObject, one: Found) => readonly Container[],
): Promise<undefined> {
  const { flags, session, io } = invocation;
  const selection = await selectToSet(invocation, words);
  const errors: unknown[] = [...selection.errors];
  for await (const one of foundToSet(invocation, selection, errors)) {
    const changed = cloneJson(one.object);
    const failures = new Map<string, string[]>();
    for (const { name, env = [] } of apply(changed, one)) {
      io.out.write(`# ${one.type.kind} ${changed.metadata.name}, container ${name}\n`);
      for (const { name: key, value, valueFrom } of env) {
        if (valueFrom === undefined) {
          io.out.write(`${key}=${value ?? ''}\n`);
          continue;
        }
        const resolved = !flags.bool('resolve')
          ? undefined
          : await referredValue(session, changed.metadata.namespace ?? session.namespace, valueFrom).catch(
              (error: Error) => {
                failures.set(error.message, [...(failures.get(error.message) ?? []), key]);
                return undefined;
              },
            );
        io.out.write(resolved === undefined ? `# ${key} from ${referenceText(valueFrom)}\n` : `${key}=${resolved}\n`);
      }
    }
    for (const [message, keys] of failures)
      io.err.write(`error retrieving reference for ${keys.join(', ')}: ${message}\n`);
  }
  throwAll(errors);
  return undefined;
}
