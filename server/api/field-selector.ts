import { badRequest } from '#base/errors/status-error.ts';
import { fieldValue, type IndexKey, type Selectable } from '../cache/index-key.ts';

/** One condition of a selector. */
export interface Term {
  readonly field: string;
  readonly value: string;
  readonly equal: boolean;
}

/** A parsed field selector. All its terms must hold. */
export class FieldSelector {
  readonly #terms: readonly Term[];

  constructor(terms: readonly Term[]) {
    this.#terms = terms;
  }

  get terms(): readonly Term[] {
    return this.#terms;
  }

  get everything(): boolean {
    return this.#terms.length === 0;
  }

  matches(item: Selectable): boolean {
    for (const { field, value, equal } of this.#terms) {
      if ((fieldValue(item, field) === value) !== equal) return false;
    }
    return true;
  }

  /** A field that has one value in all objects of the selector, and this value, if there is such a field. */
  get equality(): IndexKey | undefined {
    const term = this.#terms.find(({ equal }) => equal);
    return term && { of: 'field', name: term.field, value: term.value };
  }

  /** The name that the selector requires, if it requires one. */
  get name(): string | undefined {
    return this.#terms.find((term) => term.field === 'metadata.name' && term.equal)?.value;
  }
}

/** Splits a text at unescaped commas. `\\`, `\,` and `\=` are escapes. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function unescaped(value: string): string {
  let out = '';
  for (let i = 0; i < value.length; i++) {
    const char = value[i]!;
    if (char === '\\') {
      const next = value[i + 1];
      if (next !== '\\' && next !== ',' && next !== '=') {
        throw badRequest(`invalid field selector: invalid escape sequence: \\${next ?? ''}`);
      }
      out += next;
      i++;
    } else if (char === '=' || char === ',') {
      throw badRequest(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
    } else out += char;
  }
  return out;
}

function parseTerm(text: string, term: string): Term {
  for (let i = 0; i < term.length; i++) {
    if (term[i] === '\\') {
      i++;
      continue;
    }
    for (const operator of ['!=', '==', '='] as const) {
      if (term.startsWith(operator, i)) {
        const value = unescaped(term.slice(i + operator.length));
        return { field: term.slice(0, i), value, equal: operator !== '!=' };
      }
    }
  }
  throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
}

/** The selector without terms. */
export const ALL_FIELDS = new FieldSelector([]);

/** The labels that a kind accepts. `unknown` makes the message of a refusal. */
export interface FieldLabels {
  readonly accepted: ReadonlySet<string>;
  unknown(label: string): string;
}

/**
 * Reads a selector such as `metadata.name=a,status.phase!=Running`.
 *
 * @throws StatusError (400) for a malformed selector, and for unknown labels if those of a kind are given
 */
export function parseFieldSelector(text: string | null, labels?: FieldLabels): FieldSelector {
  if (text === null || text === '') return ALL_FIELDS;
  const terms: Term[] = [];
  for (const part of splitTerms(text)) {
    if (part === '') continue;
    const term = parseTerm(text, part);
    // An empty term has no requirement.
    if (term.field === '' && term.value === '') continue;
    if (labels?.accepted.has(term.field) === false) throw badRequest(labels.unknown(term.field));
    terms.push(term);
  }
  return new FieldSelector(terms);
}
