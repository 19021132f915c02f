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

/** Resident memory of a process, in megabytes. */
export function residentMb(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) / 1024;
}
