import type { ApiObject } from '#schema/objects/api-object.ts';
import { AnswerError } from '../answers.ts';
import type { Client } from '../client.ts';
import type { Reflected } from '../informer/reflector.ts';
import { parseJson } from '../json.ts';
import { type List, type ListOptions, query, type WatchOptions } from '../resource-client.ts';
import type { ResourceType } from '../resource-type.ts';
import { readEvents, type WatchEvent } from '../watch-events.ts';
import { type Column, type Table, tableOf } from './table-answer.ts';

/** A row of a table: the metadata of its object, and its cells in the order of the columns. */
export interface TableRow extends ApiObject {
  readonly cells: readonly unknown[];
}

/**
 * Lists and watches the objects of a type as rows of a table. The server chooses the columns.
 *
 * @example
 * const rows = new TableClient(client, type, undefined, (columns) => show(columns));
 * await reflect(rows, sink, signal);
 */
export class TableClient implements Reflected<TableRow> {
  readonly #client: Client;
  readonly #path: string;
  readonly #onColumns: (columns: readonly Column[]) => void;

  /**
   * @param namespace undefined means all namespaces
   * @param onColumns is called with the columns of each list
   * @throws NameError if no namespace can have this name
   */
  constructor(
    client: Client,
    type: ResourceType,
    namespace: string | undefined,
    onColumns: (columns: readonly Column[]) => void,
  ) {
    this.#client = client;
    this.#path = client.resource(type).in(namespace).path;
    this.#onColumns = onColumns;
  }

  async list(options: ListOptions = {}): Promise<List<TableRow>> {
    const { signal, timeoutMs, ...fields } = options;
    const path = this.#path + query(fields);
    const answer = await this.#client.call({ method: 'GET', path, headers: this.#headers(), signal, timeoutMs });
    const table = tableOf(parseJson(answer.text));
    if (table === undefined) throw new AnswerError('the server does not answer with tables');
    if (table.columnDefinitions !== null) this.#onColumns(table.columnDefinitions);
    return { metadata: table.metadata ?? {}, items: rowsOf(table) };
  }

  async watch(options: WatchOptions = {}): Promise<AsyncGenerator<WatchEvent<TableRow>, void, void>> {
    const { signal, timeoutMs, ...fields } = options;
    const path = this.#path + query({ watch: true, ...fields });
    const incoming = await this.#client.open({ method: 'GET', path, headers: this.#headers(), signal, timeoutMs });
    return rowEvents(readEvents<ApiObject>(incoming));
  }

  #headers(): Record<string, string> {
    return { accept: `application/json;as=Table;v=v1;g=${this.#client.naming.group('meta')}` };
  }
}

async function* rowEvents(
  events: AsyncGenerator<WatchEvent<ApiObject>, void, void>,
): AsyncGenerator<WatchEvent<TableRow>, void, void> {
  for await (const { type, object } of events) {
    const table = tableOf(object);
    const row = table === undefined ? undefined : rowsOf(table)[0];
    if (row === undefined) throw new AnswerError('the server sent an event that is no row of a table');
    yield { type, object: row };
  }
}

function rowsOf({ rows }: Table): TableRow[] {
  return (rows ?? []).map(({ cells, object }) => {
    if (object === undefined) throw new AnswerError('a row of the table that the server sent has no object');
    return { metadata: object.metadata, cells };
  });
}
