import type { Invocation } from '../../command-line/command.ts';
import type { Session } from '../../connection/session.ts';
import { CommandError, throwAll } from '../../framework/errors.ts';
import { found } from '../../resources/found.ts';
import { select } from '../../resources/selection.ts';
import type { EnvVar, KeyRef, ValueFrom } from './containers.ts';

/**
 * A variable for each key of the config map or secret that `--from` names.
 * @throws CommandError if the text is malformed
 */
export async function importedFrom({ flags, session, io }: Invocation): Promise<EnvVar[]> {
  const selection = await select(session, flags.without(['filename', 'kustomize', 'selector']), {
    args: [flags.text('from')],
    typeMeansAll: true,
  });
  const errors: unknown[] = [...selection.errors];
  const env: EnvVar[] = [];
  for await (const { type, object } of found(session, selection, (error) => errors.push(error))) {
    if (!['Secret', 'ConfigMap'].includes(type.kind))
      throw new CommandError('unsupported resource specified in --from');
    const wanted = flags.list('keys');
    for (const key of Object.keys((object['data'] ?? {}) as object).sort()) {
      if (wanted.length > 0 && !wanted.includes(key)) continue;
      const name = key.replaceAll(/[^a-zA-Z0-9_]/g, '_').toUpperCase();
      if (name !== key) io.err.write(`Warning: key ${key} transferred to ${name}\n`);
      const reference = { name: object.metadata.name!, key };
      const valueFrom = type.kind === 'Secret' ? { secretKeyRef: reference } : { configMapKeyRef: reference };
      env.push({ name, valueFrom });
    }
  }
  throwAll(errors);
  return env;
}

/** Describes the reference of a variable. */
export function referenceText({ configMapKeyRef, secretKeyRef, fieldRef, resourceFieldRef }: ValueFrom): string {
  if (configMapKeyRef !== undefined) return `configmap ${configMapKeyRef.name}, key ${configMapKeyRef.key}`;
  if (secretKeyRef !== undefined) return `secret ${secretKeyRef.name}, key ${secretKeyRef.key}`;
  if (fieldRef !== undefined) return `field path ${fieldRef.fieldPath}`;
  if (resourceFieldRef === undefined) return 'invalid valueFrom';
  const container = resourceFieldRef.containerName ? `${resourceFieldRef.containerName}/` : '';
  return `resource field ${container}${resourceFieldRef.resource}`;
}

/** The value of a key of a config map or secret. @throws Error if there is no value */
export async function referredValue(session: Session, namespace: string, from: ValueFrom): Promise<string> {
  const [what, reference]: [string, KeyRef | undefined] =
    from.secretKeyRef === undefined ? ['configmap', from.configMapKeyRef] : ['secret', from.secretKeyRef];
  if (reference === undefined) throw new CommandError(`${referenceText(from)} is known where the pod runs`);
  const type = (await session.typeNamed(`${what}s`))!;
  const object = await (await session.client())
    .resource(type)
    .in(namespace)
    .get(reference.name ?? '');
  const value = ((object['data'] ?? {}) as Readonly<Record<string, string>>)[reference.key];
  if (value === undefined)
    throw new CommandError(
      `key ${reference.key} not found in ${what === 'secret' ? 'secret' : 'config map'} ${reference.name}`,
    );
  return what === 'secret' ? Buffer.from(value, 'base64').toString() : value;
}
