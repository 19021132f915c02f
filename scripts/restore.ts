import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, copyFileSync, existsSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Compose, patiently } from './compose.ts';
import { MEMBERS, REPLICAS } from './compose-services.ts';

const USAGE = `Puts a snapshot of etcd back into the deployment of deploy/compose.yaml:
  make restore [SNAPSHOT=deploy/data/etcd1/backup.db] [FLAGS=…]
New data is made for all members first, with the tools in the image of etcd (ETCD_IMAGE); where that fails nothing has been
changed. Then everything is stopped, the data is put in place, and everything is started again. What was there before stays
beside it as before-TIME.
Revisions are raised above those that clients have seen: by the tools where they can, else by orch-storage raise.
  --above    a revision that clients have seen, where no member of etcd is left to say it
  --as-is    with tools that cannot raise revisions, leave them as they are`;

/**
 * The number of revisions by which the snapshot is raised above the current one at first. Every revision costs time. If
 * clients write more than these before the replicas are stopped, the snapshot is raised once more.
 */
const ROOM = 2_000;

/** How long a cluster may take to be healthy again, in seconds. */
const HEALTHY_WITHIN = 120;

const { values } = parseArgs({
  options: {
    snapshot: { type: 'string' },
    above: { type: 'string' },
    'as-is': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** A program in the image of etcd that makes data from snapshots. */
interface RestoreTool {
  readonly program: string;
  /** Whether it can continue the restored data's revisions above those that clients have seen. */
  readonly raises: boolean;
}

async function main(): Promise<void> {
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const compose = new Compose();
  const data = (member: string, ...names: string[]) => path.join(compose.state, 'data', member, ...names);
  const snapshot = values.snapshot ?? data('etcd1', 'backup.db');
  if (!existsSync(snapshot)) throw new Error(`There is no snapshot ${snapshot}: name it with SNAPSHOT=file.`);
  for (const member of MEMBERS)
    if (!existsSync(data(member))) throw new Error(`${data(member)} is missing: run make certificates first.`);
  const now = new Date();
  const time = now.toISOString().replaceAll(/[:.]/g, '-');

  const tool = findTool(compose);
  const tools = mkdtempSync(path.join(tmpdir(), 'restore-'));
  try {
    const raises = !tool.raises && !values['as-is'];
    const make = (source: string): void => {
      for (const member of MEMBERS) {
        rmSync(data(member, 'restoring'), { recursive: true, force: true });
        lay(source, data(member));
        makeData(compose, tool, member, now);
        console.log(`The new data of ${member} is made.`);
      }
    };
    const first = raises ? newestRevision(compose, tool.program) + ROOM : 0;
    make(raises ? await raised(compose, tool, snapshot, first, tools) : snapshot);
    compose.run('stop', ...REPLICAS);
    const newest = raises && values.above === undefined ? newestRevision(compose, tool.program) : 0;
    if (newest >= first && raises) {
      console.log(`Clients have written up to revision ${newest} meanwhile.`);
      make(await raised(compose, tool, snapshot, newest + ROOM, tools));
    }
  } catch (error) {
    for (const member of MEMBERS) rmSync(data(member, 'restoring'), { recursive: true, force: true });
    // Replicas that are stopped by now continue with the earlier data.
    compose.attempt('start', ...REPLICAS);
    throw new Error(`${(error as Error).message}\nNothing has been changed: the data is as it was.`);
  } finally {
    rmSync(tools, { recursive: true });
    for (const member of MEMBERS) rmSync(data(member, 'restoring.db'), { force: true });
  }

  compose.run('stop', ...MEMBERS);
  for (const member of MEMBERS) {
    if (existsSync(data(member, 'etcd'))) renameSync(data(member, 'etcd'), data(member, `before-${time}`));
    renameSync(data(member, 'restoring'), data(member, 'etcd'));
  }
  console.log('The new data is in place; starting everything.');
  compose.run('up', '-d');
  for (const service of [...MEMBERS, ...REPLICAS])
    await patiently(`${service} is ready`, HEALTHY_WITHIN, () => compose.serves(service));
  console.log(`Restored ${snapshot}. What was there before is in ${data('etcd*', `before-${time}`)}.`);
  if (!tool.raises && values['as-is'])
    console.log('Revisions are as they were: clients that have seen later ones list again, some only after a restart.');
}

/** The restore tools in the image of etcd. */
function findTool(compose: Compose): RestoreTool {
  const attempts: string[] = [];
  for (const program of ['/usr/local/bin/etcdutl', '/usr/local/bin/etcdctl']) {
    const { status, output } = compose.attempt(...inImage(program, 'etcd1'), 'snapshot', 'restore', '--help');
    if (status === 0) return { program, raises: output.includes('--bump-revision') };
    attempts.push(output.split('\n').at(-1) ?? '');
  }
  throw new Error(
    `The image of etcd has neither etcdutl nor etcdctl in /usr/local/bin; published images of etcd have both since 3.5. Set ETCD_IMAGE in deploy/.env to one that has.\n${attempts.join('\n')}`,
  );
}

/** Copies a file to the place where the tools find it: `restoring.db` in the data of a member, owned by its user. */
function lay(file: string, data: string): void {
  const there = path.join(data, 'restoring.db');
  copyFileSync(file, there);
  const { uid, gid } = statSync(data);
  chownSync(there, uid, gid);
}

/**
 * A snapshot with the same content above all revisions that clients have seen. The programs in the image of etcd make
 * it.
 */
async function raised(
  compose: Compose,
  { program }: RestoreTool,
  snapshot: string,
  revision: number,
  tools: string,
): Promise<string> {
  for (const file of ['/usr/local/bin/etcd', program])
    compose.copyFrom('etcd1', file, path.join(tools, path.basename(file)));
  const file = path.join(tools, 'raised.db');
  console.log(`Raising the snapshot to revision ${revision}.`);
  const storage = path.resolve(import.meta.dirname, '../dist/storage/main.js');
  const env = { ...process.env, PATH: [tools, process.env['PATH']].join(path.delimiter) };
  const raising = spawn(process.execPath, [storage, 'raise', snapshot, String(revision), file, '--overwrite'], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [status] = (await once(raising, 'exit')) as [number | null];
  if (status !== 0) throw new Error('The snapshot could not be raised.');
  return file;
}

/**
 * The highest revision that clients may have seen: that of running members, or else that in the data of stopped ones.
 */
function newestRevision(compose: Compose, program: string): number {
  if (values.above !== undefined) {
    if (!/^\d{1,15}$/.test(values.above)) throw new Error(`--above=${values.above} is no revision.`);
    return Number(values.above);
  }
  const said = MEMBERS.flatMap((member) => {
    const command = ['exec', '-T', member, '/usr/local/bin/etcdctl', 'endpoint', 'status', '-w', 'json'];
    const { status, output } = compose.attempt(...command);
    if (status !== 0) return [];
    return (JSON.parse(output) as { Status: { header: { revision: number } } }[]).map(
      (one) => one.Status.header.revision,
    );
  });
  if (said.length > 0) return Math.max(...said);
  const kept = MEMBERS.flatMap((member) => {
    const data = path.join(compose.state, 'data', member);
    const database = path.join(data, 'etcd/member/snap/db');
    if (!existsSync(database)) return [];
    // The tool reads a copy, because the process that owns the database may have it open and not answer.
    lay(database, data);
    const asked = ['snapshot', 'status', '/data/restoring.db', '-w', 'json'];
    const { status, output } = compose.attempt(...inImage(program, member), ...asked);
    return status === 0 ? [(JSON.parse(output) as { revision: number }).revision] : [];
  });
  if (kept.length > 0) return Math.max(...kept);
  throw new Error(
    'No member of etcd says at which revision it is: name one that clients have seen, FLAGS=--above=REVISION.',
  );
}

/** Runs a program of etcd's image beside the data of a member, as its user. */
function inImage(program: string, member: string): string[] {
  return ['run', '--rm', '--no-deps', '-T', '--entrypoint', program, member];
}

/**
 * Makes `restoring/` from `restoring.db` in the data of a member. Every restore makes a cluster of another identity, so
 * that replicas notice, and members of two restores never meet.
 */
function makeData(compose: Compose, tool: RestoreTool, member: string, now: Date): void {
  const run = (...args: string[]) => compose.run(...inImage(tool.program, member), 'snapshot', ...args);
  const raise: string[] = [];
  if (tool.raises) {
    const { revision } = JSON.parse(run('status', '/data/restoring.db', '-w', 'json')) as { revision: number };
    // Revisions become the time in milliseconds: they always increase from one restore to the next, for any snapshots,
    // because no cluster writes a thousand times a second all the time. Clients with older versions have to list again.
    raise.push('--bump-revision', String(Math.max(now.getTime() - revision, 1)), '--mark-compacted');
  }
  run(
    'restore',
    '/data/restoring.db',
    '--data-dir=/data/restoring',
    `--name=${member}`,
    `--initial-cluster=${MEMBERS.map((one) => `${one}=https://${one}:2380`).join(',')}`,
    `--initial-cluster-token=restored-${now.getTime()}`,
    `--initial-advertise-peer-urls=https://${member}:2380`,
    ...raise,
  );
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
