import { inParallel } from '#base/time/in-parallel.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, UsageError } from '../../framework/errors.ts';
import {
  allNamespacesFlag,
  fieldManagerFlag,
  fileFlags,
  labelSelectorFlag,
  namesFiles,
} from '../../resources/flags.ts';
import { select } from '../../resources/selection.ts';
import { warnIfDeleting } from '../apply/apply.ts';
import { allowlistFlag, leftOver, typesOf } from '../apply/prune.ts';
import { diffMoments } from './diff-moments.ts';
import { diffOf } from './folders.ts';
import { masked, type Sides } from './mask.ts';
import { versionsOf } from './would-be.ts';

export const diff: Command = {
  name: 'diff',
  short: 'Diff the live version against a would-be applied version',
  long: 'Diff configurations specified by file name or stdin between the current online configuration, and the configuration as it would be if applied.\n\n The output is always YAML. ORCHCTL_EXTERNAL_DIFF names the program to use instead of "diff -u -N", with its flags; the program gets two folders as arguments.\n\n Exit status: 0 No differences were found. 1 Differences were found. >1 Something failed.',
  examples: [
    '# Show what a file would change',
    '{} diff -f pod.json',
    '',
    '# Show the changes of the last five minutes',
    '{} diff deployments --at=5m',
    '',
    '# Show what the output of another program would change',
    'cat service.yaml | {} diff -f -',
  ].join('\n'),
  usage: '(-f FILENAME | TYPE [NAME ...] --at=FROM[..TO])',
  flags: [
    allNamespacesFlag,
    {
      name: 'at',
      type: 'string',
      help: 'Compare two versions of named objects: FROM..TO, or FROM with now; each a resourceVersion or an age (5m)',
    },
    fieldManagerFlag('orchctl-client-side-apply'),
    { name: 'concurrency', type: 'int', default: 1, help: 'Number of objects to compare at the same time' },
    ...fileFlags,
    {
      name: 'force-conflicts',
      type: 'bool',
      help: 'With --server-side, overwrite fields of other managers and become their manager',
    },
    { name: 'prune', type: 'bool', help: 'Show also what apply --prune would delete' },
    allowlistFlag,
    labelSelectorFlag,
    {
      name: 'server-side',
      type: 'bool',
      help: 'Use server-side apply: the server merges the fields by their managers',
    },
    { name: 'show-managed-fields', type: 'bool', help: 'Show also the managed fields' },
    { name: 'show-secrets', type: 'bool', help: 'Show the values of secrets, not only whether they differ' },
  ],
  failureCode: 2,
  run,
};

async function run(invocation: Invocation): Promise<number> {
  const { flags, args, session, io } = invocation;
  if (flags.text('at') !== '') return (await diffMoments(invocation, flags.text('at'))) ? 1 : 0;
  if (args.length > 0) throw new UsageError(`Unexpected args: [${args.join(' ')}]`);
  if (!namesFiles(flags)) throw new CommandError('must specify one of -f and -k');
  if (flags.bool('force-conflicts') && !flags.bool('server-side'))
    throw new CommandError('--force-conflicts only works with --server-side');
  if (flags.bool('prune')) await typesOf(invocation);
  const selection = await select(session, flags, { args });
  if (selection.errors.length > 0) throw selection.errors[0];
  const managers = flags.bool('show-managed-fields');
  const shown = flags.bool('show-secrets') ? (sides: Sides) => sides : masked;
  const differ = await diffOf(io, ['LIVE-', 'MERGED-'], async (put) => {
    const visited = { uids: new Set<string | undefined>(), namespaces: new Set<string>() };
    let failure: { readonly error: unknown } | undefined;
    try {
      await inParallel(selection.targets, Math.max(1, flags.int('concurrency')), async (target) => {
        const { live, merged } = await versionsOf(invocation, target);
        const { before, after } = shown({ before: live, after: merged });
        if (target.namespace !== undefined) visited.namespaces.add(target.namespace);
        visited.uids.add(live?.metadata.uid);
        if (before !== undefined) put('before', target.type, before, managers);
        if (after !== undefined) put('after', target.type, after, managers);
        if (live !== undefined) warnIfDeleting(invocation, live);
      });
    } catch (error) {
      io.signal.throwIfAborted();
      failure = { error };
    }
    if (flags.bool('prune'))
      try {
        for await (const { type, object } of leftOver(invocation, visited))
          put('before', type, shown({ before: object }).before!, true);
      } catch (error) {
        io.signal.throwIfAborted();
        io.err.write(`Warning: pruning failed and could not be evaluated: ${(error as Error).message}\n`);
      }
    if (failure !== undefined) throw failure.error;
  });
  return differ ? 1 : 0;
}
