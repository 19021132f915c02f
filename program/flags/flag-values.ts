import { isIP } from 'node:net';
import { parse as parseCsv } from 'csv-parse/sync';
import { ConfigError } from '#base/errors/config-error.ts';
import { parseDuration } from './duration.ts';
import type { FlagType } from './flag-definition.ts';

/** The value of each flag type. Durations are milliseconds, and port ranges include both ends. */
export interface FlagValueTypes {
  bool: boolean;
  duration: number;
  float: number;
  float32: number;
  int: number;
  ip: string;
  Level: number;
  mapStringBool: ReadonlyMap<string, boolean>;
  mapStringString: ReadonlyMap<string, string>;
  namedCertKey: readonly string[];
  portRange: readonly [first: number, last: number];
  settings: ReadonlyMap<string, string>;
  string: string;
  stringArray: readonly string[];
  strings: readonly string[];
  stringToString: ReadonlyMap<string, string>;
}

export type FlagValue = FlagValueTypes[FlagType];

/**
 * Reads all texts of one flag, in order. Lists and maps collect the values of all texts. For other types the last text
 * is used. Without a text the result is the zero value.
 * @throws ConfigError that names the text but not the flag
 */
export function readFlagValue(type: FlagType, texts: readonly string[]): FlagValue {
  const last = texts.at(-1);
  switch (type) {
    case 'bool':
      return last === undefined ? false : readBool(last);
    case 'duration':
      return last === undefined ? 0 : parseDuration(last);
    case 'float':
    case 'float32':
      return last === undefined ? 0 : readNumber(last);
    case 'int':
    case 'Level':
      return last === undefined ? 0 : readInt(last);
    case 'ip':
      if (last && !isIP(last)) throw new ConfigError(`${quote(last)} is not an IP address`);
      return last ?? '';
    case 'string':
      return last ?? '';
    case 'portRange':
      return last === undefined ? [0, 0] : readPortRange(last);
    case 'stringArray':
    case 'namedCertKey':
      return texts.filter((text) => text !== '[]');
    case 'strings':
      return texts.flatMap(splitList);
    case 'mapStringBool':
      return new Map(
        texts
          .flatMap(splitList)
          .map((pair) => readPair(pair))
          .map(([name, value]) => [name, readBool(value)]),
      );
    case 'stringToString':
      return new Map(texts.flatMap(splitPairs).map((pair) => readPair(pair)));
    case 'mapStringString':
      return new Map(texts.flatMap(splitList).map((pair) => readPair(pair)));
    case 'settings':
      return new Map(texts.flatMap(splitList).map((pair) => readPair(pair, '')));
  }
}

/** Whether two values of one flag are the same. */
export function sameFlagValue(a: FlagValue, b: FlagValue): boolean {
  return JSON.stringify(plain(a)) === JSON.stringify(plain(b));
}

function plain(value: FlagValue): unknown {
  return value instanceof Map ? [...value].sort() : value;
}

function readBool(text: string): boolean {
  if (/^(?:1|t|true)$/i.test(text)) return true;
  if (/^(?:0|f|false)$/i.test(text)) return false;
  throw new ConfigError(`${quote(text)} is neither true nor false`);
}

function readInt(text: string): number {
  const value = Number(text);
  if (!/^[+-]?\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new ConfigError(`${quote(text)} is not a whole number`);
  return value;
}

function readNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new ConfigError(`${quote(text)} is not a number`);
  return value;
}

function readPortRange(text: string): readonly [number, number] {
  const [, first, sign, second] = /^(\d+)(?:([-+])(\d+))?$/.exec(text.trim()) ?? [];
  const from = Number(first);
  const to = sign === undefined ? from : sign === '+' ? from + Number(second) : Number(second);
  if (first === undefined || from > to || to > 65535)
    throw new ConfigError(`${quote(text)} is not a range of ports like 30000-32767`);
  return [from, to];
}

/**
 * Entries that are separated by commas. An entry in double quotes may contain commas. Defaults are written in brackets.
 */
function splitList(text: string): readonly string[] {
  const inner = /^\[(.*)\]$/.exec(text)?.[1] ?? text;
  if (inner === '') return [];
  if (!inner.includes('"')) return inner.split(',');
  try {
    return (parseCsv(inner) as string[][])[0] ?? [];
  } catch {
    throw new ConfigError(`${quote(text)} is not a list separated by commas: a quote is not closed`);
  }
}

/** Pairs whose values may contain commas. If there are several pairs, each is in double quotes. */
function splitPairs(text: string): readonly string[] {
  return text.split('=').length === 2 ? [text.replace(/^"(.*)"$/s, '$1')] : splitList(text);
}

function readPair(pair: string, missing?: string): readonly [string, string] {
  const [, name = '', value = missing] = /^([^=]*)(?:=(.*))?$/s.exec(pair) ?? [];
  if (value === undefined) throw new ConfigError(`${quote(pair)} has no value; write NAME=VALUE`);
  return [name.trim(), value.trim()];
}

function quote(text: string): string {
  return JSON.stringify(text);
}
