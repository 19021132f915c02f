import type { DiscoveredType } from '#client/discovery/discovered.ts';
import { isGone } from '#client/errors.ts';
import type { ResourceClient } from '#client/resource-client.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { outputFlags, printerFor, typedJson } from '../../output/printer.ts';
import type { Printer } from '../../output/printing.ts';
import { TabWriter } from '../../output/tab-writer.ts';
import { allNamespacesFlag, chunkSizeFlag } from '../../resources/flags.ts';
import { apiVersionIn } from '../../resources/found.ts';
import { asTyped, declaredKind } from '../../typed/typed-object.ts';
import { isOver, watchLimit } from '../get/watch.ts';
import { eventCells, type Happening, lastSeen } from './cells.ts';

export const events: Command = {
  name: 'events',
  short: 'List events',
  long: 'Shows recent events, the latest last: of a namespace, of all namespaces, or of one object.',
  examples: [
    '# Events of the namespace, and new events',
    '{} events --watch',
    '',
    '# Events of one pod',
    '{} events --for pod/web',
    '',
    '# Warnings of all namespaces',
    '{} events -A --types=Warning',
  ].join('\n'),
  usage: '[(-o|--output=)json|yaml|name|go-template|…] [--for TYPE/NAME] [--watch] [--types=Normal,Warning]',
  flags: [
    allNamespacesFlag,
    chunkSizeFlag,
    { name: 'for', type: 'string', help: 'Show only events of this object: TYPE/NAME' },
    { name: 'no-headers', type: 'bool', help: 'Do not print the header line' },
    ...outputFlags(),
    { name: 'types', type: 'strings', help: 'Show only events of these types: Normal, Warning' },
    { name: 'watch', short: 'w', type: 'bool', help: 'After the list, show new events as they occur' },
  ],
  run,
};

const TYPES = ['normal', 'warning'];

/** The selection of events. */
interface Wanted {
  readonly client: ResourceClient<Happening>;
  readonly fieldSelector: string;
  isWanted(event: Happening): boolean;
  readonly printer: Printer | undefined;
}

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, session } = invocation;
  const subject = subjectOf(flags.text('for'));
  const types = flags.list('types').map((type) => type.toLowerCase());
  const printer = flags.text('output') === 'json' ? typedJson(flags) : await printerFor(flags);
  const fieldSelector = subject === undefined ? '' : await selectorOf(invocation, subject);
  if (types.some((type) => !TYPES.includes(type))) throw new CommandError('valid --types are Normal or Warning');
  const type = await session.typeOf('v1', 'Event');
  if (type === undefined) throw new CommandError('the server has no events');
  const all = flags.bool('all-namespaces');
  const client = (await session.client()).resource(type as DiscoveredType).in(all ? undefined : session.namespace);
  const wanted: Wanted = {
    client: client as unknown as ResourceClient<Happening>,
    fieldSelector,
    isWanted: ({ type: own = '' }) => types.length === 0 || types.includes(own.toLowerCase()),
    printer,
  };
  return flags.bool('watch') ? watchEvents(invocation, wanted) : listEvents(invocation, wanted);
}

/** Parses the object that the events are about. @throws CommandError if the text is malformed */
function subjectOf(text: string): { readonly word: string; readonly name: string } | undefined {
  if (text === '') return undefined;
  const parts = text.split('/');
  if (parts.length === 1) throw new CommandError('--for must be in resource/name form');
  if (parts.length > 2) throw new CommandError('arguments in resource/name form may not have more than one slash');
  return { word: parts[0]!, name: parts[1]! };
}

async function selectorOf({ session }: Invocation, { word, name }: { word: string; name: string }): Promise<string> {
  if (word === '') throw new CommandError('a resource must be present, got: /, Resource=');
  const type = await session.typeNamed(word);
  if (type === undefined) {
    const dot = word.indexOf('.');
    const [first, group] = dot < 0 ? [word, ''] : [word.slice(0, dot), word.slice(dot + 1)];
    const where = group === '' ? '' : ` in group "${group}"`;
    throw new CommandError(`the server doesn't have a resource type "${first}"${where}`, { plain: true });
  }
  const apiVersion = apiVersionIn(type);
  return `involvedObject.kind=${type.kind},involvedObject.apiVersion=${apiVersion},involvedObject.name=${name}`;
}

async function listEvents(invocation: Invocation, wanted: Wanted): Promise<undefined> {
  const { flags, session, io } = invocation;
  const { client, fieldSelector, isWanted, printer } = wanted;
  const size = flags.int('chunk-size');
  const limit = size > 0 ? size : Number.MAX_SAFE_INTEGER;
  const timeoutMs = session.settings.requestTimeoutMs;
  const items: Happening[] = [];
  for await (const page of client.pages({ fieldSelector, limit, timeoutMs }))
    items.push(...page.items.filter(isWanted));
  if (items.length === 0) {
    const where = client.namespace === undefined ? '' : ` in ${client.namespace} namespace`;
    io.err.write(`No events found${where}.\n`);
    return undefined;
  }
  const sorted = items.map((event) => ({ event, at: lastSeen(event) })).sort((a, b) => a.at - b.at);
  if (printer === undefined) {
    const rows = tableOf(invocation, client.namespace === undefined);
    rows.heading();
    for (const { event } of sorted) rows.add(event);
    io.out.write(rows.flush());
    return undefined;
  }
  // A list has no name.
  if (flags.text('output') === 'name') return undefined;
  const whole = { kind: 'EventList', apiVersion: 'v1', metadata: {}, items: [] as ApiObject[] };
  for (const { event } of sorted) whole.items.push(await typedEvent(invocation, event));
  io.out.write(printer.print(asObject(whole)));
  return undefined;
}

async function watchEvents(invocation: Invocation, wanted: Wanted): Promise<undefined> {
  const { io } = invocation;
  const { client, fieldSelector, isWanted, printer } = wanted;
  const rows = tableOf(invocation, client.namespace === undefined);
  let headed = false;
  try {
    const stream = await client.watch({ fieldSelector, signal: watchLimit(invocation) });
    for await (const { type, object } of stream) {
      if (type === 'BOOKMARK' || type === 'DELETED' || !isWanted(object)) continue;
      if (printer !== undefined) {
        io.out.write(printer.print(await typedEvent(invocation, object)));
        continue;
      }
      if (!headed) rows.heading();
      headed = true;
      rows.add(object);
      io.out.write(rows.flush());
    }
  } catch (error) {
    if (!io.signal.aborted && !isOver(error) && !isGone(error)) throw error;
  }
  return undefined;
}

async function typedEvent({ session }: Invocation, event: ApiObject): Promise<ApiObject> {
  const whole = { ...event, kind: 'Event', apiVersion: 'v1' };
  const declared = await declaredKind(session, whole);
  return declared === undefined ? whole : asTyped(whole, declared);
}

function tableOf({ flags, io }: Invocation, namespaces: boolean) {
  const writer = new TabWriter({ remember: true });
  return {
    heading: () => {
      if (flags.bool('no-headers')) return;
      writer.line([...(namespaces ? ['NAMESPACE'] : []), 'LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE']);
    },
    add: (event: Happening) => {
      const lead = namespaces ? [event.metadata.namespace ?? ''] : [];
      writer.text([...lead, ...eventCells(event, io.now())].join('\t'));
    },
    flush: () => writer.flush(),
  };
}
