import type { ServerResponse } from 'node:http';
import type { LogLine } from '../pod-memory.ts';
import { inWords, type Place, statusIn } from './place.ts';

/** The log of a container. It has the steps of its simulation since the start of this process. */
function linesOf(place: Place, previous: boolean): readonly LogLine[] {
  const runs: LogLine[][] = [[]];
  for (const line of place.memory.lines(place.container)) {
    if (line.text.startsWith('Pulled: ')) runs.push([]);
    runs.at(-1)!.push(line);
  }
  return (previous ? runs.at(-2) : runs.at(-1)) ?? [];
}

/**
 * Writes the log of a container with the options of the query. With `follow` it continues until the client disconnects.
 */
export function writeLog(response: ServerResponse, place: Place, query: URLSearchParams): void {
  const status = statusIn(place);
  const previous = query.get('previous') === 'true';
  const { name } = place.pod.metadata;
  if (previous && (status?.restartCount ?? 0) === 0) {
    const message = `previous terminated container "${place.container}" in pod "${name}" not found`;
    response.writeHead(400).end(message);
    return;
  }
  if (status?.state?.waiting !== undefined && status.restartCount === 0) {
    const { reason = '' } = status.state.waiting;
    const message = `container "${place.container}" in pod "${name}" is waiting to start: ${reason}`;
    response.writeHead(400).end(message);
    return;
  }
  const limit = numberOf(query, 'limitBytes') ?? Number.POSITIVE_INFINITY;
  let left = limit;
  const write = (lines: readonly LogLine[]) => {
    const text = Buffer.from(lines.map((line) => lineText(line, query.get('timestamps') === 'true')).join(''));
    if (left <= 0 || text.length === 0) return;
    response.write(text.subarray(0, left));
    left -= text.length;
  };
  response.writeHead(200, { 'content-type': 'text/plain' });
  const header = { at: Date.parse(place.pod.status?.startTime ?? '') || 0, text: `${inWords(place)}: nothing runs` };
  const all = [{ ...header, container: place.container }, ...linesOf(place, previous)];
  const since = sinceOf(query);
  const shown = all.filter(({ at }) => at >= since);
  const tail = numberOf(query, 'tailLines');
  write(tail === undefined ? shown : shown.slice(shown.length - Math.min(tail, shown.length)));
  if (query.get('follow') !== 'true' || left <= 0) {
    response.end();
    return;
  }
  response.flushHeaders();
  let known = place.memory.lines(place.container).length;
  const stop = place.memory.onLine(() => {
    const lines = place.memory.lines(place.container);
    write(lines.slice(known));
    known = lines.length;
    if (left <= 0) response.end();
  });
  response.once('close', stop);
}

function lineText({ at, text }: LogLine, timestamps: boolean): string {
  const time = timestamps ? `${new Date(at).toISOString().replace('Z', '000000Z')} ` : '';
  return `${time}simulated: ${text}\n`;
}

function numberOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function sinceOf(query: URLSearchParams): number {
  const seconds = numberOf(query, 'sinceSeconds');
  if (seconds !== undefined) return Date.now() - seconds * 1000;
  const time = Date.parse(query.get('sinceTime') ?? '');
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}
