import type { SyntaxNode, Tree } from '@lezer/common';

/** One step of a path: the name of a field, or the index of a list item. */
export type Step = string | number;

/** The position of a field in a text: the position of its key, or of the beginning of a list item. */
export interface Mark {
  readonly from: number;
  readonly to: number;
  /** Whether the whole path exists. If not, the position is that of the deepest field that exists. */
  readonly isWhole: boolean;
}

/** The position of the cursor in the object. */
export interface CursorPlace {
  /** The field at the cursor, or the field in which a new key would be. */
  readonly path: readonly Step[];
  /** Whether the cursor is on a key, after a key, or at a position where a new key can begin. */
  readonly at: 'key' | 'value' | 'new key';
}

/** A step of a path, with the column in which its text begins. */
interface Located {
  readonly step: Step;
  readonly column: number;
}

/**
 * The field at a position of a YAML text, which the user may still be typing. A line without a key belongs to the field
 * above it that is indented less.
 */
export function placeOfCursor(tree: Tree, text: string, position: number): CursorPlace {
  const start = text.lastIndexOf('\n', position - 1) + 1;
  const end = lineEnd(text, position);
  const line = text.slice(start, end);
  if (line.trim() === '' || /^\s*-\s*$/.test(line)) {
    const column = line.trim() === '' ? position - start : line.indexOf('-') + 2;
    const before = lastFilled(text, start);
    const chain = before === undefined ? [] : chainAt(tree, text, before);
    if (line.trim() !== '') return { path: pathOf(chainAt(tree, text, start + line.indexOf('-'))), at: 'new key' };
    return { path: pathOf(chain.filter((each) => each.column < column)), at: 'new key' };
  }
  // If the cursor is after the text of the line, the last word of the line decides.
  const inside = Math.min(position, start + line.trimEnd().length);
  const node = tree.resolveInner(inside, -1);
  const chain = chainOf(node, text);
  const isKey = ancestor(node, 'Key') !== undefined;
  return { path: pathOf(chain), at: isKey ? 'key' : 'value' };
}

/** Finds the last character before a position that is not a blank, and returns the position after that character. */
function lastFilled(text: string, before: number): number | undefined {
  const kept = text.slice(0, before).trimEnd();
  return kept === '' ? undefined : kept.length;
}

function lineEnd(text: string, position: number): number {
  const end = text.indexOf('\n', position);
  return end < 0 ? text.length : end;
}

function chainAt(tree: Tree, text: string, position: number): readonly Located[] {
  return chainOf(tree.resolveInner(position, -1), text);
}

function chainOf(node: SyntaxNode, text: string): readonly Located[] {
  const chain: Located[] = [];
  for (let at: SyntaxNode | null = node; at !== null; at = at.parent) {
    if (at.name === 'Pair') {
      const key = keyOf(at, text);
      if (key !== undefined) chain.unshift({ step: key, column: columnOf(at.from, text) });
    } else if (at.name === 'Item') chain.unshift({ step: placeIn(at), column: columnOf(dashOf(at), text) });
  }
  return chain;
}

function pathOf(chain: readonly Located[]): readonly Step[] {
  return chain.map(({ step }) => step);
}

function ancestor(node: SyntaxNode, name: string): SyntaxNode | undefined {
  for (let at: SyntaxNode | null = node; at !== null; at = at.parent) if (at.name === name) return at;
  return undefined;
}

function columnOf(position: number, text: string): number {
  return position - (text.lastIndexOf('\n', position - 1) + 1);
}

function dashOf(item: SyntaxNode): number {
  const before = item.prevSibling;
  return before?.name === '-' ? before.from : item.from;
}

function placeIn(item: SyntaxNode): number {
  return item.parent?.getChildren('Item').findIndex(({ from }) => from === item.from) ?? 0;
}

/** The name of the key of a pair. */
export function keyOf(pair: SyntaxNode, text: string): string | undefined {
  const key = pair.getChild('Key');
  return key === null ? undefined : scalarOf(text.slice(key.from, key.to));
}

/** The text of a key or of a single value, without quotes. */
export function scalarOf(written: string): string {
  const text = written.trim();
  if (text.startsWith("'") && text.endsWith("'") && text.length > 1) return text.slice(1, -1).replaceAll("''", "'");
  if (!text.startsWith('"')) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text.slice(1, text.endsWith('"') ? -1 : undefined);
  }
}

/** The position of the first visible character of a node. Nodes of mappings and lists begin with blanks. */
export function startOf({ from, to }: { readonly from: number; readonly to: number }, text: string): number {
  let at = from;
  while (at < to && /\s/.test(text[at]!)) at++;
  return at;
}

/** The value of a pair, after its key; undefined if there is none. */
export function contentOf(pair: SyntaxNode): SyntaxNode | undefined {
  const last = pair.lastChild;
  return last === null || last.name === 'Key' || last.name === ':' || last.type.isError ? undefined : last;
}

/** The mapping or the list at the top of a text. */
export function topOf(tree: Tree): SyntaxNode | undefined {
  const document = tree.topNode.getChild('Document');
  return document?.firstChild ?? undefined;
}

const isMapping = (node: SyntaxNode): boolean => node.name === 'BlockMapping' || node.name === 'FlowMapping';
const isList = (node: SyntaxNode): boolean => node.name === 'BlockSequence' || node.name === 'FlowSequence';

/**
 * Finds the field that a server names in an error: `spec.ports[0].name`, `.spec.ports[port=80,protocol="TCP"]` or
 * `metadata.labels[a/b]`. The name of a field may contain dots, so the keys in the text decide where a name ends.
 * Returns undefined if the text does not even have the first field.
 */
export function markOf(tree: Tree, text: string, field: string): Mark | undefined {
  const top = topOf(tree);
  return top === undefined ? undefined : find(top, text, field.replace(/^\./, ''), undefined);
}

function find(node: SyntaxNode, text: string, rest: string, found: Mark | undefined): Mark | undefined {
  if (rest === '') return found === undefined ? undefined : { ...found, isWhole: true };
  if (rest.startsWith('[')) {
    const end = closing(rest);
    const inside = rest.slice(1, end);
    const after = rest.slice(end + 1).replace(/^\./, '');
    if (isMapping(node)) return inPair(pairNamed(node, text, scalarOf(inside)), text, after, found);
    if (!isList(node)) return found;
    const item = itemOf(node, text, inside);
    if (item === undefined) return found;
    const value = item.firstChild;
    const from = startOf(value ?? item, text);
    const mark = { from, to: Math.min(item.to, lineEnd(text, from)), isWhole: false };
    if (value === null) return { ...mark, isWhole: after === '' };
    return find(value, text, after, mark);
  }
  if (!isMapping(node)) return found;
  let best: SyntaxNode | undefined;
  let length = -1;
  for (const pair of node.getChildren('Pair')) {
    const key = keyOf(pair, text) ?? '';
    const next = rest[key.length];
    if (!rest.startsWith(key) || key.length <= length || (next !== undefined && next !== '.' && next !== '[')) continue;
    best = pair;
    length = key.length;
  }
  return inPair(best, text, rest.slice(length).replace(/^\./, ''), found);
}

function inPair(pair: SyntaxNode | undefined, text: string, rest: string, found: Mark | undefined): Mark | undefined {
  const key = pair?.getChild('Key');
  if (pair === undefined || key === null || key === undefined) return found;
  const mark = { from: key.from, to: key.to, isWhole: rest === '' };
  const value = contentOf(pair);
  return value === undefined ? mark : find(value, text, rest, mark);
}

function pairNamed(mapping: SyntaxNode, text: string, name: string): SyntaxNode | undefined {
  return mapping.getChildren('Pair').find((pair) => keyOf(pair, text) === name);
}

/** The list item that the text in brackets names by its index, by its value (`="a"`), or by its keys (`name="a"`). */
function itemOf(list: SyntaxNode, text: string, inside: string): SyntaxNode | undefined {
  const items = list.getChildren('Item');
  if (/^\d+$/.test(inside)) return items[Number(inside)];
  if (inside.startsWith('=')) {
    const wanted = scalarOf(inside.slice(1));
    return items.find((item) => scalarOf(text.slice(item.from, item.to)) === wanted);
  }
  const keys = [...inside.matchAll(/([^=,]+)=("(?:[^"\\]|\\.)*"|[^,]*)/g)];
  return items.find((item) => {
    const mapping = item.firstChild;
    if (mapping === null || !isMapping(mapping) || keys.length === 0) return false;
    return keys.every(([, name = '', wanted = '']) => {
      const pair = pairNamed(mapping, text, name);
      const value = pair === undefined ? undefined : contentOf(pair);
      // An item may leave out a key that has a default.
      return value === undefined || scalarOf(text.slice(value.from, value.to)) === scalarOf(wanted);
    });
  });
}

/** The index of the bracket that closes the first bracket. Brackets inside quotes are ignored. */
function closing(text: string): number {
  let isQuoted = false;
  for (let at = 1; at < text.length; at++) {
    if (text[at] === '\\' && isQuoted) at++;
    else if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === ']' && !isQuoted) return at;
  }
  return text.length;
}
