import assert from 'node:assert/strict';
import { ProtocolError } from './frame.ts';
import { encodeFields, FieldReader } from './header-block.ts';
import { huffmanText } from './huffman.ts';

/** Blocks and their fields. The first ones are examples of RFC 7541, appendix C, without the use of a table. */
const blocks: readonly (readonly [what: string, hex: string, fields: Record<string, string>])[] = [
  ['a new name', '000a637573746f6d2d6b65790d637573746f6d2d686561646572', { 'custom-key': 'custom-header' }],
  ['a known name', '040c2f73616d706c652f70617468', { ':path': '/sample/path' }],
  ['a known field', '82', { ':method': 'GET' }],
  [
    'a field for the dynamic table',
    '400a637573746f6d2d6b65790d637573746f6d2d686561646572',
    { 'custom-key': 'custom-header' },
  ],
  ['a field that is never indexed', '100870617373776f726406736563726574', { password: 'secret' }],
  [
    'Huffman code',
    '828684418cf1e3c2e5f23a6ba0ab90f4ff',
    { ':method': 'GET', ':scheme': 'http', ':path': '/', ':authority': 'www.example.com' },
  ],
  [
    'a status and a date in Huffman code',
    '4882640258 85aec3771a4b 6196d07abe941054d444a8200595040b8166e082a62d1bff'.replaceAll(' ', ''),
    { ':status': '302', 'cache-control': 'private', date: 'Mon, 21 Oct 2013 20:13:21 GMT' },
  ],
  [
    'a field twice',
    encodeFields(['grpc-status', '14', 'grpc-status', '0']).toString('hex'),
    { 'grpc-status': '14, 0' },
  ],
  ['a status twice', '8888', { ':status': '200, 200' }],
  ['a table size update first', '2088', { ':status': '200' }],
  ['nothing', '', {}],
];

/** The bytes from 0 to 255, as the implementation of Go writes them. */
const EVERY_BYTE = [
  'ffc7fffd8fffffe2fffffe3fffffe4fffffe5fffffe6fffffe7fffffe8ffffeafffffff3fffffa7fffffabffffffdfffffeb',
  'fffffecfffffedfffffeefffffefffffff0ffffff1ffffff2fffffffbfffffcffffffd3fffffd7fffffdbfffffdffffffe3f',
  'ffffe7fffffebfffffed4fe3f9ffaffcabf1febfafefe7fdfd2cbb00089969b71d79fb9f7fff20ffbff3ff50ddbd7f061c58',
  'f265cd9f469d5af66dddbf871e5f9cff7ff7fffc3ff9ffe45fff4719242cb34e6e9d68a6a3d7dac426defe3cfaf7fffbfe7f',
  'fbffdffffffcfffe6ffff4bfff9ffffa3fffd3ffff53fffd5ffffb3fffeb7fffdaffffb7ffff73fffeeffffdeffffebffffb',
  'fffffd9ffffdbfffebffffe0ffffeeffffc3ffff8bffff1ffffe4fffee7fffb1ffff97fffd9ffffcdffff9fffffbffffdaff',
  'feeffff4ffffb7fffee7fffe8ffffd3fffdeffffd5fffeeffffbdffffe1fffdfffff7fffff5ffffecffff07fff87fffe0fff',
  'f17fffedffff87ffff77fffeffffeaffff8bfffe3ffff93ffff87fffcbffff37ffff1fffff83ffffe1fffebfffe3ffff3fff',
  'ff2ffffa3ffffd9fffff17ffffc7fffff27ffffdefffffbffffff2fffff8fffffb7fff97fff8fffffe6fffffc1fffff87fff',
  'fe7fffffc5ffffe5fffe4ffff2fffffd1fffff4ffffffefffffe3fffffc9fffff97fffb3ffffcffffb7fffcdffff4ffff9ff',
  'ffd1ffffcffffeaffffafffffddffffeffffff4fffff5fffffabffffa7ffffd7fffff9bffffecfffffb7fffff3fffffe8fff',
  'ffd3fffffabfffff5fffffff7ffffecfffffdbfffffbbfffff7ffffff0fffffbbf',
];

const faulty: readonly (readonly [what: string, hex: string])[] = [
  ['an unknown index of the table', 'be'],
  ['number 0', '80'],
  ['a name without a value', '0003616263'],
  ['a text that is too short', '000a6162'],
  ['a number without an end', 'ffffffffffffffff'],
  ['a number that is too large', 'ffffffffff7f'],
  ['a length that is too large', '007fffffffff7f'],
  ['Huffman code that is truncated', '048100'],
  ['Huffman code with the end-of-string symbol', '0484ffffffff'],
];

describe('header blocks (HPACK)', () => {
  for (const [what, hex, fields] of blocks) {
    it(`read ${what}`, () => {
      const reader = new FieldReader();
      for (let times = 0; times < 2; times++) {
        assert.deepEqual({ ...reader.read(Buffer.from(hex, 'hex')) }, fields);
      }
    });
  }

  for (const [what, hex] of faulty) {
    it(`refuse ${what}`, () => {
      assert.throws(() => new FieldReader().read(Buffer.from(hex, 'hex')), ProtocolError);
    });
  }

  it('are read as they were written', () => {
    const fields = {
      ...{ ':method': 'POST', ':scheme': 'https', ':path': '/a/B', 'content-type': 'application/grpc' },
      ...{ token: 'x'.repeat(5000), empty: '', short: 'y'.repeat(127) },
    };
    const block = encodeFields(Object.entries(fields).flat());
    assert.deepEqual({ ...new FieldReader().read(block) }, fields);
  });

  it('are read correctly after many other fields', () => {
    const reader = new FieldReader();
    for (let n = 0; n < 100; n++) {
      const block = encodeFields(['n', String(n % 60)]);
      assert.deepEqual({ ...reader.read(block) }, { n: String(n % 60) });
    }
  });

  it('may have every byte in Huffman code', () => {
    const text = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('latin1');
    assert.equal(huffmanText(Buffer.from(EVERY_BYTE.join(''), 'hex')), text);
  });
});
