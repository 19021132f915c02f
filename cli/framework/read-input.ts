import { addAbortSignal, type Readable } from 'node:stream';

/**
 * Reads a stream to its end, as text.
 * @throws AbortError as soon as the signal is aborted, even if the stream sends nothing and never ends
 */
export async function readAll(stream: Readable, signal: AbortSignal): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of addAbortSignal(signal, stream)) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
