import { readdirSync, readFileSync } from 'node:fs';

/**
 * Processor time that the threads of a process have used, in milliseconds. To the nanosecond, where `/proc/PID/stat`
 * counts in hundredths of a second (Linux, Documentation/scheduler/sched-stats).
 */
export function cpuMs(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  const nanoseconds = readdirSync(tasks).map((id) =>
    Number(readFileSync(`${tasks}/${id}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
}

/** A process, and those that it has started: the workers of a server. */
export function familyOf(pid: number): number[] {
  const started = readdirSync(`/proc/${pid}/task`).flatMap((id) =>
    readFileSync(`/proc/${pid}/task/${id}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...started.flatMap(familyOf)];
}

/**
 * The private memory of some processes, in megabytes: without the program and its libraries, which processes share.
 */
export function ownMb(pids: readonly number[]): number {
  const kilobytes = (pid: number): number =>
    Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  return pids.reduce((sum, pid) => sum + kilobytes(pid), 0) / 1024;
}

/** Resident memory of a process, in megabytes. */
export function residentMb(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) / 1024;
}
