import { isFields, listOf, objectOf } from '#client/answers.ts';
import type { Client } from '#client/client.ts';
import type { DiscoveredType } from '#client/discovery/discovered.ts';
import { ApiError } from '#client/errors.ts';
import { parseJson } from '#client/json.ts';
import { pathSegment } from '#client/path-segment.ts';
import { type Row, type Table, tableOf } from '#client/tables/table-answer.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import type { Invocation } from '../../command-line/command.ts';
import { inGroup } from '../../connection/in-group.ts';
import { formatAge } from '../../output/age.ts';
import { goText } from '../../output/go-syntax.ts';
import { type Node, parseTemplate } from '../../output/jsonpath/parse.ts';
import { relaxedPath } from '../../output/jsonpath/relaxed.ts';
import { TabWriter } from '../../output/tab-writer.ts';
import { explainMissing, notThere } from '../../resources/found.ts';
import { isNameless, type Selection, type Target } from '../../resources/selection.ts';
import { sortByPath, UnsortableError } from './sort.ts';

/** The options for showing rows. */
export interface TableLook {
  readonly wide: boolean;
  readonly withNamespace: boolean;
  readonly withKind: boolean;
  readonly labelColumns: readonly string[];
  readonly showLabels: boolean;
  readonly noHeaders: boolean;
}

export function lookOf({ flags }: Invocation, selection: Selection): TableLook {
  return {
    wide: flags.text('output') === 'wide',
    withNamespace: selection.allNamespaces && selection.targets.some(({ type }) => type.namespaced),
    withKind: flags.bool('show-kind') || typesOf(selection.targets) > 1,
    labelColumns: flags.list('label-columns'),
    showLabels: flags.bool('show-labels'),
    noHeaders: flags.bool('no-headers'),
  };
}

/** The number of types among targets. */
function typesOf(targets: readonly Target[]): number {
  return new Set(targets.map(({ type }) => `${type.plural}.${type.group}`)).size;
}

/** The media types that request a table. A server that does not make tables answers with objects. */
export function tableAccept(client: Client): string {
  const group = client.naming.group('meta');
  return ['v1', 'v1beta1']
    .map((version) => `application/json;as=Table;v=${version};g=${group}`)
    .join(',')
    .concat(',application/json');
}

/**
 * Shows a table for each type and resolves to the number of rows. Errors about single objects are passed to `onError`.
 */
export async function showTables(
  invocation: Invocation,
  selection: Selection,
  onError: (error: unknown) => void,
  at?: string,
): Promise<number> {
  const { session, io, flags } = invocation;
  const client = await session.client();
  const look = lookOf(invocation, selection);
  const sortBy = flags.text('sort-by');
  const writer = new TabWriter();
  let text = '';
  let shown = 0;
  let last: DiscoveredType | undefined;
  // After the first row with a namespace, the column remains, as in the other client.
  let withNamespace = false;
  const results = await inTurn(selection.targets, (target) =>
    fetchTable(invocation, client, target, selection, sortBy, at),
  );
  const answered = selection.targets.filter((_, at) => 'table' in results[at]!);
  const withKind = flags.bool('show-kind') || typesOf(answered) > 1;
  for (const [at, result] of results.entries()) {
    const { type } = selection.targets[at]!;
    if ('error' in result) {
      onError(result.error);
      continue;
    }
    const { table } = result;
    const rows = [...(table.rows ?? [])];
    if (rows.length === 0) continue;
    if (sortBy !== '' && !sorted(rows, sortBy, results.length > 1)) continue;
    const isNew = last === undefined || last !== type;
    // Columns of several types are not aligned.
    if (isNew) text += writer.flush();
    withNamespace ||= look.withNamespace && type.namespaced;
    const own = { ...look, withKind, withNamespace };
    if (isNew && shown > 0 && !look.noHeaders) writer.line(['']);
    if (isNew && !look.noHeaders) writer.line(headings(table, type, own));
    for (const row of rows) writer.line(cellsOf(row, table, type, own));
    shown += rows.length;
    last = type;
  }
  io.out.write(text + writer.flush());
  return shown;
}

/** Sorts rows. If the path cannot be used, it returns false, or throws if `told` is set. */
function sorted(rows: Row[], sortBy: string, told: boolean): boolean {
  if (rows.length < 2 && !told) return true;
  try {
    sortByPath(rows, sortBy, (row) => row.object, told ? undefined : pathOrTemplate(sortBy));
    return true;
  } catch (error) {
    if (told || error instanceof UnsortableError) throw error;
    return false;
  }
}

/**
 * A text that is not the path of a field may still be a template with a result.
 * @throws CommandError or PathSyntaxError if the text is malformed
 */
function pathOrTemplate(text: string): readonly Node[] {
  try {
    return relaxedPath(text);
  } catch {
    return parseTemplate(text);
  }
}

type Fetched = { readonly table: Table } | { readonly error: unknown };

/** Yields the answers in the order of the targets. Each request is sent after the answer to the one before. */
async function inTurn(targets: readonly Target[], fetch: (target: Target) => Promise<Table>): Promise<Fetched[]> {
  const results: Fetched[] = [];
  for (const target of targets)
    results.push(
      await fetch(target).then(
        (table) => ({ table }),
        (error: unknown) => ({ error }),
      ),
    );
  return results;
}

async function fetchTable(
  { flags, session }: Invocation,
  client: Client,
  target: Target,
  selection: Selection,
  sortBy: string,
  at: string | undefined,
): Promise<Table> {
  if (isNameless(target)) return toTable(target.object!);
  const query = new Map<string, string>();
  if (sortBy !== '') query.set('includeObject', 'Object');
  const subresource = flags.text('subresource');
  if (at !== undefined) {
    query.set('resourceVersion', at);
    query.set('resourceVersionMatch', 'Exact');
  }
  if (target.name !== undefined && at !== undefined) {
    query.set('fieldSelector', `metadata.name=${target.name}`);
    const table = await readTable(client, { ...target, name: undefined }, query, '', flags.bool('server-print'));
    if ((table.rows ?? []).length === 0) throw notThere(target);
    return table;
  }
  if (target.name !== undefined)
    return readTable(client, target, query, subresource, flags.bool('server-print')).catch((error: unknown) =>
      explainMissing(client, target, error),
    );
  if (selection.fieldSelector !== '') query.set('fieldSelector', selection.fieldSelector);
  if (selection.labelSelector !== '') query.set('labelSelector', selection.labelSelector);
  const limit = flags.int('chunk-size');
  if (limit > 0) query.set('limit', String(limit));
  let whole: Table | undefined;
  for (;;) {
    session.io.signal.throwIfAborted();
    const page = await readTable(client, target, query, '', flags.bool('server-print')).catch((error: unknown) => {
      throw error instanceof ApiError && error.reason === 'BadRequest' ? unreadable(error, target, selection) : error;
    });
    whole =
      whole === undefined
        ? page
        : { ...whole, rows: [...(whole.rows ?? []), ...(page.rows ?? [])], metadata: page.metadata ?? {} };
    const next = page.metadata?.continue;
    if (!next) return whole;
    query.delete('resourceVersion');
    query.delete('resourceVersionMatch');
    query.set('continue', next);
  }
}

function unreadable(error: ApiError, { type }: Target, { labelSelector, fieldSelector }: Selection): ApiError {
  const what = JSON.stringify(`${type.group}/${type.version}, Resource=${type.plural}`);
  const by = `label selector ${JSON.stringify(labelSelector)}, field selector ${JSON.stringify(fieldSelector)}`;
  return new ApiError(error.code, {
    ...error.status,
    message: `Unable to find ${what} that match ${by}: ${error.status.message ?? ''}`,
  });
}

async function readTable(
  client: Client,
  { type, namespace, name }: Target,
  query: ReadonlyMap<string, string>,
  subresource: string,
  byServer: boolean,
): Promise<Table> {
  const path = pathOf(type, namespace, name, subresource);
  const fields = [...query].map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&');
  const headers = { accept: byServer ? tableAccept(client) : 'application/json' };
  const answer = await client.call({ method: 'GET', path: fields === '' ? path : `${path}?${fields}`, headers });
  const body: unknown = parseJson(answer.text);
  return tableOf(body) ?? toTable(isFields(body) && body['items'] !== undefined ? listBody(body) : objectOf(body));
}

function listBody(body: Readonly<Record<string, unknown>>): ApiObject {
  return asObject({ ...body, ...listOf(body) });
}

/** The path of a type's collection, or of one object. */
export function pathOf(type: DiscoveredType, namespace?: string, name?: string, subresource = ''): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = type.namespaced && namespace !== undefined ? `/namespaces/${pathSegment(namespace, 'namespace')}` : '';
  const one = name === undefined ? '' : `/${pathSegment(name)}`;
  return `${root}${scope}/${type.plural}${one}${subresource === '' ? '' : `/${subresource}`}`;
}

/** A table of objects, for a server that does not make tables. */
function toTable(object: ApiObject): Table {
  const items = object['items'];
  const objects = Array.isArray(items) ? (items as ApiObject[]) : [object];
  return {
    kind: 'Table',
    metadata: object.metadata as NonNullable<Table['metadata']>,
    columnDefinitions: [
      { name: 'Name', priority: 0 },
      { name: 'Age', priority: 0 },
    ],
    rows: objects.map((each) => ({
      cells: [each.metadata.name ?? '', ageOf(each)],
      object: each,
    })),
  };
}

function ageOf({ metadata: { creationTimestamp } }: ApiObject): string {
  return creationTimestamp ? formatAge(Date.now() - Date.parse(creationTimestamp)) : '<unknown>';
}

/** The headings of a table. */
export function headings(table: Table, _type: DiscoveredType, look: TableLook): string[] {
  const columns = (table.columnDefinitions ?? []).filter(({ priority }) => look.wide || priority === 0);
  return [
    ...(look.withNamespace ? ['NAMESPACE'] : []),
    ...columns.map(({ name }) => name.toUpperCase()),
    ...look.labelColumns.map((label) => label.slice(label.lastIndexOf('/') + 1).toUpperCase()),
    ...(look.showLabels ? ['LABELS'] : []),
  ];
}

/** The cells of a row, as text. */
export function cellsOf(row: Row, table: Table, type: DiscoveredType, look: TableLook): string[] {
  const cells: string[] = [];
  const { metadata } = row.object ?? {};
  if (look.withNamespace) cells.push(metadata?.namespace ?? '');
  const columns = table.columnDefinitions ?? [];
  let named = false;
  for (let at = 0; at < row.cells.length; at++) {
    const column = columns[at];
    if (column === undefined || (!look.wide && column.priority !== 0)) continue;
    const text = cellText(row.cells[at]);
    if (look.withKind && !named && column.name.toLowerCase() === 'name') {
      named = true;
      cells.push(`${inGroup(type.kind.toLowerCase(), type.group)}/${text}`);
    } else cells.push(text);
  }
  const labels = metadata?.labels ?? {};
  for (const label of look.labelColumns) cells.push(Object.hasOwn(labels, label) ? labels[label]! : '');
  if (look.showLabels) {
    const all = Object.keys(labels)
      .sort()
      .map((key) => `${key}=${labels[key]}`);
    cells.push(all.length === 0 ? '<none>' : all.join(','));
  }
  return cells;
}

/** A cell as one line without characters that would control a terminal. */
function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  const text = typeof cell === 'string' ? cell : goText(cell);
  if (!/\p{Cc}/u.test(text)) return text;
  const end = /[\n\f\r]/.exec(text);
  const line = end === null ? text : `${text.slice(0, end.index)}...`;
  return line.replaceAll('\u001b', '^[').replaceAll(/\p{Cc}/gu, ' ');
}
