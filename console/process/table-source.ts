import type { Client } from '#client/client.ts';
import { reflect } from '#client/informer/reflector.ts';
import type { ResourceType } from '#client/resource-type.ts';
import type { Column } from '#client/tables/table-answer.ts';
import { TableClient, type TableRow } from '#client/tables/table-client.ts';
import type { Problem } from '../protocol/messages.ts';
import { ExplainedError } from './problem.ts';
import { type Row, rowOf } from './row.ts';
import type { WhyNot } from './why-not.ts';

/** The objects of a table. */
export interface TableNeed {
  readonly type: ResourceType;
  /** Undefined means all namespaces. */
  readonly namespace: string | undefined;
  readonly labelSelector: string;
  readonly fieldSelector: string;
}

/** A viewer of a table. */
export interface Viewer {
  /** All rows were replaced. */
  replaced(): void;
  /** The changed rows, by their uid; undefined for a row that was removed. */
  changed(changes: ReadonlyMap<string, Row | undefined>): void;
  /** The state of the source has changed: see {@link TableSource.problem}. */
  noted(): void;
}

/** The largest number of rows that a table keeps: about 1 KB each. */
const MOST_ROWS = 200_000;

/** One table that the process follows, for all of its viewers. */
export class TableSource {
  readonly rows = new Map<string, Row>();
  readonly viewers = new Set<Viewer>();
  #columns: readonly Column[] = [];
  #problem: unknown;
  #isLoaded = false;
  #isCut = false;
  #version = 0;
  readonly #ending = new AbortController();

  constructor(client: Client, need: TableNeed, why: WhyNot) {
    const { type, namespace, labelSelector, fieldSelector } = need;
    const table = new TableClient(client, type, namespace, (columns) => {
      this.#columns = columns;
    });
    const sink = {
      replace: (items: readonly TableRow[]) => this.#replace(items),
      change: (event: 'ADDED' | 'MODIFIED' | 'DELETED', item: TableRow) => this.#change(event, item),
    };
    void reflect(table, sink, this.#ending.signal, {
      labelSelector: labelSelector || undefined,
      fieldSelector: fieldSelector || undefined,
      onError: (error) => {
        if (this.#problem === undefined) this.#note(error);
        void why.problemOf(error, namespace ?? '').then((problem) => this.#explain(problem));
      },
      onVersion: () => this.#note(undefined),
    });
  }

  get columns(): readonly Column[] {
    return this.#columns;
  }

  /** Why the table is not up to date; undefined if it is. */
  get problem(): unknown {
    return this.#problem;
  }

  /** Whether the table was complete once. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  /** Whether there are more rows than the source stores. */
  get isCut(): boolean {
    return this.#isCut;
  }

  end(): void {
    this.#ending.abort();
  }

  #replace(items: readonly TableRow[]): void {
    this.rows.clear();
    this.#isCut = items.length > MOST_ROWS;
    for (const item of items.slice(0, MOST_ROWS)) {
      const row = rowOf(item, ++this.#version);
      this.rows.set(row.uid, row);
    }
    this.#isLoaded = true;
    for (const viewer of this.viewers) viewer.replaced();
  }

  #change(event: 'ADDED' | 'MODIFIED' | 'DELETED', item: TableRow): void {
    const row = rowOf(item, ++this.#version);
    if (event === 'DELETED') this.rows.delete(row.uid);
    else if (this.rows.has(row.uid) || this.rows.size < MOST_ROWS) this.rows.set(row.uid, row);
    else {
      this.#isCut = true;
      return;
    }
    const changes = new Map([[row.uid, event === 'DELETED' ? undefined : row]]);
    for (const viewer of this.viewers) viewer.changed(changes);
  }

  /** A table that works again meanwhile has no problem any more. */
  #explain(problem: Problem): void {
    if (this.#problem === undefined) return;
    const isKnown = this.#problem instanceof ExplainedError && this.#problem.message === problem.message;
    if (!isKnown) this.#note(new ExplainedError(problem));
  }

  #note(problem: unknown): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    for (const viewer of this.viewers) viewer.noted();
  }
}

/**
 * How long the last table without viewers stays, in milliseconds: a hidden page often comes back into view soon.
 */
const LINGER_MS = 30_000;

/** The tables in use. All viewers of a table share one source. */
export class TableSources {
  readonly #client: Client;
  readonly #why: WhyNot;
  readonly #sources = new Map<string, TableSource>();
  /** The table without viewers that still stays. There is at most one. */
  #lingering: { readonly key: string; readonly timer: NodeJS.Timeout } | undefined;

  constructor(client: Client, why: WhyNot) {
    this.#client = client;
    this.#why = why;
  }

  /** Adds a viewer to a table. @throws NameError if no namespace can have this name */
  join(need: TableNeed, viewer: Viewer): TableSource {
    const key = keyOf(need);
    if (this.#lingering?.key === key) this.#endWait();
    let source = this.#sources.get(key);
    if (source === undefined) this.#sources.set(key, (source = new TableSource(this.#client, need, this.#why)));
    source.viewers.add(viewer);
    return source;
  }

  /** Removes a viewer. A table without viewers stays for some seconds, or until another one has none. */
  leave(need: TableNeed, viewer: Viewer): void {
    const key = keyOf(need);
    const source = this.#sources.get(key);
    if (source === undefined) return;
    source.viewers.delete(viewer);
    if (source.viewers.size > 0) return;
    this.#endLingering();
    this.#lingering = { key, timer: setTimeout(() => this.#endLingering(), LINGER_MS).unref() };
  }

  /** Stops following the table that has no viewers. */
  #endLingering(): void {
    const key = this.#lingering?.key;
    if (key === undefined) return;
    this.#endWait();
    this.#sources.get(key)?.end();
    this.#sources.delete(key);
  }

  #endWait(): void {
    clearTimeout(this.#lingering?.timer);
    this.#lingering = undefined;
  }

  end(): void {
    this.#endWait();
    for (const source of this.#sources.values()) source.end();
    this.#sources.clear();
  }
}

function keyOf({ type, namespace, labelSelector, fieldSelector }: TableNeed): string {
  return JSON.stringify([type.group, type.version, type.plural, namespace, labelSelector, fieldSelector]);
}
