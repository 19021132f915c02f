import { ApiError, isGone, isNotFound } from '../../client/errors.ts';
import { parseJson } from '../../client/json.ts';
import { readEvents } from '../../client/watch-events.ts';
import type { ApiObject } from '../../server/schema/api-object.ts';
import type { Invocation } from '../frame/command.ts';
import { CommandError } from '../frame/errors.ts';
import type { Printer } from '../output/printing.ts';
import { TabWriter } from '../output/tab-writer.ts';
import type { Selection } from '../resources/selection.ts';
import { cellsOf, headings, lookOf, pathOf, type Table, tableAccept } from './tables.ts';

/** Shows what is there (unless `--watch-only`), and then every change until Ctrl-C or the end of `--request-timeout`. */
export async function watch(invocation: Invocation, selection: Selection, printer: Printer | undefined): Promise<void> {
  const { flags, session, io } = invocation;
  const types = new Set(selection.targets.map(({ type }) => type));
  if (types.size > 1) throw new CommandError('you may only specify a single resource type');
  if (selection.targets.length !== 1)
    throw new CommandError('you may only watch a single resource or type of resource at a time');
  const { type, namespace, name } = selection.targets[0]!;
  const client = await session.client();
  const accept = printer === undefined ? tableAccept(client) : 'application/json';
  const show = printer === undefined ? tableRows(invocation, selection) : objectTexts(invocation, printer);
  const field = name === undefined ? selection.fieldSelector : `metadata.name=${name}`;
  const query = (more: readonly (readonly [string, string])[]) => {
    const pairs = [['fieldSelector', field] as const, ['labelSelector', selection.labelSelector] as const, ...more];
    const text = pairs.flatMap(([key, value]) => (value === '' ? [] : [`${key}=${encodeURIComponent(value)}`]));
    return text.length === 0 ? '' : `?${text.join('&')}`;
  };
  const whole = name === undefined ? pathOf(type, namespace) + query([]) : pathOf(type, namespace, name);
  const answer = await client.call({ method: 'GET', path: whole, headers: { accept } }).catch((error: unknown) => {
    if (name !== undefined && isNotFound(error) && flags.bool('watch-only')) return undefined;
    throw error;
  });
  const present = answer === undefined ? undefined : (parseJson(answer.text) as unknown as ApiObject);
  if (present !== undefined && !flags.bool('watch-only')) show('ADDED', present);
  const from = present?.metadata.resourceVersion ?? '0';
  const path =
    pathOf(type, namespace) +
    query([
      ['watch', 'true'],
      ['resourceVersion', from],
    ]);
  try {
    const incoming = await client.open({ method: 'GET', path, headers: { accept }, signal: limit(invocation) });
    for await (const { type: kind, object } of readEvents<ApiObject>(incoming)) {
      if (kind !== 'BOOKMARK') show(kind, object);
    }
  } catch (error) {
    if (io.signal.aborted || isOver(error)) return;
    if (isGone(error)) throw new ApiError(410, { ...(error as ApiError).status });
    throw error;
  }
}

const OVER = new Error('the time of the watch is over');

function isOver(error: unknown): boolean {
  return error === OVER;
}

/** Ends with Ctrl-C, and with `--request-timeout`, which for a watch is no failure. */
function limit({ session, io }: Invocation): AbortSignal {
  const { requestTimeoutMs } = session.settings;
  if (!Number.isFinite(requestTimeoutMs)) return io.signal;
  const controller = new AbortController();
  setTimeout(() => controller.abort(OVER), requestTimeoutMs).unref();
  return AbortSignal.any([io.signal, controller.signal]);
}

type Show = (event: string, object: ApiObject) => void;

/** Rows as they come; columns keep their width. */
function tableRows(invocation: Invocation, selection: Selection): Show {
  const { flags, io } = invocation;
  const { type } = selection.targets[0]!;
  const look = lookOf(invocation, selection);
  const events = flags.bool('output-watch-events');
  const writer = new TabWriter({ remember: true });
  let columns: Table['columnDefinitions'] = null;
  let headed = look.noHeaders;
  const changes =
    io.out.columns !== undefined && !io.env['NO_COLOR'] ? boldChanges() : (_: string, cells: string[]) => cells;
  return (event, object) => {
    const table = object as unknown as Table;
    columns = table.columnDefinitions?.length ? table.columnDefinitions : columns;
    const known = { ...table, columnDefinitions: columns };
    if (!headed && columns !== null && (table.rows ?? []).length > 0) {
      headed = true;
      writer.line([...(events ? [padded('EVENT')] : []), ...headings(known, type, look)]);
    }
    for (const row of table.rows ?? []) {
      const cells = cellsOf(row, known, type, look);
      const { namespace = '', name = '' } = row.object?.metadata ?? {};
      writer.line([...(events ? [padded(event)] : []), ...changes(`${namespace}/${name}`, cells)]);
    }
    io.out.write(writer.flush());
  };
}

/** Rows that are remembered, so that a long watch of much does not grow without end. */
const MOST_ROWS = 20_000;
const AGE = /^(\d+[smhdy])+$|^<unknown>$/;

/** Puts the cells of a row that are not what they were in bold; ages, which always change, do not count. */
function boldChanges(): (row: string, cells: string[]) => string[] {
  const before = new Map<string, readonly string[]>();
  return (row, cells) => {
    const last = before.get(row);
    before.delete(row);
    before.set(row, cells);
    if (before.size > MOST_ROWS) before.delete(before.keys().next().value!);
    if (last === undefined) return cells;
    return cells.map((cell, at) => (cell === last[at] || AGE.test(cell) ? cell : `\u001b[1m${cell}\u001b[0m`));
  };
}

/** As wide as the longest event, so that columns stay where they are. */
function padded(event: string): string {
  return event.padEnd('MODIFIED'.length);
}

function objectTexts({ flags, io }: Invocation, printer: Printer): Show {
  const events = flags.bool('output-watch-events');
  return (type, object) => {
    const items = object['items'];
    for (const each of Array.isArray(items) ? (items as ApiObject[]) : [object])
      io.out.write(printer.print(events ? ({ type, object: each } as unknown as ApiObject) : each));
  };
}
