import type { Problem } from '../protocol/messages.ts';

/** The process, or the server behind it, refused a request. */
class ProblemError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Requests data from the process. @throws ProblemError */
export function ask<T>(path: string, fields: Readonly<Record<string, string>> = {}): Promise<T> {
  const search = new URLSearchParams(fields).toString();
  return exchange<T>(`/api/${path}${search === '' ? '' : `?${search}`}`, {});
}

/** Sends a change to the process. @throws ProblemError */
export function post<T>(path: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json', 'x-orch-console': '1' };
  return exchange<T>(`/api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Whether the user has done something since the page's last request. */
let isUsed = true;

/** Notes each action of the user: the session of a page that only asks by itself ends. */
export function watchUse(): void {
  for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel'])
    addEventListener(event, () => (isUsed = true), { capture: true, passive: true });
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function exchange<T>(url: string, init: Sent): Promise<T> {
  const headers = { ...init.headers, ...(isUsed ? {} : { 'x-orch-idle': '1' }) };
  isUsed = false;
  let answer: Response;
  try {
    answer = await fetch(url, { ...init, headers });
  } catch {
    throw new ProblemError(AWAY);
  }
  const value = (await answer.json()) as T & { readonly problem?: Problem };
  if (!answer.ok && value.problem !== undefined) throw new ProblemError(value.problem);
  return value;
}

/** The process behind the page does not answer. */
export const AWAY: Problem = {
  code: 0,
  reason: 'ConsoleEnded',
  message: 'The console does not answer: it was stopped, or was not used for an hour.',
  causes: [],
  advice: 'Start it again with "orchctl console", and open the address that it prints.',
};

/** The problem that the page shows for any thrown value. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  return { code: 0, reason: 'Page', message: String(error), causes: [], advice: 'Load the page again.' };
}
