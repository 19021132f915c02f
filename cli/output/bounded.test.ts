import assert from 'node:assert/strict';
import { CommandError } from '../framework/errors.ts';
import { Flags } from '../framework/flag.ts';
import { getFormats, getOutputFlags, printerFor } from './printer.ts';

const object = {
  apiVersion: 'v1',
  kind: 'List',
  metadata: {},
  items: Array.from({ length: 1000 }, (_, at) => ({ metadata: { name: `n${at}` }, list: [1, 2, 3] })),
};

/** User programs that would never end, or would fill the memory, each with its error. */
const bounded: readonly (readonly [output: string, said: RegExp])[] = [
  ['go-template={{range $.items}}{{range $.items}}{{range $.items}}{{end}}{{end}}{{end}}', /too many steps/],
  ['go-template={{$x := "ab"}}{{range .items}}{{$x = print $x $x}}{{end}}', /error calling print: too long/],
  ['go-template={{define "x"}}{{template "x"}}{{end}}{{template "x"}}', /maximum template depth/],
  [`go-template=${'{{if true}}'.repeat(50_000)}${'{{end}}'.repeat(50_000)}`, /nested too deeply|stack/],
  [
    `jsonpath={.items[*]${`[${"'metadata',".repeat(200)}'list']`}${`[${"'name',".repeat(200)}'x']`}}`,
    /too many values/,
  ],
];

/** Outputs near the limits that are the same as in the field's clients. */
const shown: readonly (readonly [output: string, text: string])[] = [
  ['go-template={{printf "%2000000d" 1}}', '%!(BADWIDTH)%!(EXTRA int=1)'],
  ['go-template={{printf "%5d|%-5s|%05d" 1 "a" 2}}', '    1|a    |00002'],
  ['go-template={{len (printf "%.150f" 0.5)}}', '152'],
  ['go-template={{slice "abcdef" 1 3}}', 'bc'],
  ['jsonpath={.items[0:2].metadata.name}', 'n0 n1'],
  ['jsonpath={range .items[0:2]}{.metadata.name}{":"}{range .list[*]}{@}{","}{end}{end}', 'n0:1,2,3,n1:1,2,3,'],
  ['jsonpath={.items[1]..name}', 'n1'],
];

describe('output templates of users', function () {
  this.timeout(180_000);
  const run = async (output: string): Promise<string> => {
    const printer = await printerFor(new Flags(getOutputFlags, new Map([['output', [output]]])), getFormats);
    return printer!.print(object as never);
  };
  for (const [output, said] of bounded)
    it(`have limited cost: ${output.slice(0, 90)}`, async () => {
      await assert.rejects(
        run(output),
        (error) => error instanceof CommandError && said.test(error.message.slice(0, 100_000)),
      );
    });
  for (const [output, text] of shown) it(output, async () => assert.equal(await run(output), text));
  it('report a value that cannot be sliced', () =>
    assert.rejects(run('go-template={{slice .metadata 1}}'), /can't slice item/));

  it('find many values in nested loops', async () => {
    const many = `jsonpath={range $}{range .items[*]}${'{.metadata.name}'.repeat(200)}{end}{end}`;
    assert.equal((await run(many)).length, 200 * (10 * 2 + 90 * 3 + 900 * 4));
  });
});
