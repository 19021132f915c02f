import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Request } from './measure.ts';

/** Kinds of system calls, and the calls of Linux that are such. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  read: ['read', 'readv', 'pread64', 'recvfrom', 'recvmsg'],
  write: ['write', 'writev', 'pwrite64', 'sendto', 'sendmsg'],
  wait: ['epoll_wait', 'epoll_pwait', 'epoll_pwait2', 'nanosleep', 'clock_nanosleep', 'poll', 'ppoll'],
  wake: ['futex', 'tgkill', 'rt_sigreturn', 'sched_yield'],
  memory: ['mmap', 'munmap', 'madvise', 'mprotect', 'mremap', 'brk'],
};

/** The number of calls of each kind; `other` counts all other calls. */
export type CallCounts = Readonly<Record<string, number>>;

/** How long strace may take to attach itself and to print its counts, in milliseconds. */
const SETTLE_MS = 1000;

/**
 * The counts in what `strace -c` writes.
 *
 * @example callCounts('% time seconds usecs/call calls errors syscall\n 1.0 0.1 1 200 3 read\n') // { read: 200, … }
 */
export function callCounts(text: string): CallCounts {
  const counts: Record<string, number> = Object.fromEntries([...Object.keys(KINDS), 'other'].map((kind) => [kind, 0]));
  for (const line of text.split('\n')) {
    const [, calls, name] = /^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)\s*$/.exec(line) ?? [];
    if (calls === undefined || name === undefined || name === 'total') continue;
    const kind = Object.keys(KINDS).find((one) => KINDS[one]!.includes(name)) ?? 'other';
    counts[kind]! += Number(calls);
  }
  return counts;
}

/**
 * The system calls of a process for each of `count` requests of one client, one after the other. They include calls
 * that the process makes at the same time for other reasons.
 *
 * @throws Error if `strace` is missing or may not attach itself to the process
 */
export async function systemCalls(pid: number, count: number, request: Request): Promise<CallCounts> {
  const folder = mkdtempSync(path.join(tmpdir(), 'strace-'));
  const counted = path.join(folder, 'counts');
  try {
    const tracer = spawn('strace', ['-f', '-c', '-o', counted, '-p', String(pid)], { stdio: 'ignore' });
    const ended = once(tracer, 'exit');
    ended.catch(() => {});
    await sleep(SETTLE_MS);
    for (let n = 0; n < count; n++) await request(n);
    if (tracer.exitCode !== null) throw new Error(`strace ended at once, with ${tracer.exitCode}`);
    tracer.kill('SIGINT');
    await ended;
    const counts = callCounts(readFileSync(counted, 'utf8'));
    return Object.fromEntries(Object.entries(counts).map(([kind, calls]) => [kind, calls / count]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
