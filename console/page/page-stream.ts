import type { Problem, TableMessage } from '../protocol/messages.ts';
import { AWAY, ask, problemOf } from './ask.ts';

/** What a page does with its stream. */
export interface StreamUse {
  /** A stream has begun. The process knows the page by this id until the stream ends. */
  readonly onTab: (id: string) => void;
  readonly onTable: (message: TableMessage) => void;
  /** There is no stream, and why. */
  readonly onProblem: (problem: Problem) => void;
  /** The page has given the stream up, because it is hidden. */
  readonly onHidden: () => void;
}

/** The time until the page asks again for a stream that was refused, in milliseconds. */
const AGAIN_MS = 3_000;

/**
 * Follows the stream of the process while the page is in view, and returns a function that ends it. A browser opens at
 * most six connections to one server, for all of its pages together. So a hidden page leaves its connection to others.
 */
export function followStream({ onTab, onTable, onProblem, onHidden }: StreamUse): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const close = (): void => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  const again = (problem: Problem): void => {
    close();
    onProblem(problem);
    timer = setTimeout(open, AGAIN_MS);
  };
  const open = (): void => {
    close();
    const opened = new EventSource('/api/stream');
    source = opened;
    opened.addEventListener('tab', ({ data }) => onTab((JSON.parse(data) as { id: string }).id));
    opened.addEventListener('table', ({ data }) => onTable(JSON.parse(data) as TableMessage));
    opened.addEventListener('refused', ({ data }) => again((JSON.parse(data) as { problem: Problem }).problem));
    opened.addEventListener('error', () => {
      // The browser itself tries again, unless the answer was no stream. Another request then gets the reason.
      if (opened.readyState !== EventSource.CLOSED) onProblem(AWAY);
      else
        ask('access').then(
          () => opened === source && again(AWAY),
          (error) => opened === source && again(problemOf(error)),
        );
    });
  };
  const follow = (): void => {
    if (document.visibilityState === 'visible') {
      if (source === undefined) open();
    } else {
      close();
      onHidden();
    }
  };

  document.addEventListener('visibilitychange', follow);
  follow();
  return () => {
    document.removeEventListener('visibilitychange', follow);
    close();
  };
}
