import type { SyntaxNode, Tree } from '@lezer/common';
import type { Schema } from '#client/open-api/schemas.ts';
import type { FieldSchemas } from './field-schema.ts';
import { contentOf, keyOf, scalarOf, startOf, topOf } from './yaml-path.ts';

/** Something in a text that the server would refuse, or may. */
export interface Finding {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

/** More than this many people do not read. */
const MOST_FINDINGS = 100;

/** Finds YAML errors, fields that the kind does not have, and values that do not match their schema. */
export function findingsIn(tree: Tree, text: string, schemas: FieldSchemas | undefined): readonly Finding[] {
  const check = new Check(text, schemas);
  check.syntax(tree);
  const top = topOf(tree);
  if (top !== undefined) check.value(top, schemas?.root, '');
  return check.findings.slice(0, MOST_FINDINGS);
}

class Check {
  readonly findings: Finding[] = [];
  readonly #text: string;
  readonly #schemas: FieldSchemas | undefined;

  constructor(text: string, schemas: FieldSchemas | undefined) {
    this.#text = text;
    this.#schemas = schemas;
  }

  syntax(tree: Tree): void {
    tree.iterate({
      enter: ({ type, from, to }) => {
        if (type.isError) this.#found({ from, to: Math.max(to, from + 1) }, 'This is no YAML.');
      },
    });
  }

  value(node: SyntaxNode, schema: Schema | undefined, name: string): void {
    if (this.findings.length >= MOST_FINDINGS) return;
    const whole = schema === undefined ? undefined : this.#schemas!.whole(schema);
    if (node.name === 'BlockMapping' || node.name === 'FlowMapping') this.#mapping(node, whole, name);
    else if (node.name === 'BlockSequence' || node.name === 'FlowSequence') this.#list(node, whole, name);
    else if (whole !== undefined) this.#scalar(node, whole, name);
  }

  #mapping(node: SyntaxNode, schema: Schema | undefined, name: string): void {
    if (schema !== undefined && !takes(schema, 'object')) {
      this.#found(node, `${name} must be ${kindOf(schema)}.`);
      return;
    }
    const seen = new Set<string>();
    for (const pair of node.getChildren('Pair')) {
      const key = keyOf(pair, this.#text);
      if (key === undefined) continue;
      const at = pair.getChild('Key')!;
      if (seen.has(key)) this.#found(at, `${key} stands here twice.`);
      seen.add(key);
      const inner = schema === undefined ? undefined : this.#schemas!.below(schema, key);
      if (inner === undefined && schema !== undefined && isClosed(schema))
        this.#found(at, `There is no field ${key} here.`);
      const value = contentOf(pair);
      if (value !== undefined) this.value(value, inner, key);
    }
    const missing = (schema?.required ?? []).filter((field) => !seen.has(field));
    const first = node.getChild('Pair');
    const place = node.prevSibling?.prevSibling ?? first ?? node;
    for (const field of missing) this.#found(place, `${name === '' ? 'The object' : name} needs ${field}.`);
  }

  #list(node: SyntaxNode, schema: Schema | undefined, name: string): void {
    if (schema !== undefined && !takes(schema, 'array')) {
      this.#found(node, `${name} must be ${kindOf(schema)}.`);
      return;
    }
    for (const item of node.getChildren('Item'))
      if (item.firstChild !== null) this.value(item.firstChild, schema?.items, name);
  }

  #scalar(node: SyntaxNode, schema: Schema, name: string): void {
    const written = this.#text.slice(node.from, node.to);
    const isText = node.name !== 'Literal';
    const value = node.name === 'QuotedLiteral' || node.name === 'Literal' ? scalarOf(written) : undefined;
    const kind = isText ? 'string' : kindOfPlain(written.trim());
    if (kind === 'null' || schema.oneOf !== undefined || schema['anyOf'] !== undefined || schema.type === undefined)
      return;
    if (!takes(schema, kind)) {
      this.#found(node, `${name} must be ${kindOf(schema)}.`);
      return;
    }
    const values = schema.enum;
    if (
      values !== undefined &&
      value !== undefined &&
      values.length > 0 &&
      !values.some((each) => String(each) === value)
    )
      this.#found(node, `${name} must be one of ${values.map(String).join(', ')}.`);
    const number = Number(value);
    const { minimum, maximum } = schema as { readonly minimum?: number; readonly maximum?: number };
    if (kind !== 'string' && minimum !== undefined && number < minimum)
      this.#found(node, `${name} must be at least ${minimum}.`);
    if (kind !== 'string' && maximum !== undefined && number > maximum)
      this.#found(node, `${name} must be at most ${maximum}.`);
  }

  #found(node: { readonly from: number; readonly to: number }, message: string): void {
    const [from, to] = [startOf(node, this.#text), node.to];
    const end = this.#text.indexOf('\n', from);
    this.findings.push({ from, to: end < 0 ? to : Math.max(from, Math.min(to, end)), message });
  }
}

/** Whether a value of a kind fits the type of a schema. Schemas that say nothing take everything. */
function takes({ type, properties }: Schema, kind: string): boolean {
  if (type === undefined) return kind === 'object' || properties === undefined;
  return type === kind || (type === 'number' && kind === 'integer');
}

/** Whether fields that a schema does not have are refused, as they are by default. */
function isClosed(schema: Schema): boolean {
  if (schema.properties === undefined || schema.additionalProperties !== undefined) return false;
  return !Object.keys(schema).some(
    (key) => key.endsWith('-preserve-unknown-fields') || key.endsWith('-embedded-resource'),
  );
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['string', 'a text: put it in quotes'],
  ['integer', 'a whole number'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
]);

function kindOf({ type = '' }: Schema): string {
  return KINDS.get(type) ?? `of the type ${type}`;
}

/** The type of a plain value, as servers read YAML. */
function kindOfPlain(text: string): string {
  if (/^(?:~|null|Null|NULL|)$/.test(text)) return 'null';
  if (/^(?:true|false|True|False|TRUE|FALSE|yes|no|on|off|Yes|No|On|Off|YES|NO|ON|OFF)$/.test(text)) return 'boolean';
  if (/^[-+]?(?:\d+|0x[\da-fA-F]+|0o?[0-7]+)$/.test(text)) return 'integer';
  if (/^[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?$/.test(text)) return 'number';
  return 'string';
}
