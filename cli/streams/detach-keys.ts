import { Transform } from 'node:stream';
import { CommandError } from '../framework/errors.ts';
import type { Flag } from '../framework/flag.ts';

/** The default keys that detach from a process and leave it running. */
const DEFAULT = 'ctrl-p,ctrl-q';

/** The flag `--detach-keys`. */
export const detachKeysFlag: Flag = {
  name: 'detach-keys',
  type: 'string',
  default: DEFAULT,
  help: 'Keys to detach from the running process: characters and ctrl-CHARACTER, separated by commas',
};

/** The characters that have a code with the control key. The first has code 0. */
const CONTROL = '@abcdefghijklmnopqrstuvwxyz[\\]^_';
const DELETE = 127;

/**
 * The bytes that a terminal sends for keys such as `ctrl-p,ctrl-q` or `a,DEL`. If there are no keys, the bytes of
 * {@link DEFAULT}.
 * @throws CommandError for an unknown key
 */
export function bytesOfKeys(text: string): Buffer {
  const bytes = (text || DEFAULT).split(',').map((key) => {
    const code = key.startsWith('ctrl-') && key.length === 6 ? CONTROL.indexOf(key[5]!) : -1;
    if (code >= 0) return code;
    if (key === 'DEL') return DELETE;
    if (/^[\x20-\x7e]$/.test(key)) return key.charCodeAt(0);
    throw new CommandError(`could not bind detach keys: Unknown character: '${key}'`);
  });
  return Buffer.from(bytes);
}

/**
 * Passes input on until the keys occur in it one after the other. It then calls `leave` and stops passing input. Input
 * that may be the beginning of the keys is held until the next key.
 */
export function untilKeys(keys: Buffer, leave: () => void): Transform {
  let held: number[] = [];
  let left = false;
  const startsKeys = () => held.every((byte, at) => byte === keys[at]);
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const passed: number[] = [];
      for (const byte of left ? [] : chunk) {
        held.push(byte);
        while (!startsKeys()) passed.push(held.shift()!);
        if (held.length < keys.length) continue;
        left = true;
        break;
      }
      if (passed.length > 0) this.push(Buffer.from(passed));
      if (left && held.length > 0) leave();
      if (left) held = [];
      done();
    },
    flush(done) {
      if (held.length > 0) this.push(Buffer.from(held));
      held = [];
      done();
    },
  });
}
