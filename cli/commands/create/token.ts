import { ApiError } from '#client/errors.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { isForPeople } from '../../framework/io.ts';
import { outputFlags, printerFor } from '../../output/printer.ts';
import { oneName } from './generator.ts';

/** The kinds to which a token can be bound, with their versions. */
const BOUND: ReadonlyMap<string, string> = new Map([
  ['Node', 'v1'],
  ['Pod', 'v1'],
  ['Secret', 'v1'],
]);

export const token: Command = {
  name: 'token',
  short: 'Request a service account token',
  usage: 'SERVICE_ACCOUNT_NAME',
  examples: '# A token for ten minutes\n{} create token robot --duration 10m',
  flags: [
    { name: 'audience', type: 'strings', help: 'Audience of the token, by default the API server; may be repeated' },
    {
      name: 'bound-object-kind',
      type: 'string',
      help: 'Kind of an object; the token becomes invalid when the object is deleted: Node, Pod or Secret',
    },
    { name: 'bound-object-name', type: 'string', help: 'Name of the object of --bound-object-kind' },
    { name: 'bound-object-uid', type: 'string', help: 'UID of the object of --bound-object-kind' },
    { name: 'duration', type: 'duration', help: 'Lifetime of the token; 0 leaves the choice to the server' },
    ...outputFlags(),
  ],
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, session, io } = invocation;
  const { name } = oneName(invocation, false);
  const [kind, boundName, uid] = ['kind', 'name', 'uid'].map((part) => flags.text(`bound-object-${part}`));
  if (flags.has('duration') && flags.duration('duration') <= 0 && flags.text('duration') !== '0')
    throw new CommandError('--duration must be greater than or equal to 0');
  if (kind === '' && boundName !== '')
    throw new CommandError('--bound-object-name can only be set if --bound-object-kind is provided');
  if (kind === '' && uid !== '')
    throw new CommandError('--bound-object-uid can only be set if --bound-object-kind is provided');
  if (kind !== '' && !BOUND.has(kind!))
    throw new CommandError(`supported --bound-object-kind values are ${[...BOUND.keys()].join(', ')}`);
  if (kind !== '' && boundName === '')
    throw new CommandError('--bound-object-name is required if --bound-object-kind is provided');
  const printer = await printerFor(flags);
  const naming = await session.naming();
  const seconds = Math.floor(flags.duration('duration') / 1000);
  const bound = { apiVersion: BOUND.get(kind!), kind, name: boundName, ...(uid === '' ? {} : { uid }) };
  const request = asObject({
    apiVersion: naming.apiVersion('authentication', 'v1'),
    kind: 'TokenRequest',
    metadata: { creationTimestamp: null },
    spec: {
      audiences: flags.list('audience').length === 0 ? null : flags.list('audience'),
      expirationSeconds: seconds > 0 ? seconds : null,
      boundObjectRef: kind === '' ? null : bound,
    },
  });
  const type = await session.typeNamed('serviceaccounts');
  if (type === undefined) throw new CommandError('the server has no service accounts');
  const accounts = (await session.client()).resource(type).in(session.namespace);
  let answer: ApiObject;
  try {
    answer = await accounts.create(request, { name, subresource: 'token' });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new CommandError(`failed to create token: ${error.message}`);
  }
  const { token: text } = answer['status'] as { readonly token: string };
  // A program that reads the output gets only the token. On a terminal, a line end follows.
  io.out.write(printer === undefined ? `${text}${isForPeople(io) ? '\n' : ''}` : printer.print(answer));
  return undefined;
}
