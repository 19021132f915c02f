import { useEffect, useState } from 'preact/hooks';
import type { Problem } from '../protocol/messages.ts';
import { ask, problemOf } from './ask.ts';

/** For requests without fields. */
export const NO_FIELDS: Readonly<Record<string, string>> = {};

/** The answer of the process, or the reason why there is none; both undefined until the process has answered. */
export interface Answered<T> {
  readonly answer: T | undefined;
  readonly problem: Problem | undefined;
  readonly again: () => void;
}

/**
 * Requests data from the process, once or repeatedly. The latest answer stays until the next one arrives.
 *
 * @param everyMs the time after an answer until the next question, in milliseconds; undefined to ask only once
 */
export function useAnswer<T>(path: string, fields: Readonly<Record<string, string>>, everyMs?: number): Answered<T> {
  const [answer, setAnswer] = useState<T>();
  const [problem, setProblem] = useState<Problem>();
  const [round, setRound] = useState(0);
  const key = JSON.stringify([path, fields]);
  useEffect(() => {
    setAnswer(undefined);
    setProblem(undefined);
  }, [key]);
  useEffect(() => {
    let isGone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = (): void => {
      ask<T>(path, fields)
        .then(
          (found) => {
            if (isGone) return;
            setAnswer(() => found);
            setProblem(undefined);
          },
          (error) => {
            if (!isGone) setProblem(problemOf(error));
          },
        )
        .finally(() => {
          if (!isGone && everyMs !== undefined) timer = setTimeout(look, everyMs);
        });
    };
    // A hidden page sends no requests.
    const look = (): void => {
      if (document.visibilityState === 'visible') read();
      else timer = setTimeout(look, everyMs);
    };
    read();
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [key, round, everyMs]);
  return { answer, problem, again: () => setRound((before) => before + 1) };
}
