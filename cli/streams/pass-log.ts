import type { Writable } from 'node:stream';
import { isAborted } from '#client/errors.ts';
import { pathSegment } from '#client/path-segment.ts';
import { writeTo } from '#client/streams/web-socket.ts';
import type { Invocation } from '../command-line/command.ts';
import type { LogSource } from './sources.ts';

const NEW_LINE = 0x0a;
/** The largest size of a line. A longer line of a log is written in parts. */
const LONGEST_LINE = 1 << 20;

/** Options for passing a log. */
export interface Passing {
  /** The options of the request. */
  readonly query?: URLSearchParams;
  /** Whether each line begins with its source. */
  readonly prefixed?: boolean;
  /** The output, by default standard output. */
  readonly to?: Writable;
}

/** Writes a log when it arrives, in whole lines. The server waits for a slow reader. */
export async function passLog(
  { session, io }: Invocation,
  { namespace, pod, container }: LogSource,
  { query = new URLSearchParams(), prefixed = false, to = io.streams.output }: Passing = {},
): Promise<void> {
  const [space, name] = [pathSegment(namespace, 'namespace'), pathSegment(pod)];
  const all = new URLSearchParams([['container', container], ...query]);
  const path = `/api/v1/namespaces/${space}/pods/${name}/log?${all}`;
  const client = await session.client();
  const headers = { accept: 'application/json, */*' };
  const { requestTimeoutMs: timeoutMs } = session.settings;
  const incoming = await client.open({ method: 'GET', path, headers, timeoutMs });
  const prefix = Buffer.from(prefixed ? `[pod/${pod}/${container}] ` : '');
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const piece of incoming.pieces()) {
      const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      const end = bytes.length > LONGEST_LINE ? bytes.length : bytes.lastIndexOf(NEW_LINE) + 1;
      rest = bytes.subarray(end);
      if (end > 0) await writeTo(to, withPrefix(bytes.subarray(0, end), prefix));
    }
  } catch (error) {
    if (io.signal.aborted || isAborted(error)) io.signal.throwIfAborted();
    throw error;
  } finally {
    if (rest.length > 0) await writeTo(to, withPrefix(rest, prefix));
  }
}

/** Adds a prefix to each line. */
function withPrefix(lines: Buffer, prefix: Buffer): Buffer {
  if (prefix.length === 0) return lines;
  const parts: Buffer[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = lines.indexOf(NEW_LINE, at);
    const next = end < 0 ? lines.length : end + 1;
    parts.push(prefix, lines.subarray(at, next));
    at = next;
  }
  return Buffer.concat(parts);
}
