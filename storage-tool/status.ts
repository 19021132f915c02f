import { sealedWith } from '#program/encryption/sealed-value.ts';
import type { Data } from './data.ts';
import { type Out, tableText } from './output.ts';

interface Counted {
  resource: string;
  objects: number;
  bytes: number;
  readonly versions: Map<string, number>;
  readonly encryption: Map<string, number>;
}

/** Prints the members of etcd, and the objects by resource, with the versions and keys of their stored form. */
export async function status(data: Data, out: Out): Promise<number> {
  const { etcd } = data;
  const members = (await etcd.members()).map(({ address, status: said, problem }) => ({
    address,
    ...(said === undefined
      ? { problem }
      : {
          version: said.version,
          leader: said.leader === said.header.member_id,
          revision: Number(said.header.revision),
          databaseBytes: Number(said.dbSize),
        }),
  }));
  const alarms = await etcd.alarms();
  const counted = new Map<string, Counted>();
  let seen = 0;
  const revision = await data.each('', ({ id, value, plain }) => {
    let one = counted.get(id);
    if (one === undefined) {
      one = { resource: id, objects: 0, bytes: 0, versions: new Map(), encryption: new Map() };
      counted.set(id, one);
    }
    one.objects++;
    one.bytes += value.length;
    add(
      one.versions,
      plain === undefined
        ? '?'
        : (/^\{"kind":"[^"]*","apiVersion":"([^"]*)"/.exec(plain.toString('latin1', 0, 400))?.[1] ?? '?'),
    );
    add(one.encryption, sealedWith(value) ?? 'none');
    out.progress('objects', ++seen);
  });
  const resources = [...counted.values()]
    .sort((a, b) => b.bytes - a.bytes)
    .map((one) => ({
      ...one,
      versions: Object.fromEntries(one.versions),
      encryption: Object.fromEntries(one.encryption),
    }));
  const { prefix, naming } = data;
  const value = { prefix, naming: naming.profile, revision, members, alarms, resources };
  const memberRows = members.map((m) =>
    'version' in m
      ? [m.address, m.version!, m.leader === true ? 'leader' : '', m.revision!, m.databaseBytes!]
      : [m.address, 'does not answer', '', '', ''],
  );
  const text = [
    `prefix ${prefix}, naming ${naming.profile}, revision ${revision}\n\n`,
    tableText(['MEMBER', 'VERSION', 'ROLE', 'REVISION', 'BYTES'], memberRows),
    alarms.length === 0 ? '' : `\nalarms: ${alarms.join(', ')}\n`,
    '\n',
    tableText(
      ['RESOURCE', 'OBJECTS', 'BYTES', 'VERSIONS', 'ENCRYPTION'],
      resources.map((r) => [
        r.resource,
        r.objects,
        r.bytes,
        Object.keys(r.versions).join(','),
        Object.keys(r.encryption).join(','),
      ]),
    ),
  ].join('');
  out.result(value, text);
  return members.some((member) => 'problem' in member) || alarms.length > 0 ? 1 : 0;
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
