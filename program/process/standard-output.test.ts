import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { standardOutputs } from './standard-output.ts';

/**
 * Outputs over streams whose writes fail with `codes`, thrown or reported; with the written text and the way the
 * program ended.
 */
function outputs({ isTTY = false, codes = {} }: { isTTY?: boolean; codes?: Partial<Record<string, string>> } = {}) {
  const texts = { stdout: '', stderr: '' };
  const ended: number[] = [];
  const stream = (name: 'stdout' | 'stderr') => {
    const emitter = new EventEmitter();
    return Object.assign(emitter, {
      ...{ isTTY, columns: 80 },
      write: (text: string) => {
        const code = codes[name];
        if (code === undefined) texts[name] += text;
        else if (code.startsWith('thrown ')) throw Object.assign(new Error('it broke'), { code: code.slice(7) });
        else emitter.emit('error', Object.assign(new Error('it broke'), { code }));
      },
    });
  };
  const exit = (code: number) => void ended.push(code) as never;
  const made = standardOutputs({ stdout: stream('stdout'), stderr: stream('stderr') }, 'error: ', exit);
  return { ...made, texts, ended };
}

describe('standard output and standard error', () => {
  it('remove control characters if the output is a terminal', () => {
    const [terminal, pipe] = [outputs({ isTTY: true }), outputs()];
    for (const { out, err } of [terminal, pipe]) {
      out.write('a\u001b[2Jb\n');
      err.write('c\u009bd\n');
    }
    assert.deepEqual(terminal.texts, { stdout: 'a^[[2Jb\n', stderr: 'c\\u009bd\n' });
    assert.deepEqual(pipe.texts, { stdout: 'a\u001b[2Jb\n', stderr: 'c\u009bd\n' });
    assert.deepEqual([terminal.out.columns, pipe.out.columns], [80, undefined]);
  });

  it('keep the control sequences that the program itself writes', () => {
    const { out, texts } = outputs({ isTTY: true });
    out.write('\u001b[1mbold\u001b[0m\n', true);
    assert.equal(texts.stdout, '\u001b[1mbold\u001b[0m\n');
  });

  /** the error, the message, and the exit code */
  const failures: readonly (readonly [codes: Partial<Record<string, string>>, said: string, code: number])[] = [
    [{ stdout: 'ENOSPC' }, 'error: write /dev/stdout: no space left on device\n', 1],
    [{ stdout: 'thrown ENOSPC' }, 'error: write /dev/stdout: no space left on device\n', 1],
    [{ stdout: 'EDQUOT' }, 'error: write /dev/stdout: disk quota exceeded\n', 1],
    [{ stdout: 'EOTHER' }, 'error: write /dev/stdout: it broke\n', 1],
    [{ stdout: 'EPIPE' }, '', 0],
    [{ stdout: 'thrown EPIPE' }, '', 0],
  ];
  for (const [codes, said, code] of failures)
    it(`end the program after the write error ${codes['stdout']}`, () => {
      const { out, texts, ended } = outputs({ codes });
      out.write('x');
      assert.deepEqual([texts.stderr, ended], [said, [code]]);
    });
  for (const [error, code] of [
    ['ENOSPC', 1],
    ['EPIPE', 0],
  ] as const)
    it(`end the program if standard error fails with ${error}`, () => {
      const { err, ended } = outputs({ codes: { stderr: error } });
      err.write('x');
      assert.deepEqual(ended, [code]);
    });
});
