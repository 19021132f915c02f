import { readFamilies, type TypedMetadata } from '#client/owned-objects.ts';
import type { MetadataObject } from '#client/resource-client.ts';
import type { Command } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { formatAge } from '../../output/age.ts';
import { TabWriter } from '../../output/tab-writer.ts';
import { explainMissing } from '../../resources/found.ts';
import { select } from '../../resources/selection.ts';

export const tree: Command = {
  name: 'tree',
  short: 'Show what owns an object, and what belongs to it',
  long: 'Show what owns an object, and what belongs to it, according to owner references.\n\n Types that you may not list are left out, and named on the error stream.',
  examples: '# A deployment with its replica sets and pods\n{} tree deployment web',
  usage: '(TYPE NAME | TYPE/NAME)',
  flags: [{ name: 'no-headers', type: 'bool', help: 'Do not print the header line' }],
  run: async ({ flags, args, session, io }) => {
    const { targets } = await select(session, flags, { args, typeMeansAll: false });
    const [target] = targets;
    if (targets.length !== 1 || target?.name === undefined) throw new CommandError('exactly one object must be named');
    const client = await session.client();
    const { type, namespace, name } = target;
    const root = await client
      .resource(type)
      .in(namespace)
      .metadataOnly()
      .get(name)
      .catch((error) => explainMissing(client, target, error));
    const types = (await session.discovered())
      .thatCan('list', 'get')
      .filter((each) => namespace === undefined || each.namespaced);
    const families = await readFamilies(client, { types, namespace, signal: io.signal });

    const writer = new TabWriter();
    if (!flags.bool('no-headers')) writer.line(['NAME', 'AGE']);
    const row = (lead: string, { type: { kind }, object }: TypedMetadata) => {
      const { metadata } = object;
      const shown = `${kind}/${metadata.name}`;
      const going = metadata.deletionTimestamp ? ' (being deleted)' : '';
      const age = metadata.creationTimestamp
        ? formatAge(io.now() - Date.parse(metadata.creationTimestamp))
        : '<unknown>';
      writer.line([`${lead}${shown}${going}`, age]);
    };
    const owners = families.ownersOf(root);
    owners.forEach((owner, at) => {
      row(at === 0 ? '' : `${'   '.repeat(at - 1)}└─ `, owner);
    });
    const depth = owners.length;
    const seen = new Set<string>();
    const below = ({ metadata }: MetadataObject, lead: string): void => {
      const { uid = '' } = metadata;
      if (seen.has(uid)) return;
      seen.add(uid);
      const own = families.ownedBy(uid);
      own.forEach((child, at) => {
        const last = at === own.length - 1;
        row(`${lead}${last ? '└─ ' : '├─ '}`, child);
        below(child.object, `${lead}${last ? '   ' : '│  '}`);
      });
    };
    row(depth === 0 ? '' : `${'   '.repeat(depth - 1)}└─ `, { type, object: root });
    below(root, '   '.repeat(depth));
    io.out.write(writer.flush());
    const refused = [...families.unread.keys()];
    if (refused.length > 0) io.err.write(`Left out, since they could not be listed: ${refused.join(', ')}\n`);
    return undefined;
  },
};
