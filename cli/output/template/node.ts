/** The position of a part in the template, in UTF-16 units. */
interface Placed {
  readonly at: number;
}

/** A word of a command. */
export type Operand = Placed &
  (
    | {
        readonly kind: 'number';
        readonly text: string;
        readonly value: number | bigint;
        readonly type: 'int' | 'float64';
      }
    | { readonly kind: 'string'; readonly text: string; readonly value: string }
    | { readonly kind: 'bool'; readonly value: boolean }
    | { readonly kind: 'nil' | 'dot' }
    | { readonly kind: 'field'; readonly names: readonly string[] }
    | { readonly kind: 'variable'; readonly variable: string; readonly names: readonly string[] }
    | { readonly kind: 'function'; readonly name: string }
    | { readonly kind: 'chain'; readonly of: Operand; readonly names: readonly string[] }
    | Pipeline
  );

/** The words of a command. The first may be a function, and the others its arguments. */
export interface Command extends Placed {
  readonly kind: 'command';
  readonly words: readonly Operand[];
}

/** A chain of commands. Each command gets the result of the previous one as its last argument. */
export interface Pipeline extends Placed {
  readonly kind: 'pipeline';
  readonly commands: readonly Command[];
  /** The variables that it sets. A `range` with keys sets two. */
  readonly variables: readonly string[];
  /** Whether it assigns to existing variables. */
  readonly assigns: boolean;
}

/** The inclusion of another template. */
export interface Include extends Placed {
  readonly kind: 'template';
  readonly name: string;
  readonly pipeline: Pipeline | undefined;
}

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly pipeline: Pipeline }
  | {
      readonly kind: 'if' | 'with' | 'range';
      readonly pipeline: Pipeline;
      readonly body: readonly Part[];
      readonly otherwise: readonly Part[];
    }
  | Include
  | { readonly kind: 'break' | 'continue' };

export interface Parsed {
  readonly text: string;
  readonly parts: readonly Part[];
  readonly defined: ReadonlyMap<string, readonly Part[]>;
}

/** A part of a template in the form that errors contain. */
export function written(node: Operand | Command | Include): string {
  switch (node.kind) {
    case 'template': {
      const pipeline = node.pipeline === undefined ? '' : ` ${written(node.pipeline)}`;
      return `{{template ${JSON.stringify(node.name)}${pipeline}}}`;
    }
    case 'command':
      return node.words.map((word) => (word.kind === 'pipeline' ? `(${written(word)})` : written(word))).join(' ');
    case 'pipeline': {
      const set = node.variables.length === 0 ? '' : `${node.variables.join(', ')} ${node.assigns ? '=' : ':='} `;
      return set + node.commands.map(written).join(' | ');
    }
    case 'number':
    case 'string':
      return node.text;
    case 'bool':
      return String(node.value);
    case 'nil':
      return 'nil';
    case 'dot':
      return '.';
    case 'function':
      return node.name;
    case 'variable':
      return [node.variable, ...node.names].join('.');
    case 'field':
      return `.${node.names.join('.')}`;
    default:
      return `${node.of.kind === 'pipeline' ? `(${written(node.of)})` : written(node.of)}.${node.names.join('.')}`;
  }
}
