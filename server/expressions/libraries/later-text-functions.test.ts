import assert from 'node:assert/strict';
import { outcome } from '../testing/outcome.ts';

/** Programs of the field give the same results. */
const CASES: [expression: string, outcome: string][] = [
  ['"%s".format(["a"])', '"a"'],
  ['"%s %d".format(["a", 1])', '"a 1"'],
  [
    '"%.2f|%f|%e|%.0f|%.3e".format([1234567.5, 0.1, 12345.678, 2.5, 1e21])',
    '"1,234,567.50|0.100000|1.234568×10⁰⁴|2|1.000000×10²¹"',
  ],
  ['"%f %e".format([1e21, "NaN"])', '"1,000,000,000,000,000,000,000.000000    NaN"'],
  ['"%f %e %s".format(["Infinity", "-Infinity", 1.0/0.0])', '"∞     -∞ +Inf"'],
  ['"%f".format(["-Infinity"])', '"-∞"'],
  ['"%.0f %.0f %.0f %.1f %.2f %.0f".format([0.5, 1.5, 2.5, 0.25, 1.005, 3.5])', '"0 2 2 0.2 1.00 4"'],
  ['"%.3f %.10f".format([-1234.5678, 0.000001])', '"-1,234.568 0.0000010000"'],
  ['"%e %.2e %e".format([0.0, -1.5, 1e-10])', '"0.000000×10⁰⁰ -1.500000×10⁰⁰ 1.000000×10⁻¹⁰"'],
  [
    '"%s %s %s".format([1.5, [1.5, "a", b"x", null, true, 1u, duration("1h"), timestamp("2020-01-01T00:00:00Z"), {"k": 1}], {"b": "x", "a": 2, 3: true}])',
    '"1.5 [1.500000, \\"a\\", b\\"x\\", null, true, 1, duration(\\"3600s\\"), timestamp(\\"2020-01-01T00:00:00Z\\"), {\\"k\\":1}] {\\"a\\":2, \\"b\\":\\"x\\", 3:true}"',
  ],
  ['"%x %X %x %o %b %b %b".format([255, "hé", b"\\xff", 8, 5, true, -5])', '"ff 68C3A9 ff 10 101 1 -101"'],
  ['"%x %o %b".format([-255, -8, 5u])', '"-ff -10 101"'],
  [
    '"%d".format([1.5])',
    'refused: error during formatting: decimal clause can only be used on integers, was given double',
  ],
  [
    '"%d".format([dyn(1.5)])',
    'error: error during formatting: decimal clause can only be used on integers, was given double',
  ],
  ['"%d %d".format([1])', 'refused: index 1 out of range'],
  ['"%d".format([1, 2])', 'refused: too many arguments supplied to string.format (expected 1, got 2)'],
  ['"%z".format([1])', 'refused: could not parse formatting clause: unrecognized formatting clause "z"'],
  ['"%".format([1])', 'refused: unexpected end of string'],
  ['"%".format([])', 'refused: index 0 out of range'],
  ['"%%".format([])', '"%"'],
  ['"100%% %s".format([type(1)])', '"100% int"'],
  [
    '"%s".format([quantity("1")])',
    'refused: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given Quantity',
  ],
  [
    '"%s".format([optional.of(1)])',
    'refused: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given optional_type',
  ],
  ['"%5d".format([1])', 'refused: could not parse formatting clause: unrecognized formatting clause "5"'],
  [
    '"%.d".format([1])',
    'refused: could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
  ],
  [
    '"%.f".format([1.0])',
    'refused: could not parse formatting clause: error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
  ],
  ['"%s %s".format(self.sl)', '"b a"'],
  ['"%s %s %s %s %s".format(self.sl)', 'error: index 3 out of range'],
  ['"%s".format([self.m])', '"{\\"a\\":\\"x\\", \\"b\\":\\"y\\"}"'],
  ['"%s".format([self.sl])', '"[\\"b\\", \\"a\\", \\"b\\"]"'],
  ['"%s".format([self.l])', '"[3, 1, 2]"'],
  [
    '"%s".format([self.o])',
    'refused: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given object',
  ],
  ['"%s".format([self.p])', '"50%"'],
  [
    '"%d".format([self.p])',
    'error: error during formatting: decimal clause can only be used on integers, was given string',
  ],
  ['"%s".format([null])', '"null"'],
  ['"%s".format([true])', '"true"'],
  ['"%s".format([b"abc"])', '"abc"'],
  ['"%s".format([1.0])', '"1"'],
  ['"%s".format([1e30])', '"1e+30"'],
  ['"%s".format([[1.0, 1e30, 0.1]])', '"[1.000000, 1000000000000000019884624838656.000000, 0.100000]"'],
  [
    '"%f".format([1])',
    'refused: error during formatting: fixed-point clause can only be used on doubles, was given int',
  ],
  [
    '"%b".format(["a"])',
    'refused: error during formatting: only integers and bools can be formatted as binary, was given string',
  ],
  [
    '"%o".format([true])',
    'refused: error during formatting: octal clause can only be used on integers, was given bool',
  ],
  [
    '"%x".format([1.5])',
    'refused: error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given double',
  ],
  ['"%s".format([{1: "a", true: "b"}])', '"{1:\\"a\\", true:\\"b\\"}"'],
  ['"%s".format([{1.5: "a"}])', 'error: error during formatting: no formatting function for map key of type double'],
  ['self.s.format([1])', '"hello"'],
  ['("a" + "%s").format([1])', '"a1"'],
  ['strings.quote("a\\nb")', '"\\"a\\\\nb\\""'],
  ['strings.quote("\\"q\\" \\t \\\\ \\a é")', '"\\"\\\\\\"q\\\\\\" \\\\t \\\\\\\\ \\\\a é\\""'],
  ['strings.quote(self.s)', '"\\"hello\\""'],
  ['strings.quote(self.s).size()', '7'],
  ['strings.quote(self.s) == self.u', 'false'],
  ['strings.quote(self.whole) == self.u', 'false'],
  ['"%s %s".format([self.s, self.whole]) == self.u', 'false'],
];

describe('string functions of later releases', () => {
  for (const [expression, expected] of CASES)
    it(`${expression} is ${expected}`, () => {
      assert.equal(outcome(expression), expected);
    });
});
