import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Step } from './read-page.ts';

/**
 * Executes a step of a page in a copy of the project.
 * @throws Error if a text is missing or occurs more than once, or if a command fails
 */
export function follow(step: Step, folder: string): void {
  if (step.do === 'run') {
    run(step.command, folder);
    return;
  }
  const file = path.join(folder, step.file);
  if (step.do === 'create') {
    if (existsSync(file)) throw new Error(`${step.file} is there already`);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, step.text);
  } else if (step.do === 'append') {
    appendFileSync(file, `\n${step.text}`);
  } else {
    const lines = readFileSync(file, 'utf8').split('\n');
    const places = lines.flatMap((line, n) => (line.includes(step.at) ? [n] : []));
    if (places.length !== 1) throw new Error(`${step.file} has ${places.length} lines with ${step.at}`);
    lines.splice(
      places[0]! + (step.do === 'insert-below' ? 1 : 0),
      step.do === 'replace' ? 1 : 0,
      // The text ends with a line break, which leaves an empty line before the place.
      step.do === 'insert-above' ? step.text : step.text.trimEnd(),
    );
    writeFileSync(file, lines.join('\n'));
  }
}

function run(command: string, folder: string): void {
  const env = { ...process.env, PATH: `${path.join(folder, 'node_modules/.bin')}:${process.env['PATH']}` };
  const { status, stdout, stderr } = spawnSync('bash', ['-c', command], { cwd: folder, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ended with ${status}:\n${stdout}${stderr}`);
}
