import type { AnswerHeaders } from './answer.ts';

/** The texts of `Warning: 299 - "text"` headers. RFC 7234, 5.5 describes them, and RFC 9111 no longer does. */
export function warningsIn(headers: AnswerHeaders): string[] {
  const given = headers['warning'];
  if (given === undefined) return [];
  const lines = Array.isArray(given) ? given : [given];
  return lines.flatMap((line) =>
    [...line.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text!.replaceAll(/\\(.)/g, '$1')),
  );
}
