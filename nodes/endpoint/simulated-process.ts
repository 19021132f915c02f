import { PassThrough } from 'node:stream';
import type { Naming } from '#base/naming/naming.ts';
import type { ServedProcess } from '#client/streams/serve-process.ts';
import { exitCodeOf } from '../life/exec-probe.ts';
import { Wishes } from '../life/wishes.ts';
import { inWords, type Place } from './place.ts';

/** A simulated process in a container. */
function makeProcess(): ServedProcess & { readonly out: PassThrough; readonly input: PassThrough } {
  const [input, out, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  let resolve: (code: number) => void = () => {};
  const ended = new Promise<number>((done) => {
    resolve = done;
  });
  const end = (code: number) => {
    out.end();
    stderr.end();
    resolve(code);
  };
  return { ...{ stdin: input, input, stdout: out, out, stderr, ended, end } };
}

/**
 * Simulates a command in a container. It runs nothing. It prints the command and ends. `cat` repeats its input. `exit
 * 3` ends with 3, also in the script of a shell. An annotation of the pod may decide the exit code.
 */
export function simulateCommand(place: Place, command: readonly string[], naming: Pick<Naming, 'key'>): ServedProcess {
  const process = makeProcess();
  const [program = ''] = command;
  if (program === 'cat' && command.length === 1) {
    process.input.pipe(process.out, { end: false });
    process.input.once('end', () => process.end(0));
    return process;
  }
  process.input.resume();
  process.out.write(`simulated: ${inWords(place)} would run: ${command.join(' ')}\n`);
  process.end(exitCodeOf(command, new Wishes(place.pod, place.container, naming, place.memory.wishes)));
  return process;
}

/** Simulates attaching to a container. It prints the place, and repeats the input until the input ends. */
export function simulateAttached(place: Place): ServedProcess {
  const process = makeProcess();
  process.out.write(`simulated: attached to ${inWords(place)}; what is typed comes back\n`);
  process.input.pipe(process.out, { end: false });
  process.input.once('end', () => process.end(0));
  return process;
}
