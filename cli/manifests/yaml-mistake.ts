import type { YAMLParseError } from 'yaml';

/** The part of the field's reader that finds a mistake. Its scanner counts lines from one, and its parser from zero. */
type Finder = 'scanner' | 'parser';

/** An error, and its line, counted from zero. */
interface Mistake {
  readonly what: string;
  readonly line: number;
  readonly foundBy: Finder;
}

/** The error about a YAML text, in the words and with the line number of the field's clients. */
export function yamlMistake(text: string, error: YAMLParseError): string {
  const { what, line, foundBy } = mistakeOf(text, error);
  return line === 0 ? what : `line ${foundBy === 'scanner' ? line + 1 : line}: ${what}`;
}

function mistakeOf(text: string, { code, message, pos: [at] }: YAMLParseError): Mistake {
  const here = lineOf(text, at);
  const end = lineOf(text, text.length);
  const word = (what: string, line = here): Mistake => ({ what, line, foundBy: 'scanner' });
  const order = (what: string, line = here): Mistake => ({ what, line, foundBy: 'parser' });
  const noToken = 'found character that cannot start any token';
  switch (code) {
    case 'TAB_AS_INDENT': {
      const before = text.slice(0, at).trimEnd();
      return word(
        before === '' || /[:,{[-]$/.test(before) ? noToken : 'found a tab character that violates indentation',
      );
    }
    case 'BAD_SCALAR_START':
      return word(noToken);
    case 'BAD_DQ_ESCAPE':
      return word('found unknown escape character');
    case 'BLOCK_AS_IMPLICIT_KEY': {
      if (text[at] === '-') return word('block sequence entries are not allowed in this context');
      const colon = text.slice(at).search(/:(\s|$)/);
      return word('mapping values are not allowed in this context', colon < 0 ? here : lineOf(text, at + colon));
    }
    case 'MULTILINE_IMPLICIT_KEY':
      return word("could not find expected ':'", here + 1);
    case 'BAD_INDENT':
    case 'MISSING_CHAR': {
      const [, flow] = /^(?:Flow|flow)[ -](map|seq)/.exec(message) ?? [];
      if (flow !== undefined) return order(unclosed(text, at, flow), at >= text.trimEnd().length ? end : here);
      if (message.includes('closing')) return word('found unexpected end of stream', end);
      if (message.includes('doc-start') || message.includes('directives-end'))
        return order('did not find expected <document start>', end);
      if (message.includes('between flow')) return order(unclosed(text, at, message.includes('map') ? 'map' : 'seq'));
      if (code === 'MISSING_CHAR') return word("could not find expected ':'", here + 1);
      return order(message.includes('sequence') ? "did not find expected '-' indicator" : 'did not find expected key');
    }
    case 'UNEXPECTED_TOKEN':
      if (message.includes('Block scalar header')) return word('did not find expected comment or line break');
      return order('did not find expected node content');
    default:
      return word(message);
  }
}

/** The error in braces or brackets. An item between commas is missing, or a comma or the end is missing. */
function unclosed(text: string, at: number, flow: string): string {
  if (/[{[,]$/.test(text.slice(0, at).trimEnd())) return 'did not find expected node content';
  return `did not find expected ',' or '${flow === 'map' ? '}' : ']'}'`;
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length - 1;
}
