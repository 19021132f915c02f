import { useEffect, useRef, useState } from 'preact/hooks';
import type { LookRequest, Problem, ShownRow, TableMessage } from '../protocol/messages.ts';
import { post, problemOf } from './ask.ts';
import { followStream } from './page-stream.ts';

/** A row on the page, and the cells that changed with the last message. */
export interface LiveRow extends ShownRow {
  readonly changed: ReadonlySet<number>;
  /** Grows with each change, so that the mark of a change shows once more. */
  readonly beat: number;
}

/** The table as it is now. */
export interface LiveTable extends Omit<TableMessage, 'rows' | 'order' | 'forgets'> {
  readonly rows: readonly LiveRow[];
}

export interface Stream {
  readonly table: LiveTable | undefined;
  readonly problem: Problem | undefined;
}

type Look = Omit<LookRequest, 'tab' | 'turn'>;

/** Follows the table that `look` describes, over one stream of the page. */
export function useTable(look: Look | undefined): Stream {
  const [tab, setTab] = useState<string>();
  const [table, setTable] = useState<LiveTable>();
  const [problem, setProblem] = useState<Problem>();
  const rows = useRef(new Map<string, LiveRow>());
  const turn = useRef(0);
  /** The first turn of the present table: messages with an earlier turn belong to another table. */
  const since = useRef(0);

  useEffect(() => {
    return followStream({
      onTab: (id) => {
        rows.current.clear();
        setTab(id);
        setProblem(undefined);
      },
      onTable: (message) => {
        if (message.turn < since.current) return;
        setTable(live(message, rows.current));
      },
      onProblem: setProblem,
      onHidden: () => setTab(undefined),
    });
  }, []);

  const isAbout =
    look === undefined ? '' : [look.kind, look.namespace, look.labelSelector, look.fieldSelector].join('\n');
  useEffect(() => {
    since.current = turn.current + 1;
    setTable(undefined);
  }, [isAbout]);

  const key = JSON.stringify(look);
  useEffect(() => {
    if (tab === undefined || look === undefined) return;
    post('look', { ...look, tab, turn: ++turn.current }).then(
      () => setProblem(undefined),
      (error) => setProblem(problemOf(error)),
    );
  }, [tab, key]);

  return { table, problem };
}

function live({ rows: sent, order, forgets, ...message }: TableMessage, known: Map<string, LiveRow>): LiveTable {
  if (forgets) known.clear();
  for (const row of sent) {
    const old = known.get(row.uid);
    const changed = new Set(row.cells.flatMap((cell, at) => (old !== undefined && old.cells[at] !== cell ? [at] : [])));
    known.set(row.uid, { ...row, changed, beat: (old?.beat ?? 0) + 1 });
  }
  return { ...message, rows: order.flatMap((uid) => known.get(uid) ?? []) };
}
