import { type Command, entryOf, type Invocation } from '../../command-line/command.ts';
import { CommandError, throwAll, together, UsageError } from '../../framework/errors.ts';
import { outputFlags } from '../../output/printer.ts';
import {
  dryRunFlag,
  fieldManagerFlag,
  fileFlags,
  labelSelectorFlag,
  namesFiles,
  validateFlag,
} from '../../resources/flags.ts';
import { select } from '../../resources/selection.ts';
import { recordFlag } from '../../write/change-cause.ts';
import { type DryRun, dryRunOf } from '../../write/dry-run.ts';
import { cascadeOf } from '../delete/manner.ts';
import { apply as applyTargets } from './apply.ts';
import { onConflictFlag, wayOf } from './conflicts.ts';
import { editLastApplied, setLastApplied, viewLastApplied } from './last-applied-commands.ts';
import { allowlistFlag, prune, typesOf } from './prune.ts';

export const apply: Command = {
  name: 'apply',
  short: 'Apply a configuration to a resource by file name or stdin',
  long: 'Apply a configuration to a resource by file name or stdin. The resource name must be specified. The command creates an object that does not exist yet.\n\n Fields that are no longer in the file are removed from the object; fields that others added stay. JSON and YAML formats are accepted.',
  examples: [
    '# Apply the objects in a file',
    '{} apply -f ./pod.json',
    '',
    '# Let the server track the manager of each field',
    '{} apply --server-side -f ./pod.json',
    '',
    '# Also delete objects with a label that are no longer in the file',
    '{} apply --prune -f manifest.yaml -l app=web',
  ].join('\n'),
  usage: '(-f FILENAME)',
  flags: [
    {
      name: 'all',
      type: 'bool',
      help: 'With --prune, consider all objects that were applied before, without a selector',
    },
    {
      name: 'cascade',
      type: 'string',
      default: 'background',
      optional: 'background',
      help: 'With --prune, how to delete dependent objects: background, foreground or orphan',
    },
    dryRunFlag,
    fieldManagerFlag('orchctl-client-side-apply'),
    ...fileFlags,
    { name: 'force', type: 'bool', help: 'If the server refuses to change an object, delete it and create it again' },
    {
      name: 'force-conflicts',
      type: 'bool',
      help: 'With --server-side, overwrite fields of other managers and become their manager',
    },
    {
      name: 'grace-period',
      type: 'int',
      default: -1,
      help: 'With --force, seconds for pods to stop; a negative value uses the grace period of the pod',
    },
    onConflictFlag,
    { name: 'openapi-patch', type: 'bool', default: true, help: 'Accepted for compatibility' },
    ...outputFlags(),
    {
      name: 'overwrite',
      type: 'bool',
      default: true,
      help: 'Overwrite changes that others made to fields of the file; =false makes them an error',
    },
    {
      name: 'prune',
      type: 'bool',
      help: 'Delete objects that were applied before and are no longer in the files; needs -l or --all',
    },
    allowlistFlag,
    labelSelectorFlag,
    {
      name: 'server-side',
      type: 'bool',
      help: 'Use server-side apply: the server merges the fields by their managers',
    },
    { name: 'subresource', type: 'string', help: 'With --server-side, the subresource to apply, such as status' },
    {
      name: 'timeout',
      type: 'duration',
      default: '0s',
      help: 'With --force, time limit for the deletion of the object; 0 means no limit',
    },
    validateFlag,
    recordFlag,
    { name: 'wait', type: 'bool', help: 'Accepted for compatibility: --force always waits for the deletion' },
  ],
  subcommands: [editLastApplied, setLastApplied, viewLastApplied].map(entryOf),
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, args, session } = invocation;
  if (args.length > 0) throw new UsageError(`Unexpected args: [${args.join(' ')}]`);
  const dryRun = dryRunOf(invocation);
  cascadeOf(invocation);
  if (!namesFiles(flags)) throw new CommandError('must specify one of -f and -k');
  if (flags.bool('prune')) await typesOf(invocation);
  checkFlags(invocation, dryRun);
  const selection = await select(session, flags, { args });
  const errors: unknown[] = [];
  if (selection.targets.length === 0 && selection.errors.length === 0)
    throw new CommandError('no objects passed to apply');
  const applied = await applyTargets(invocation, selection, dryRun, errors);
  if (flags.bool('prune') && errors.length + selection.errors.length === 0) await prune(invocation, applied, dryRun);
  throwAll([...together(selection.errors), ...errors]);
  return undefined;
}

/** Checks flags that exclude each other. @throws CommandError that names the first pair */
function checkFlags({ flags }: Invocation, dryRun: DryRun): void {
  const [onServer, prunes, force] = ['server-side', 'prune', 'force'].map((name) => flags.bool(name));
  const [all, selected] = [flags.bool('all'), flags.text('selector') !== ''];
  const mistakes: readonly (readonly [wrong: boolean | undefined, said: string])[] = [
    [flags.bool('force-conflicts') && !onServer, '--force-conflicts only works with --server-side'],
    [flags.text(onConflictFlag.name) !== '' && !onServer, '--on-conflict only works with --server-side'],
    [
      dryRun === 'client' && onServer,
      "--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)",
    ],
    [onServer && force, '--force cannot be used with --server-side'],
    [dryRun === 'server' && force, '--dry-run=server cannot be used with --force'],
    [all && selected, 'cannot set --all and --selector at the same time'],
    [prunes && force, '--force cannot be used with --prune'],
    [
      prunes && !all && !selected,
      'all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. If you did not mean to prune all resources, specify a label selector',
    ],
    [prunes && onServer, "--prune is in alpha and doesn't currently work on objects created by server-side apply"],
    [flags.text('subresource') !== '' && !onServer, '--subresource can only be specified for --server-side'],
  ];
  const [, said] = mistakes.find(([wrong]) => wrong) ?? [];
  if (said !== undefined) throw new CommandError(said);
  wayOf(flags);
}
