import type { LookRequest, ShownColumn, ShownRow, TableMessage } from '../protocol/messages.ts';
import { problemOf } from './problem.ts';
import type { Row } from './row.ts';
import type { TableNeed, TableSource, TableSources, Viewer } from './table-source.ts';
import { type Look, TableView } from './table-view.ts';

/** The shortest time between two messages to a page, in milliseconds: people see no faster changes. */
const EVERY_MS = 100;

/** The largest number of rows that a page is known to hold; beyond this, the page gets its visible rows again. */
const MOST_SENT = 5_000;

/**
 * Sends a message to a page. Returns false if the page does not read; `drained` calls back when the page reads again.
 */
export interface Channel {
  send(event: string, data: unknown): boolean;
  drained(then: () => void): void;
}

/** One open page: its table, and the rows of it that the page already has. */
export class Tab implements Viewer {
  readonly #sources: TableSources;
  readonly #channel: Channel;
  readonly #view = new TableView();
  /** The version of each row that the page has. */
  readonly #sent = new Map<string, number>();
  #need: TableNeed | undefined;
  #source: TableSource | undefined;
  #turn = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStuck = false;
  #isEnded = false;
  #lastAt = 0;

  constructor(sources: TableSources, channel: Channel) {
    this.#sources = sources;
    this.#channel = channel;
  }

  /**
   * Shows a table, or the same table with another window, filter or sort key. @throws NameError if no namespace can
   * have this name
   */
  look(need: TableNeed, { turn, filter, sort, descending, from, count }: LookRequest): void {
    if (this.#isEnded) return;
    const look: Look = { filter, sort, descending, from, count };
    this.#turn = turn;
    if (this.#need === undefined || !isSame(need, this.#need)) {
      const source = this.#sources.join(need, this);
      this.#leave();
      this.#need = need;
      this.#source = source;
      this.#sent.clear();
      this.#view.replace(source.rows);
    }
    this.#view.show(look);
    this.#schedule(0);
  }

  replaced(): void {
    this.#view.replace(this.#source!.rows);
    this.#schedule();
  }

  changed(changes: ReadonlyMap<string, Row | undefined>): void {
    this.#view.change(changes);
    this.#schedule();
  }

  noted(): void {
    this.#schedule();
  }

  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#leave();
  }

  #leave(): void {
    if (this.#need !== undefined) this.#sources.leave(this.#need, this);
    this.#need = undefined;
    this.#source = undefined;
  }

  #schedule(waitMs = Math.max(0, this.#lastAt + EVERY_MS - performance.now())): void {
    if (this.#isStuck || this.#isEnded) return;
    if (this.#timer !== undefined && waitMs > 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#flush(), waitMs);
  }

  #flush(): void {
    this.#timer = undefined;
    this.#lastAt = performance.now();
    if (this.#source === undefined) return;
    if (this.#channel.send('table', this.#message(this.#source))) return;
    // A page that does not read gets the latest state when it reads again. The process stores no messages for it in the
    // meantime.
    this.#isStuck = true;
    this.#channel.drained(() => {
      this.#isStuck = false;
      this.#schedule();
    });
  }

  #message(source: TableSource): TableMessage {
    const rows = this.#view.window;
    if (this.#sent.size > MOST_SENT) this.#sent.clear();
    const forgets = this.#sent.size === 0;
    const fresh = rows.filter(({ uid, version }) => this.#sent.get(uid) !== version);
    for (const { uid, version } of fresh) this.#sent.set(uid, version);
    return {
      turn: this.#turn,
      columns: source.columns.map(shownColumn),
      total: source.rows.size,
      matching: this.#view.matching,
      from: this.#view.from,
      forgets,
      order: rows.map(({ uid }) => uid),
      rows: fresh.map(shownRow),
      isLoaded: source.isLoaded,
      isCut: source.isCut,
      problem: source.problem === undefined ? undefined : problemOf(source.problem),
    };
  }
}

function isSame(a: TableNeed, b: TableNeed): boolean {
  return (
    a.type.plural === b.type.plural &&
    a.type.group === b.type.group &&
    a.type.version === b.type.version &&
    a.namespace === b.namespace &&
    a.labelSelector === b.labelSelector &&
    a.fieldSelector === b.fieldSelector
  );
}

function shownColumn({ name, priority, description = '' }: TableSource['columns'][number]): ShownColumn {
  return { name, priority, description };
}

function shownRow({ uid, name, namespace, created, isGoing, owner, cells }: Row): ShownRow {
  return { uid, name, namespace, created, isGoing, owner, cells };
}
