import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A background process whose output goes to a file. */
export interface Background {
  readonly name: string;
  readonly log: string;
  readonly pid: number;
  /** Its last output. */
  tail(): string;
  /** Undefined while it runs. */
  exit(): string | undefined;
  /** Asks it to end, and ends it after 10 s. */
  stop(): Promise<void>;
}

/** All running processes. One listener ends them all: with one each, Node.js would warn of too many listeners. */
const running = new Set<ChildProcess>();

function endAll(): void {
  for (const child of running) child.kill('SIGTERM');
}

function forget(child: ChildProcess): void {
  if (running.delete(child) && running.size === 0) process.off('exit', endAll);
}

/** Starts a process apart from the terminal, so that Ctrl-C reaches only us and we can stop things in order.
 * It does not outlive us either way. `more` is added to the environment. */
export function startBackground(
  name: string,
  command: string,
  args: readonly string[],
  log: string,
  more: Readonly<Record<string, string>> = {},
): Background {
  const output = openSync(log, 'w');
  const env = { ...process.env, ...more };
  const child: ChildProcess = spawn(command, args, { stdio: ['ignore', output, output], detached: true, env });
  closeSync(output);
  if (running.size === 0) process.once('exit', endAll);
  running.add(child);
  child.once('exit', () => forget(child));
  child.once('error', () => forget(child));
  let failure: string | undefined;
  child.once('error', (error) => {
    failure = error.message;
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  return {
    name,
    log,
    pid: child.pid ?? 0,
    tail: () => readFileSync(log, 'utf8').trimEnd().split('\n').slice(-15).join('\n'),
    exit: () =>
      failure ??
      (child.exitCode !== null
        ? `status ${child.exitCode}`
        : child.signalCode
          ? `signal ${child.signalCode}`
          : undefined),
    stop: async () => {
      child.kill('SIGTERM');
      if (!(await Promise.race([ended.then(() => true), sleep(10_000, false, { ref: false })]))) child.kill('SIGKILL');
      await ended;
    },
  };
}

/**
 * Waits until `check` is true.
 * @throws Error with the last output when the process ends before, or after `seconds`
 */
export async function waitFor(process: Background, seconds: number, check: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const exit = process.exit();
    if (exit !== undefined) throw new Error(`${process.name} ended with ${exit}:\n${process.tail()}`);
    if (await check().catch(() => false)) return;
    if (Date.now() > end)
      throw new Error(`${process.name} is not ready after ${seconds} s; ${process.log} says:\n${process.tail()}`);
    await sleep(100);
  }
}

/**
 * The first port from `start` upwards that no process listens on and that is not in `taken`. A port that is used later
 * is below 32,768: the system gives ports from there on to outgoing connections.
 */
export async function freePort(start: number, taken: readonly number[] = []): Promise<number> {
  for (let port = start; port <= 65535; port++) if (!taken.includes(port) && (await isFree(port))) return port;
  throw new Error(`There is no free port from ${start} on.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '0.0.0.0', () => server.close(() => resolve(true)));
  });
}
