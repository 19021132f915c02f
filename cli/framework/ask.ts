import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { TextOutput } from '#program/process/standard-output.ts';
import type { Io } from './io.ts';

/** The longest answer, in characters. Longer answers are cut, because no person types them. */
const LONGEST = 1000;

/**
 * Writes a question to a stream, and returns the line that the user enters. Returns '' at the end of the input. Rejects
 * at Ctrl-C.
 */
export async function ask({ streams, signal }: Io, asked: TextOutput, question: string): Promise<string> {
  asked.write(question);
  const input: Io['streams']['input'] & Partial<Pick<Socket, 'ref' | 'unref'>> = streams.input;
  input.ref?.();
  try {
    return await lineOf(input, signal);
  } finally {
    // A stream that is still read would prevent the process from ending. After a pause, the stream is not read again.
    input.unref?.();
  }
}

async function lineOf(input: Io['streams']['input'], signal: AbortSignal): Promise<string> {
  let text = '';
  while (!text.includes('\n') && text.length < LONGEST) {
    const chunk = input.read() as Buffer | string | null;
    if (chunk !== null) text += chunk.toString();
    else if (input.readableEnded || input.destroyed) break;
    else await moreOf(input, signal);
  }
  const end = text.indexOf('\n');
  // The rest of the input is the answer to the next question.
  if (end >= 0 && end + 1 < text.length) input.unshift(Buffer.from(text.slice(end + 1)));
  return (end < 0 ? text : text.slice(0, end)).trim();
}

async function moreOf(input: Io['streams']['input'], signal: AbortSignal): Promise<void> {
  const either = new AbortController();
  const options = { signal: AbortSignal.any([signal, either.signal]) };
  const events = ['readable', 'end', 'close'].map((event) => once(input, event, options));
  try {
    await Promise.race(events);
  } finally {
    either.abort();
    await Promise.allSettled(events);
  }
}
