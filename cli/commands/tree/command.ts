import type { DiscoveredType } from '#client/discovery/discovered.ts';
import type { MetadataObject } from '#client/resource-client.ts';
import type { Command } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { formatAge } from '../../output/age.ts';
import { TabWriter } from '../../output/tab-writer.ts';
import { explainMissing } from '../../resources/found.ts';
import { select } from '../../resources/selection.ts';

/** An object with what belongs to it. */
interface Branch {
  readonly type: DiscoveredType;
  readonly object: MetadataObject;
}

/** Types asked for at once. */
const AT_ONCE = 8;

export const tree: Command = {
  name: 'tree',
  short: 'Show what owns an object, and what belongs to it',
  long: 'Show what owns an object, and what belongs to it, as owner references tell.\n\n Types that you may not list are left out, and named on the error stream.',
  examples: '# A deployment with its replica sets and pods\n{} tree deployment web',
  usage: '(TYPE NAME | TYPE/NAME)',
  flags: [{ name: 'no-headers', type: 'bool', help: 'Leave out the line of headings' }],
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
    const { branches, refused } = await everything(types, async (each) => {
      const found: MetadataObject[] = [];
      for await (const page of client.resource(each).in(namespace).metadataOnly().pages({ limit: 500 }))
        found.push(...page.items);
      return found;
    });
    const byUid = new Map(branches.map((branch) => [branch.object.metadata.uid ?? '', branch]));
    const byOwner = new Map<string, Branch[]>();
    for (const branch of branches)
      for (const { uid } of branch.object.metadata.ownerReferences ?? [])
        byOwner.set(uid, [...(byOwner.get(uid) ?? []), branch]);

    const writer = new TabWriter();
    if (!flags.bool('no-headers')) writer.line(['NAME', 'AGE']);
    const row = (lead: string, branch: Branch) => {
      const { metadata } = branch.object;
      const shown = `${branch.type.kind}/${metadata.name}`;
      const going = metadata.deletionTimestamp ? ' (being deleted)' : '';
      const age = metadata.creationTimestamp
        ? formatAge(io.now() - Date.parse(metadata.creationTimestamp))
        : '<unknown>';
      writer.line([`${lead}${shown}${going}`, age]);
    };
    const owners = ownersOf({ type, object: root }, byUid);
    owners.forEach((owner, at) => {
      row(at === 0 ? '' : `${'   '.repeat(at - 1)}└─ `, owner);
    });
    const depth = owners.length;
    const seen = new Set<string>();
    const below = (branch: Branch, lead: string): void => {
      const { uid = '' } = branch.object.metadata;
      if (seen.has(uid)) return;
      seen.add(uid);
      const own = [...(byOwner.get(uid) ?? [])].sort((a, b) => (label(a) < label(b) ? -1 : 1));
      own.forEach((child, at) => {
        const last = at === own.length - 1;
        row(`${lead}${last ? '└─ ' : '├─ '}`, child);
        below(child, `${lead}${last ? '   ' : '│  '}`);
      });
    };
    row(depth === 0 ? '' : `${'   '.repeat(depth - 1)}└─ `, { type, object: root });
    below({ type, object: root }, '   '.repeat(depth));
    io.out.write(writer.flush());
    if (refused.length > 0) io.err.write(`Left out, since they could not be listed: ${refused.join(', ')}\n`);
    return undefined;
  },
};

function label({ type, object }: Branch): string {
  return `${type.kind}/${object.metadata.name}`;
}

/** Those above, the farthest first; of several owners the one that controls. */
function ownersOf(branch: Branch, byUid: ReadonlyMap<string, Branch>): Branch[] {
  const owners: Branch[] = [];
  for (let current: Branch | undefined = branch; current !== undefined && owners.length < 20; ) {
    const references: readonly { readonly uid: string; readonly controller?: boolean }[] =
      current.object.metadata.ownerReferences ?? [];
    const reference = references.find(({ controller }) => controller === true) ?? references[0];
    const owner: Branch | undefined = reference === undefined ? undefined : byUid.get(reference.uid);
    if (owner === undefined || owners.includes(owner)) break;
    owners.unshift(owner);
    current = owner;
  }
  return owners;
}

async function everything(
  types: readonly DiscoveredType[],
  list: (type: DiscoveredType) => Promise<MetadataObject[]>,
): Promise<{ branches: Branch[]; refused: string[] }> {
  const branches: Branch[] = [];
  const refused: string[] = [];
  let next = 0;
  const work = async () => {
    for (let type = types[next++]; type !== undefined; type = types[next++])
      try {
        for (const object of await list(type)) branches.push({ type, object });
      } catch {
        refused.push(type.plural);
      }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { branches, refused };
}
