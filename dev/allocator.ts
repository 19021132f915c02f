import process from 'node:process';

/** As the images and the units of a replica have it: docs/decisions/glibc-settings.md says what for. */
const SETTINGS: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' };

/**
 * Has the allocator of the system give back what is free. It reads its settings when a process starts, so the process
 * begins once more, in its own place and with its own id: 10 MB less at rest, for 40 ms. Returns where nothing is to be
 * done: where they are set, on other systems, where this Node.js cannot, and where a parent talks to the process.
 */
export function settleAllocator(): void {
  const { env, platform, execPath, execArgv, argv } = process;
  if (platform !== 'linux' || process.execve === undefined || process.send !== undefined) return;
  if (Object.keys(SETTINGS).some((name) => env[name] !== undefined)) return;
  process.execve(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, ...SETTINGS } as NodeJS.ProcessEnv);
}
