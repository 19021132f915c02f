import { authorityProblem, escapeProblem } from '#schema/validation/url-problem.ts';
import { LibraryValue } from '../cel-value.ts';

/**
 * Characters that a path may contain without escapes, and characters that stay unescaped if another character must be
 * escaped.
 */
const PATH = /^[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]%/]*$/;
const KEPT = /[A-Za-z0-9\-_.~$&+,;=:@/]/;

/** The URL of a request. It is absolute, or a path from the root. Its parts keep their spelling. */
export class ParsedUrl extends LibraryValue {
  readonly kind = 'url';
  readonly text: string;
  readonly scheme: string;
  /** The host with the port. */
  readonly host: string;
  readonly query: string;
  readonly #path: string;

  /** @throws Error with a message in the form that clients know */
  constructor(text: string) {
    super();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for these
    if (/[\u0000-\u001f\u007f]/.test(text)) throw new Error('net/url: invalid control character in URL');
    if (text === '') throw new Error('empty url');
    if (text.startsWith(':')) throw new Error('missing protocol scheme');
    const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1];
    const [rest = ''] = text.slice(scheme === undefined ? 0 : scheme.length + 1).split('#', 1);
    const mark = rest.indexOf('?');
    const hierarchy = mark < 0 ? rest : rest.slice(0, mark);
    this.text = text;
    this.scheme = scheme?.toLowerCase() ?? '';
    this.query = mark < 0 ? '' : rest.slice(mark + 1);
    if (!hierarchy.startsWith('/')) {
      if (scheme === undefined && text !== '*') throw new Error('invalid URI for request');
      this.host = '';
      this.#path = text === '*' ? text : '';
      return;
    }
    const hasAuthority = hierarchy.startsWith('//') && (scheme !== undefined || !hierarchy.startsWith('///'));
    const authority = hasAuthority ? (hierarchy.slice(2).split('/', 1)[0] ?? '') : '';
    this.#path = hasAuthority ? hierarchy.slice(2 + authority.length) : hierarchy;
    const problem =
      authorityProblem(authority) ??
      escapeProblem(this.#path) ??
      (text.includes('#') ? escapeProblem(text.slice(text.indexOf('#'))) : undefined);
    if (problem !== undefined) throw new Error(problem);
    const host = authority.slice(authority.lastIndexOf('@') + 1);
    this.host = host.includes('%') ? unescaped(host).toString() : host;
  }

  equals(other: LibraryValue): boolean {
    return other instanceof ParsedUrl && other.text === this.text;
  }

  get hostname(): string {
    const { name } = this.#hostAndPort();
    return name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
  }

  get port(): string {
    return this.#hostAndPort().port;
  }

  /** The path in its own spelling, or escaped if it contains forbidden characters. */
  get escapedPath(): string {
    if (PATH.test(this.#path)) return this.#path;
    return [...unescaped(this.#path)]
      .map((byte) => {
        const character = String.fromCharCode(byte);
        return byte < 128 && KEPT.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
      })
      .join('');
  }

  /** The values of each name in the query, without malformed parts. */
  get values(): ReadonlyMap<string, string[]> {
    const values = new Map<string, string[]>();
    for (const pair of this.query.split('&')) {
      if (pair === '' || pair.includes(';') || escapeProblem(pair) !== undefined) continue;
      const equals = pair.indexOf('=');
      const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
      const key = queryText(name);
      const known = values.get(key);
      if (known === undefined) values.set(key, [queryText(value)]);
      else known.push(queryText(value));
    }
    return values;
  }

  #hostAndPort(): { name: string; port: string } {
    const [, name = this.host, port = ''] = /^(.*):([0-9]*)$/s.exec(this.host) ?? [];
    return { name, port };
  }
}

/** The bytes of a text. All its escapes must be well formed. */
function unescaped(text: string): Buffer {
  const bytes = Buffer.from(text);
  const out = Buffer.alloc(bytes.length);
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const isEscape = bytes[i] === 0x25;
    out[length++] = isEscape ? Number.parseInt(bytes.toString('latin1', i + 1, i + 3), 16) : bytes[i]!;
    if (isEscape) i += 2;
  }
  return out.subarray(0, length);
}

function queryText(text: string): string {
  return unescaped(text.replaceAll('+', ' ')).toString();
}
