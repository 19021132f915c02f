import { harmlessText } from '#base/text/terminal-text.ts';
import { timerMs } from '#base/time/longest-timer.ts';
import { AnswerError, objectOf } from '#client/answers.ts';
import { ApiError, isGone } from '#client/errors.ts';
import { parseJson } from '#client/json.ts';
import { type Table, tableOf } from '#client/tables/table-answer.ts';
import { readEvents } from '#client/watch-events.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import type { Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { toCompactJson } from '../../manifests/json.ts';
import type { Printer } from '../../output/printing.ts';
import { TabWriter } from '../../output/tab-writer.ts';
import { apiVersionIn, explainMissing } from '../../resources/found.ts';
import type { Selection, Target } from '../../resources/selection.ts';
import { cellsOf, headings, lookOf, pathOf, tableAccept } from './tables.ts';

/**
 * Shows the existing objects (unless `--watch-only`), and then every change until Ctrl-C or the end of
 * `--request-timeout`.
 */
export async function watch(invocation: Invocation, selection: Selection, printer: Printer | undefined): Promise<void> {
  const { flags, session, io } = invocation;
  const types = new Set(selection.targets.map(({ type }) => type));
  if (types.size > 1) throw new CommandError('you may only specify a single resource type');
  if (flags.text('sort-by') !== '')
    io.err.write('warning: --watch requested, --sort-by will be ignored for watch events received\n');
  const client = await session.client();
  const accept = printer === undefined ? tableAccept(client) : 'application/json';
  const { show, flush } =
    printer === undefined ? tableRows(invocation, selection) : objectTexts(invocation, selection, printer);
  let from = '0';
  let shown: string | undefined;
  for (const target of selection.targets) {
    const { type, namespace, name } = target;
    const path = pathOf(type, namespace, name);
    const whole = name === undefined ? path + queryOf(selection, target) : path;
    const answer = await client
      .call({ method: 'GET', path: whole, headers: { accept } })
      .catch((error: unknown) => explainMissing(client, target, error));
    const present = objectOf(parseJson(answer.text));
    if (!flags.bool('watch-only')) show('ADDED', present);
    // The version of one object may be too old to watch from. A watch from 0 first sends the object, which is skipped.
    if (name === undefined) from = present.metadata.resourceVersion ?? '0';
    else shown = versionOf(present);
  }
  flush();
  const [target] = selection.targets;
  if (target === undefined) return;
  if (selection.targets.length > 1)
    throw new CommandError('you may only watch a single resource or type of resource at a time');
  const query = queryOf(selection, target, ['watch', 'true'], ['resourceVersion', from]);
  try {
    const path = pathOf(target.type, target.namespace) + query;
    const incoming = await client.open({ method: 'GET', path, headers: { accept }, signal: watchLimit(invocation) });
    for await (const { type: kind, object } of readEvents<ApiObject>(incoming)) {
      if (kind === 'BOOKMARK') continue;
      if (shown === undefined || versionOf(object) !== shown) show(kind, object);
      shown = undefined;
      flush();
    }
  } catch (error) {
    if (io.signal.aborted || isOver(error)) return;
    if (isGone(error)) throw new ApiError(410, { ...(error as ApiError).status });
    throw error;
  }
}

/** The version of an object, or of the object in a table. */
function versionOf(object: ApiObject): string | undefined {
  return (tableOf(object)?.rows?.[0]?.object ?? object).metadata?.resourceVersion;
}

type Pair = readonly [key: string, value: string];

function queryOf({ labelSelector, fieldSelector }: Selection, { name }: Target, ...more: Pair[]): string {
  const field = name === undefined ? fieldSelector : `metadata.name=${name}`;
  const pairs: Pair[] = [['fieldSelector', field], ['labelSelector', labelSelector], ...more];
  const text = pairs.flatMap(([key, value]) => (value === '' ? [] : [`${key}=${encodeURIComponent(value)}`]));
  return text.length === 0 ? '' : `?${text.join('&')}`;
}

const OVER = new Error('the time of the watch is over');

/** Whether a watch ended because of its time limit. */
export function isOver(error: unknown): boolean {
  return error === OVER;
}

/** Aborts on Ctrl-C, and after `--request-timeout`, which is not an error for a watch. */
export function watchLimit({ session, io }: Invocation): AbortSignal {
  const { requestTimeoutMs } = session.settings;
  if (!Number.isFinite(requestTimeoutMs)) return io.signal;
  const controller = new AbortController();
  setTimeout(() => controller.abort(OVER), timerMs(requestTimeoutMs)).unref();
  return AbortSignal.any([io.signal, controller.signal]);
}

interface Shown {
  readonly show: (event: string, object: ApiObject) => void;
  /** Writes the rows shown since the last call. */
  readonly flush: () => void;
}

/** Writes each row when it arrives. The columns keep their width. */
function tableRows(invocation: Invocation, selection: Selection): Shown {
  const { flags, io } = invocation;
  const { type } = selection.targets[0]!;
  const look = lookOf(invocation, selection);
  const events = flags.bool('output-watch-events');
  const writer = new TabWriter({ remember: true });
  let columns: Table['columnDefinitions'] = null;
  let headed = look.noHeaders;
  const styled = io.out.columns !== undefined && !io.env['NO_COLOR'];
  const changes = styled ? boldChanges() : (_: string, cells: string[]) => cells;
  const line = (cells: string[]) => writer.line(styled ? cells.map(harmlessText) : cells);
  const show: Shown['show'] = (event, object) => {
    const table = tableOf(object);
    if (table === undefined) throw new AnswerError('the server sent something that is no table');
    columns = table.columnDefinitions?.length ? table.columnDefinitions : columns;
    const known = { ...table, columnDefinitions: columns };
    if (!headed && columns !== null && (table.rows ?? []).length > 0) {
      headed = true;
      line([...(events ? [padded('EVENT')] : []), ...headings(known, type, look)]);
    }
    for (const row of table.rows ?? []) {
      const cells = cellsOf(row, known, type, look).map((cell) => (styled ? harmlessText(cell) : cell));
      const { namespace = '', name = '' } = row.object?.metadata ?? {};
      writer.line([
        ...(events ? [padded(styled ? harmlessText(event) : event)] : []),
        ...changes(`${namespace}/${name}`, cells),
      ]);
    }
  };
  return { show, flush: () => io.out.write(writer.flush(), styled) };
}

/** The largest number of remembered rows. It limits the memory of a long watch. */
const MOST_ROWS = 20_000;
const AGE = /^(\d+[smhdy])+$|^<unknown>$/;

/** Shows changed cells of a row in bold. Ages always change, so they are ignored. */
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

/** The name of the event, padded to the longest name, so that columns are aligned. */
function padded(event: string): string {
  return event.padEnd('MODIFIED'.length);
}

/** Writes each object when it arrives. The items of a list are written one by one. */
function objectTexts({ flags, io }: Invocation, { targets }: Selection, printer: Printer): Shown {
  const events = flags.bool('output-watch-events');
  const { type } = targets[0]!;
  const json = flags.text('output').toLowerCase() === 'json';
  const show: Shown['show'] = (event, object) => {
    const items = object['items'];
    const each: readonly ApiObject[] = Array.isArray(items)
      ? (items as ApiObject[]).map((item) => ({ apiVersion: apiVersionIn(type), kind: type.kind, ...item }))
      : [object];
    for (const one of each) {
      if (!events || flags.text('output').toLowerCase() === 'name') io.out.write(printer.print(one));
      else if (json) io.out.write(`{"type":"${event}","object":${toCompactJson(one)}}\n`);
      else io.out.write(printer.print(asObject({ object: one, type: event })));
    }
  };
  return { show, flush: () => {} };
}
