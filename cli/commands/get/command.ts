import type { DiscoveredType } from '#client/discovery/discovered.ts';
import { isNotFound } from '#client/errors.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, throwAll, UsageError } from '../../framework/errors.ts';
import type { Flags } from '../../framework/flag.ts';
import { listOf } from '../../output/list-of.ts';
import { getFormats, getOutputFlags, printerFor } from '../../output/printer.ts';
import type { Printer } from '../../output/printing.ts';
import {
  allNamespacesFlag,
  chunkSizeFlag,
  fieldSelectorFlag,
  fileFlags,
  labelSelectorFlag,
} from '../../resources/flags.ts';
import { found } from '../../resources/found.ts';
import { rawPath } from '../../resources/raw.ts';
import { type Selection, select } from '../../resources/selection.ts';
import { versionAt } from './version-at.ts';

export const get: Command = {
  name: 'get',
  short: 'Display one or many resources',
  long: 'Display one or many resources.\n\n Prints a table with the most important fields. The default namespace is that of the current context. Without a name the command shows all objects of the type that match the selectors.\n\nUse "{} api-resources" for a complete list of supported resources.',
  examples: [
    '# Pods of the namespace, in a table',
    '{} get pods',
    '',
    '# One deployment as YAML, in the version v1 of the group apps',
    '{} get deployments.v1.apps web -o yaml',
    '',
    '# The current state of the objects in a file',
    '{} get -f pod.yaml -o json',
    '',
    '# Names and images in columns of your own',
    '{} get pods -o custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[0].image',
    '',
    '# Several types in all namespaces, and all changes of one type',
    '{} get services,deployments -A',
    '{} get pods --watch',
  ].join('\n'),
  usage: `[(-o|--output=)${getFormats.join('|')}] (TYPE[.VERSION][.GROUP] [NAME | -l label] | TYPE[.VERSION][.GROUP]/NAME ...)`,
  flags: [
    allNamespacesFlag,
    {
      name: 'at',
      type: 'string',
      help: 'Show an earlier version: a resourceVersion or an age (5m), as far back as the server keeps history',
    },
    chunkSizeFlag,
    fieldSelectorFlag,
    ...fileFlags,
    { name: 'ignore-not-found', type: 'bool', help: 'Succeed without output if the object does not exist' },
    { name: 'label-columns', short: 'L', type: 'strings', help: 'Labels whose values are shown in a column each' },
    { name: 'no-headers', type: 'bool', help: 'Do not print the header line' },
    ...getOutputFlags,
    {
      name: 'output-watch-events',
      type: 'bool',
      help: 'With --watch, show also the type of each event: ADDED, MODIFIED, DELETED',
    },
    { name: 'raw', type: 'string', help: 'API path to request; the answer is printed unchanged' },
    labelSelectorFlag,
    { name: 'server-print', type: 'bool', default: true, help: 'Let the server create the tables' },
    { name: 'show-kind', type: 'bool', help: 'Show the type of each object before its name' },
    { name: 'show-labels', type: 'bool', help: 'Show all labels in the last column' },
    { name: 'sort-by', type: 'string', help: "Sort lists by this field, a JSONPath such as '{.metadata.name}'" },
    { name: 'subresource', type: 'string', help: 'Subresource to show, such as status or scale' },
    { name: 'watch', short: 'w', type: 'bool', help: 'After the list, show changes as they occur' },
    { name: 'watch-only', type: 'bool', help: 'Show changes as they occur, without the list before them' },
  ],
  run,
};

async function run(invocation: Invocation): Promise<number | undefined> {
  const { flags, args, session, io } = invocation;
  const raw = flags.text('raw');
  if (raw !== '') return showRaw(invocation, raw);
  checkFlags(invocation);
  const selection = await select(session, flags, {
    ...{ args, typeMeansAll: true, ...(watches(flags) ? {} : { nothing: () => nothingNamed(invocation) }) },
    plainMistakes: ['', 'wide'].includes(flags.text('output')),
  });
  const output = flags.text('output');
  const printer = output === 'wide' ? undefined : await printerFor(flags, getFormats);
  const at = flags.text('at') === '' ? undefined : await versionAt(session, flags.text('at'));
  if (at !== undefined && watches(flags))
    throw new CommandError('--at cannot be used together with --watch or --watch-only');
  if (flags.text('subresource') !== '' && !selection.targets.every(({ name }) => name !== undefined))
    throw new CommandError('subresource cannot be used when bulk resources are specified');
  if (watches(flags)) {
    const { watch } = await import('./watch.ts');
    await watch(invocation, selection, printer);
    return undefined;
  }
  if (printer !== undefined) return showObjects(invocation, selection, printer, at);
  const { showTables } = await import('./tables.ts');
  const errors: unknown[] = [];
  const onError = (error: unknown) => {
    if (!(flags.bool('ignore-not-found') && isNotFound(error))) errors.push(error);
  };
  const rows = await showTables(invocation, selection, onError, at);
  if (rows === 0 && errors.length + selection.errors.length === 0 && !flags.bool('ignore-not-found'))
    io.err.write(`${nothingFound(selection, invocation)}\n`);
  throwAll([...errors, ...selection.errors]);
  return undefined;
}

function checkFlags({ flags }: Invocation): void {
  const output = flags.text('output');
  if (flags.bool('show-labels') && output !== '' && output !== 'wide')
    throw new CommandError(`--show-labels option cannot be used with ${output} printer`);
  if (flags.bool('output-watch-events') && !watches(flags))
    throw new CommandError('--output-watch-events option can only be used with --watch or --watch-only');
}

const watches = (flags: Flags) => flags.bool('watch') || flags.bool('watch-only');

function nothingNamed({ io, path }: Invocation): Error {
  io.err.write(
    'You must specify the type of resource to get. Use "orchctl api-resources" for a complete list of supported resources.\n\n',
  );
  return new UsageError(
    `Required resource not specified.\nUse "orchctl explain <resource>" for a detailed description of that resource (e.g. ${path.split(' ')[0]} explain pods).`,
  );
}

function nothingFound({ allNamespaces, targets }: Selection, { session }: Invocation): string {
  const everywhere = allNamespaces || (targets.length > 0 && targets.every(({ type }) => !type.namespaced));
  return everywhere ? 'No resources found' : `No resources found in ${session.namespace} namespace.`;
}

async function showRaw({ flags, args, session, io }: Invocation, raw: string): Promise<undefined> {
  if (args.length > 0) throw new CommandError('arguments may not be passed when --raw is specified');
  if (watches(flags) || flags.text('selector') !== '')
    throw new CommandError(
      '--raw may not be specified with other flags that filter the server request or alter the output',
    );
  if (flags.text('output') !== '') throw new CommandError('--raw and --output are mutually exclusive');
  const path = rawPath(raw);
  const caller = await session.caller();
  const headers = { accept: 'application/json, */*' };
  const incoming = await caller.open({ method: 'GET', path, headers });
  for await (const piece of incoming.pieces()) io.streams.output.write(piece);
  return undefined;
}

/** Prints objects one by one, or in one list. */
async function showObjects(
  invocation: Invocation,
  selection: Selection,
  printer: Printer,
  at: string | undefined,
): Promise<undefined> {
  const { flags, io, session } = invocation;
  const errors: unknown[] = [];
  const onError = (error: unknown) => {
    if (!(flags.bool('ignore-not-found') && isNotFound(error))) errors.push(error);
  };
  const sortBy = flags.text('sort-by');
  const list = sortBy === '' && !selection.single ? printer.list : undefined;
  const subresource = flags.text('subresource') || undefined;
  let items = 0;
  const objects: ApiObject[] = [];
  const types: (DiscoveredType | undefined)[] = [];
  const asking = { chunkSize: flags.int('chunk-size'), at, subresource };
  for await (const each of found(session, selection, onError, asking)) {
    const { object } = each;
    // A part may be of another kind.
    const type = subresource === undefined ? each.type : undefined;
    if (printer.perObject && sortBy === '') io.out.write(printer.print(object, type));
    else if (list !== undefined) io.out.write((items++ === 0 ? list.begin : list.between) + list.item(object));
    else {
      objects.push(object);
      types.push(type);
    }
  }
  if (list !== undefined) {
    if (items > 0) io.out.write(list.end);
    else if (!flags.bool('ignore-not-found')) io.out.write(list.empty);
    throwAll([...errors, ...selection.errors]);
    return undefined;
  }
  if (sortBy !== '') {
    const { sortByPath } = await import('./sort.ts');
    sortByPath(objects, sortBy);
  }
  if (printer.perObject) for (const object of objects) io.out.write(printer.print(object));
  else if (selection.single) {
    if (objects.length > 0) io.out.write(printer.print(objects[0]!, types[0]));
  } else if (objects.length > 0 || !flags.bool('ignore-not-found'))
    io.out.write(printer.print(listOf(objects, { resourceVersion: '' })));
  throwAll([...errors, ...selection.errors]);
  return undefined;
}
