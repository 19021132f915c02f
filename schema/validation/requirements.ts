import { badRequest } from '#base/errors/status-error.ts';
import type { Labels } from './labels.ts';
import { labelValue, qualifiedName } from './names.ts';

/** One requirement on a label. */
export interface Requirement {
  readonly key: string;
  readonly operator: 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';
  readonly values: ReadonlySet<string>;
  /** How the text of a requirement with one value was written. */
  readonly written?: '=' | '!=';
}

/** Whether labels meet a requirement. */
export function holds({ key, operator, values }: Requirement, labels: Labels | undefined): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'in':
      return value !== undefined && values.has(value);
    case 'notin':
      return value === undefined || !values.has(value);
    default: {
      if (value === undefined || !/^[+-]?\d{1,19}$/.test(value)) return false;
      const [bound] = values;
      return operator === 'gt' ? BigInt(value) > BigInt(bound!) : BigInt(value) < BigInt(bound!);
    }
  }
}

type TokenKind = 'text' | '(' | ')' | ',' | '=' | '==' | '!=' | '!' | '<' | '>' | 'end';

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const SPECIAL = new Set(['(', ')', ',', '=', '!', '<', '>']);

function tokens(input: string): Token[] {
  const out: Token[] = [];
  let i = 0;
  while (i < input.length) {
    const char = input[i]!;
    if (/\s/.test(char)) {
      i++;
    } else if (SPECIAL.has(char)) {
      const two = input.slice(i, i + 2);
      const kind = two === '==' || two === '!=' ? two : char;
      out.push({ kind: kind as TokenKind, text: kind });
      i += kind.length;
    } else {
      let end = i;
      while (end < input.length && !SPECIAL.has(input[end]!) && !/\s/.test(input[end]!)) end++;
      out.push({ kind: 'text', text: input.slice(i, end) });
      i = end;
    }
  }
  out.push({ kind: 'end', text: '' });
  return out;
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(input: string) {
    this.#tokens = tokens(input);
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    if (this.#peek().kind === 'end') return requirements;
    const first = this.#peek();
    if (first.kind !== 'text' && first.kind !== '!') {
      throw badRequest(`found '${first.text}', expected: !, identifier, or 'end of string'`);
    }
    for (;;) {
      requirements.push(this.#requirement());
      const next = this.#next();
      if (next.kind === 'end') return requirements;
      if (next.kind !== ',') throw badRequest(`found '${next.text}', expected: ',' or 'end of string'`);
      const after = this.#peek();
      if (after.kind !== 'text' && after.kind !== '!') {
        throw badRequest(`found '${after.text}', expected: identifier after ','`);
      }
    }
  }

  #peek(): Token {
    return this.#tokens[this.#at]!;
  }

  #next(): Token {
    const token = this.#tokens[this.#at]!;
    if (token.kind !== 'end') this.#at++;
    return token;
  }

  #requirement(): Requirement {
    const negated = this.#peek().kind === '!';
    if (negated) this.#next();
    const key = this.#next();
    if (key.kind !== 'text') throw unparsable(`found '${key.text}', expected: identifier`);
    checkKey(key.text);
    if (negated) return { key: key.text, operator: '!', values: new Set() };
    const after = this.#peek();
    if (after.kind === 'end' || after.kind === ',') return { key: key.text, operator: 'exists', values: new Set() };
    const operator = this.#next();
    switch (operator.kind) {
      case '=':
      case '==':
        return { key: key.text, operator: 'in', values: new Set([this.#value(key.text)]), written: '=' };
      case '!=':
        return { key: key.text, operator: 'notin', values: new Set([this.#value(key.text)]), written: '!=' };
      case '<':
      case '>': {
        const value = this.#value(key.text);
        if (!/^[+-]?\d{1,19}$/.test(value)) {
          throw unparsable(
            `values[0]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
          );
        }
        return { key: key.text, operator: operator.kind === '>' ? 'gt' : 'lt', values: new Set([value]) };
      }
      default:
        if (operator.text === 'in' || operator.text === 'notin') {
          const values = this.#values();
          checkValues(key.text, values);
          return { key: key.text, operator: operator.text, values };
        }
        throw unparsable(`found '${operator.text}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  /** The value after an operator. A missing value means the empty one. */
  #value(key: string): string {
    const token = this.#peek();
    if (token.kind === 'end' || token.kind === ',') return '';
    this.#next();
    if (token.kind !== 'text') throw unparsable(`found '${token.text}', expected: identifier`);
    checkValues(key, new Set([token.text]));
    return token.text;
  }

  #values(): Set<string> {
    const open = this.#next();
    if (open.kind !== '(') throw unparsable(`found '${open.text}' expected: '('`);
    const values = new Set<string>();
    for (;;) {
      const token = this.#next();
      if (token.kind === 'text') {
        values.add(token.text);
        const after = this.#next();
        if (after.kind === ')') return values;
        if (after.kind !== ',') throw unparsable(`found '${after.text}', expected: ',' or ')'`);
        if (this.#peek().kind === ')') values.add('');
      } else if (token.kind === ',') {
        values.add('');
        if (this.#peek().kind === ')') {
          this.#next();
          return values;
        }
      } else if (token.kind === ')') {
        values.add('');
        return values;
      } else {
        throw unparsable(`found '${token.text}', expected: ',', ')' or identifier`);
      }
    }
  }
}

function unparsable(message: string): Error {
  return badRequest(`unable to parse requirement: ${message}`);
}

function checkKey(key: string): void {
  const problems = qualifiedName(key);
  if (problems.length > 0) throw unparsable(`<nil>: Invalid value: ${JSON.stringify(key)}: ${problems.join('; ')}`);
}

/** Checks all values of a requirement. The problems are in the order of the values. */
function checkValues(key: string, values: ReadonlySet<string>): void {
  const problems = [...values].sort().flatMap((value, i) => {
    const found = labelValue(value);
    return found.length === 0
      ? []
      : [`values[${i}][${key}]: Invalid value: ${JSON.stringify(value)}: ${found.join('; ')}`];
  });
  if (problems.length > 0) throw unparsable(problems.length === 1 ? problems[0]! : `[${problems.join(', ')}]`);
}

/**
 * The requirements of `app=a,tier in (x,y),!legacy`.
 *
 * @throws StatusError (400) for a malformed requirement
 */
export function parseRequirements(text: string): Requirement[] {
  return new Parser(text).parse();
}
