import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DiscoveredType } from '../../client/discovery/discovered.ts';
import type { ApiObject } from '../../server/schema/api-object.ts';
import { warnIfDeleting } from '../apply/apply.ts';
import { allowlistFlag, leftOver, typesOf } from '../apply/prune.ts';
import { masked } from '../diff/mask.ts';
import { runDiff } from '../diff/run-diff.ts';
import { versionsOf } from '../diff/would-be.ts';
import type { Command, Invocation } from '../frame/command.ts';
import { CommandError, throwAll, UsageError } from '../frame/errors.ts';
import { withoutManaged } from '../output/printer.ts';
import { toYaml } from '../output/yaml.ts';
import { fieldManagerFlag, fileFlags, labelSelectorFlag, namesFiles } from '../resources/flags.ts';
import { select } from '../resources/selection.ts';

export const diff: Command = {
  name: 'diff',
  short: 'Diff the live version against a would-be applied version',
  long: 'Diff configurations specified by file name or stdin between the current online configuration, and the configuration as it would be if applied.\n\n The output is always YAML. ORCHCTL_EXTERNAL_DIFF names another program than "diff -u -N", with its flags; it gets two folders.\n\n Exit status: 0 No differences were found. 1 Differences were found. >1 Something failed.',
  examples: [
    '# What a file would change',
    '{} diff -f pod.json',
    '',
    '# What another program writes',
    'cat service.yaml | {} diff -f -',
  ].join('\n'),
  usage: '-f FILENAME',
  flags: [
    fieldManagerFlag('orchctl-client-side-apply'),
    { name: 'concurrency', type: 'int', default: 1, help: 'Accepted for compatibility: objects are looked at in turn' },
    ...fileFlags,
    { name: 'force-conflicts', type: 'bool', help: 'With --server-side, take over fields that others manage' },
    { name: 'prune', type: 'bool', help: 'Show also what apply --prune would delete' },
    allowlistFlag,
    labelSelectorFlag,
    { name: 'server-side', type: 'bool', help: 'Let the server merge, by who manages which field' },
    { name: 'show-managed-fields', type: 'bool', help: 'Show also who manages which fields' },
  ],
  failureCode: 2,
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const { flags, args, session, io } = invocation;
  if (args.length > 0) throw new UsageError(`Unexpected args: [${args.join(' ')}]`);
  if (!namesFiles(flags)) throw new CommandError('must specify one of -f and -k');
  if (flags.bool('force-conflicts') && !flags.bool('server-side'))
    throw new CommandError('--force-conflicts only works with --server-side');
  if (flags.bool('prune')) await typesOf(invocation);
  const selection = await select(session, flags, { args });
  throwAll(selection.errors);
  const folders = ['LIVE-', 'MERGED-'].map((name) => mkdtempSync(path.join(tmpdir(), name))) as [string, string];
  const shown = (object: ApiObject) => toYaml(flags.bool('show-managed-fields') ? object : withoutManaged(object));
  const visited = { uids: new Set<string | undefined>(), namespaces: new Set<string>() };
  const put = (folder: string, file: string, text: string) =>
    writeFileSync(path.join(folder, file), text, { mode: 0o600 });
  let failure: { readonly error: unknown } | undefined;
  try {
    try {
      for (const target of selection.targets) {
        const versions = await versionsOf(invocation, target);
        const { live, merged } = masked(versions);
        if (target.namespace !== undefined) visited.namespaces.add(target.namespace);
        visited.uids.add(live?.metadata.uid);
        const file = fileOf(target.type, merged);
        if (live !== undefined) put(folders[0], file, shown(live));
        put(folders[1], file, shown(merged));
        if (live !== undefined) warnIfDeleting(invocation, live);
      }
    } catch (error) {
      io.signal.throwIfAborted();
      failure = { error };
    }
    if (flags.bool('prune'))
      try {
        for await (const { type, object } of leftOver(invocation, visited))
          put(folders[0], fileOf(type, object), toYaml(masked({ live: undefined, merged: object }).merged));
      } catch (error) {
        io.signal.throwIfAborted();
        io.err.write(`Warning: pruning failed and could not be evaluated: ${(error as Error).message}\n`);
      }
    if (failure !== undefined) throw failure.error;
    return (await runDiff(folders, io)) ? 1 : 0;
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}

function fileOf({ group, version, kind }: DiscoveredType, { metadata }: ApiObject): string {
  const { namespace = '', name = '' } = metadata;
  return [...(group === '' ? [] : [group]), version, kind, namespace, name].join('.').replaceAll('/', '_');
}
