import { spawn, spawnSync } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import { type Outcome, runLine } from '#cli/testing/run-line.ts';

export type { Outcome };

/** The path of the other program. Undefined if this machine does not have it. */
export function findYardstick(): string | undefined {
  const found = spawnSync('sh', ['-c', 'command -v kubectl'], { encoding: 'utf8' });
  return found.status === 0 ? found.stdout.trim() : undefined;
}

/** Runs the other program. */
export function runYardstick(
  program: string,
  words: readonly string[],
  kubeconfig: string,
  input = '',
  cwd?: string,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    const child = spawn(program, words, {
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(cwd === undefined ? {} : { cwd }),
    });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text) => (texts[name] += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...texts, code: code ?? 1 }));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** Runs this client as a shell does. */
export function runOwn(words: readonly string[], kubeconfig: string, home: string, input = ''): Promise<Outcome> {
  return runLine(words, { env: { ...process.env, KUBECONFIG: kubeconfig }, home, input });
}

/**
 * Both outcomes without the parts that may differ from call to call. These are times, ages, versions and the program's
 * name.
 */
export function alike({ stdout, stderr, code }: Outcome): Outcome {
  return { stdout: normalized(stdout), stderr: normalized(stderr), code };
}

/** An outcome with sorted lines in each stream, for output without an order. */
export function inAnyOrder({ stdout, stderr, code }: Outcome): Outcome {
  const sorted = (text: string) => text.split('\n').sort().join('\n');
  return { stdout: sorted(stdout), stderr: sorted(stderr), code };
}

/** Whether two outcomes differ only in the order of their words. */
export function isReordered(one: Outcome, other: Outcome): boolean {
  const words = ({ stdout, stderr, code }: Outcome) =>
    JSON.stringify([stdout, stderr].map((text) => text.match(/[^\s,;:]+|\S/g)?.sort()).concat([[String(code)]]));
  return !isDeepStrictEqual(one, other) && words(one) === words(other);
}

function normalized(text: string): string {
  return (
    text
      .replaceAll(/\b(kubectl|orchctl)\b/g, 'PROGRAM')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
      .replaceAll(/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \+0000/g, 'TIME')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
      .replaceAll(
        /resourceVersion: "\d+"|\\?"resourceVersion\\?": ?\\?"\d+\\?"|Resource Version: +\d+|\bresourceVersion:\d+/g,
        'VERSION',
      )
      .replaceAll(/ {2,}(\d+[smhd])+(?= *$| {2})/gm, '   AGE')
      .replaceAll(/\(lasts (\d+[smhd])+\)/g, '(lasts AGE)')
      // The column is as wide as its longest age. This age may have changed between the two calls.
      .replaceAll(/AGE {3,}/g, 'AGE   ')
      .replaceAll(
        /\b(kube-api-access-|(?:node-)?debugger-(?:[a-z0-9-]+-)?)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g,
        '$1HASH',
      )
      .replaceAll(/\S*\/(LIVE|MERGED)-\w+/g, '$1')
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [-+]\d{4}/g, 'TIME')
      // These are log lines of the other program's library, for example when it is throttled on a busy machine.
      .replaceAll(/^[EIW]\d{4} .*\n/gm, '')
      // The other program prints these parts only in releases later than the compared one.
      .replaceAll(/\bkyaml,|^kyaml\n/gm, '')
      .replaceAll(/^(--)?kuberc(\t.*)?\n/gm, '')
      .replaceAll(/ +$/gm, '')
  );
}

/** Splits a line into words. They are separated by spaces, or in quotes. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:[^\s'"]+|'[^']*'|"(?:[^"\\]|\\.)*")+/g)].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|"((?:[^"\\]|\\.)*)"/g,
      (_, single?: string, double?: string) => single ?? double!.replaceAll(/\\(["\\$])/g, '$1'),
    ),
  );
}
