import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createNaming } from '#base/naming/create-naming.ts';
import { buildSchema } from '../descriptors/build-schema.ts';
import { protoText } from '../descriptors/generated/proto-text.ts';
import { ProtoError, type ProtoFile } from '../descriptors/proto-data.ts';
import { withColumnWords } from './column-words.ts';
import { readProto } from './read-proto.ts';

const OPTIONS = `syntax = "proto3";
import "google/protobuf/descriptor.proto";
extend google.protobuf.MessageOptions { string note = 50001; }
extend google.protobuf.FieldOptions { string default = 50001; repeated string word = 50002; }
`;

describe('readProto', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'read-proto-'));
    writeFileSync(path.join(folder, 'options.proto'), OPTIONS);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** The result of reading a file `a.v1.proto` with this text. */
  function read(text: string, packageName = 'a.v1'): ProtoFile[] {
    writeFileSync(path.join(folder, 'a.v1.proto'), `syntax = "proto3";\npackage ${packageName};\n${text}`);
    return readProto(folder);
  }

  it('gives the same result as the last run of npm run generate', () => {
    const proto = path.resolve(import.meta.dirname, '../../proto');
    const read = withColumnWords(readProto(proto), readFileSync(path.join(proto, 'columns.yaml')));
    assert.ok(JSON.stringify(read) === protoText, 'proto/ has changed: npm run generate');
  });

  it('leaves out options that are false and lists that are empty', () => {
    const text = `message A {
      option (note) = "n";
      string plain = 1;
      optional int32 pointer = 2 [(default) = "3"];
      repeated A list = 3 [(word) = "one", (word) = "two"];
      map<string, bool> map = 4 [deprecated = true];
    }`;
    const fields = [
      { name: 'plain', type: 'string', id: 1 },
      { name: 'pointer', type: 'int32', id: 2, optional: true, options: { default: '3' } },
      { name: 'list', type: 'A', id: 3, repeated: true, options: { word: ['one', 'two'] } },
      { name: 'map', type: 'bool', id: 4, map: true, options: { deprecated: true } },
    ];
    assert.deepEqual(read(text), [{ package: 'a.v1', messages: [{ name: 'A', options: { note: 'n' }, fields }] }]);
  });

  const wrong: readonly (readonly [text: string, message: RegExp])[] = [
    ['message A { string a = 1 [(other) = "x"]; }', /A\.a: option \(other\) is not declared for a field/],
    ['message A { string a = 1 [(default) = true]; }', /A\.a: option \(default\) is not a string/],
    ['message A { option (default) = "x"; }', /A: option \(default\) is not declared for a message/],
  ];
  for (const [text, message] of wrong)
    it(`refuses ${text}`, () => {
      assert.throws(
        () => read(text),
        (error) => error instanceof ProtoError && message.test(error.message),
      );
    });

  it('refuses a package whose name differs from the file name', () => {
    assert.throws(() => read('message A {}', 'b.v1'), /a\.v1\.proto declares package b\.v1/);
  });

  const unfit: readonly (readonly [text: string, message: RegExp])[] = [
    ['message A { B b = 1; }', /a\.v1\.A\.b: no message B/],
    ['message A { int32 a = 1 [(default) = "x"]; }', /a\.v1\.A\.a: default "x" is no value of type int32/],
  ];
  for (const [text, message] of unfit)
    it(`gives no descriptors for ${text}`, () => {
      const schema = buildSchema(read(text), createNaming('orch'));
      assert.throws(() => schema.messages, message);
    });
});
