import { lastWrite, pastVersions } from '#client/past-versions.ts';
import type { Command } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { formatAge } from '../../output/age.ts';
import { TabWriter } from '../../output/tab-writer.ts';
import { explainMissing } from '../../resources/found.ts';
import { select } from '../../resources/selection.ts';
import { changedPaths } from './changed-paths.ts';

export const history: Command = {
  name: 'history',
  short: 'Show the versions of an object that are still kept, who wrote them and what they changed',
  long: 'Show the versions of an object that are still kept, newest first: who wrote each, and what it changed.\n\n The server keeps old versions for some minutes. "{} get --at=VERSION" shows an object as it was.',
  examples: '# Who changed a deployment recently\n{} history deployment web',
  usage: '(TYPE NAME | TYPE/NAME)',
  flags: [
    { name: 'limit', type: 'int', default: 50, help: 'Show at most this many versions' },
    { name: 'no-headers', type: 'bool', help: 'Do not print the header line' },
  ],
  run: async ({ flags, args, session, io }) => {
    const { targets } = await select(session, flags, { args, typeMeansAll: false });
    const [target] = targets;
    if (targets.length !== 1 || target?.name === undefined) throw new CommandError('exactly one object must be named');
    const { type, namespace, name } = target;
    const client = await session.client();
    const resource = client.resource(type).in(namespace);
    const writer = new TabWriter();
    if (!flags.bool('no-headers')) writer.line(['VERSION', 'AGE', 'BY', 'CHANGED']);
    const newest = await resource.get(name).catch((error) => explainMissing(client, target, error));
    let end = '';
    let many = 0;
    if (flags.int('limit') > 0)
      for await (const { object, older, isKept } of pastVersions(resource, newest)) {
        const { manager, time } = lastWrite(object, older);
        const age = time === undefined ? '<unknown>' : formatAge(io.now() - Date.parse(time));
        const what = older === undefined ? (isKept ? '(created)' : '…') : changedPaths(older, object).join(' ');
        writer.line([
          object.metadata.resourceVersion ?? '',
          age,
          manager || '<unknown>',
          what || '(nothing that shows)',
        ]);
        if (!isKept) end = 'What was before is no longer kept.\n';
        if (++many >= flags.int('limit')) break;
      }
    io.out.write(writer.flush());
    io.err.write(end);
    return undefined;
  },
};
