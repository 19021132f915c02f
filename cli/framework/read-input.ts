import { addAbortSignal, type Readable } from 'node:stream';

/**
 * All that comes from a stream, as text.
 * @throws AbortError as soon as the signal is aborted, also where nothing comes and the stream never ends
 */
export async function readAll(stream: Readable, signal: AbortSignal): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of addAbortSignal(signal, stream)) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
