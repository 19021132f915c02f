import type { Outcome } from './send.ts';

/** The status codes of 500 and more that a server may use. They mean not implemented, not available, and timeout. */
const HONEST: ReadonlySet<number> = new Set([501, 503, 504]);

/** The fault of an answer that no request may get. Undefined if there is none. */
export function complaint({ status, type, body }: Outcome): string | undefined {
  const text = body.toString('utf8');
  if (status === 0) return `no answer: ${type}`;
  if (status >= 500 && !HONEST.has(status)) return `${status}: ${text.slice(0, 300)}`;
  if (status >= 400 && type === 'application/json' && body.length > 0 && !isStatus(text))
    return `${status} without a Status: ${text.slice(0, 300)}`;
  return undefined;
}

function isStatus(text: string): boolean {
  try {
    return JSON.parse(text).kind === 'Status';
  } catch {
    return false;
  }
}
