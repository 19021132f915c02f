import type { Wanted } from '#client/access/grants.ts';
import { Rights } from '#client/access/rights.ts';
import type { Command } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { TabWriter } from '../../output/tab-writer.ts';

export const whoCan: Command = {
  name: 'who-can',
  short: 'Show who may do something, according to roles and their bindings',
  long: 'Show who may do something, according to roles and their bindings. It does not consider other authorization modes, and does not list the members of groups.',
  examples: [
    '# Who may delete pods of the namespace',
    '{} who-can delete pods',
    '',
    '# Who may read one secret, and who may read a URL path',
    '{} who-can get secret/password -n prod',
    '{} who-can get /metrics',
  ].join('\n'),
  usage: 'VERB (TYPE | TYPE/NAME | TYPE NAME | /PATH)',
  flags: [
    {
      name: 'all-namespaces',
      short: 'A',
      type: 'bool',
      help: 'Show who may do it in all namespaces, by cluster role bindings',
    },
    { name: 'no-headers', type: 'bool', help: 'Do not print the header line' },
    { name: 'subresource', type: 'string', help: 'Subresource, such as log or scale' },
  ],
  run: async ({ flags, args, session, io }) => {
    const [verb, what = '', second] = args;
    if (verb === undefined || what === '' || args.length > 3)
      throw new CommandError('you must specify two or three arguments: verb, resource, and optional resourceName');
    let wanted: Wanted;
    let namespaced = false;
    if (what.startsWith('/')) wanted = { verb, path: what };
    else {
      const [word = '', name = second] = what.split('/');
      const type = word === '*' ? undefined : await session.typeNamed(word);
      if (type === undefined && word !== '*')
        throw new CommandError(`the server doesn't have a resource type "${word}"`, {
          hint: 'Use "orchctl api-resources" for a list of all types.',
        });
      namespaced = type?.namespaced ?? true;
      const part = flags.text('subresource');
      const resource = `${type?.plural ?? '*'}${part === '' ? '' : `/${part}`}`;
      wanted = { verb, group: type?.group ?? '*', resource, ...(name === undefined ? {} : { name }) };
    }
    const client = await session.client();
    const within = namespaced && !flags.bool('all-namespaces') ? session.namespace : undefined;
    const rights = await Rights.read(client, within);
    for (const refusal of rights.unread.values()) throw refusal;
    const rows = rights
      .whoCan(wanted)
      .map(({ subject, role, binding }) => [
        subject.kind,
        subject.name,
        subject.namespace,
        `${role.kind}/${role.name}`,
        `${binding.kind}/${binding.name}`,
      ]);
    if (rows.length === 0) {
      io.err.write('No binding allows it to any user.\n');
      return 1;
    }
    const writer = new TabWriter();
    if (!flags.bool('no-headers')) writer.line(['KIND', 'SUBJECT', 'NAMESPACE', 'ROLE', 'BINDING']);
    for (const row of rows.sort((a, b) => (a.join(' ') < b.join(' ') ? -1 : 1))) writer.line(row);
    io.out.write(writer.flush());
    return undefined;
  },
};
