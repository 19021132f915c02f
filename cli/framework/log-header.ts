import type { Io } from './io.ts';

/** The beginning of a line of the log. It has the severity, the time, the process and the program. */
export function logHeader(gravity: 'I' | 'W', io: Io): string {
  const now = new Date(io.now());
  const two = (number: number) => String(number).padStart(2, '0');
  const time = `${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())}.${String(now.getMilliseconds()).padStart(3, '0')}000`;
  const date = `${two(now.getMonth() + 1)}${two(now.getDate())}`;
  return `${gravity}${date} ${time} ${String(process.pid).padStart(7)} orchctl] `;
}
