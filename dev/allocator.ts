import process from 'node:process';

/** The same settings as in the images and the units of a replica. docs/decisions/glibc-settings.md gives the reason. */
const SETTINGS: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' };

/**
 * The size of the young generation, in megabytes. Young objects are few in a cluster at rest. With many, the engine
 * would not return the memory for them. The engine reads this flag only when a process starts. A flag of the user comes
 * later on the command line, and takes precedence.
 */
const YOUNG_GENERATION = '--max-semi-space-size=2';

/**
 * Makes the C allocator return free memory to the system, and keeps the young generation small. Both settings are read
 * when a process starts. So the process executes itself again and keeps its id. At rest this saves 20 MB, and it costs
 * 40 ms. It does nothing in these cases: the settings are already set, the system is another one, this Node.js cannot
 * replace its process, or a parent process exchanges messages with it.
 */
export function settleAllocator(): void {
  const { env, platform, execPath, execArgv, argv } = process;
  if (platform !== 'linux' || process.execve === undefined || process.send !== undefined) return;
  if (Object.keys(SETTINGS).some((name) => env[name] !== undefined)) return;
  process.execve(execPath, [execPath, YOUNG_GENERATION, ...execArgv, ...argv.slice(1)], {
    ...env,
    ...SETTINGS,
  } as NodeJS.ProcessEnv);
}
