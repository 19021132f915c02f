import { jsonEqual } from '#base/json/json-equal.ts';
import { isGone } from '#client/errors.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
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
  long: 'Show the versions of an object that are still kept, newest first: who wrote each, and what it changed.\n\n The server keeps the past for some minutes. "{} get --at=VERSION" shows an object as it was.',
  examples: '# Who has changed a deployment of late\n{} history deployment web',
  usage: '(TYPE NAME | TYPE/NAME)',
  flags: [
    { name: 'limit', type: 'int', default: 50, help: 'Show at most this many versions' },
    { name: 'no-headers', type: 'bool', help: 'Leave out the line of headings' },
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
    let newer: ApiObject | undefined = await resource.get(name).catch((error) => explainMissing(client, target, error));
    let end = '';
    for (let many = 0; newer !== undefined && many < flags.int('limit'); many++) {
      const version: string = newer.metadata.resourceVersion ?? '';
      const fieldSelector = `metadata.name=${name}`;
      const before = await resource
        .list({ fieldSelector, resourceVersion: String(Number(version) - 1), resourceVersionMatch: 'Exact' })
        .catch((error: unknown) => {
          if (isGone(error)) return undefined;
          throw error;
        });
      const older: ApiObject | undefined = before?.items[0];
      const { manager, time } = lastWrite(newer, older);
      const age = time === undefined ? '<unknown>' : formatAge(io.now() - Date.parse(time));
      const what =
        older === undefined ? (before === undefined ? '…' : '(created)') : changedPaths(older, newer).join(' ');
      writer.line([version, age, manager, what || '(nothing that shows)']);
      if (before === undefined) end = 'What was before is no longer kept.\n';
      newer = older;
    }
    io.out.write(writer.flush());
    io.err.write(end);
    return undefined;
  },
};

/**
 * Who wrote last, and when, by the managed fields. A manager that only lost fields to another one has an older time.
 */
function lastWrite(newer: ApiObject, older: ApiObject | undefined): { manager: string; time: string | undefined } {
  const id = ({ manager, operation, subresource }: Entry) => `${manager} ${operation} ${subresource ?? ''}`;
  const before = new Map((older?.metadata.managedFields ?? []).map((entry) => [id(entry), entry]));
  const changed = (newer.metadata.managedFields ?? []).filter((entry) => !jsonEqual(entry, before.get(id(entry))));
  const wrote = changed.filter((entry) => entry.time !== before.get(id(entry))?.time);
  const entries = wrote.length > 0 ? wrote : changed;
  const managers = new Set(
    entries.map(({ manager, subresource }) => `${manager}${subresource ? ` (${subresource})` : ''}`),
  );
  const times = entries.map(({ time }) => String(time ?? '')).filter((time) => time !== '');
  const created = older === undefined ? (newer.metadata.creationTimestamp ?? undefined) : undefined;
  return { manager: [...managers].join(', ') || '<unknown>', time: times.sort().at(-1) ?? created };
}

type Entry = NonNullable<ApiObject['metadata']['managedFields']>[number];
