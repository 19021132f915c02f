import { parseStored } from '#base/json/parse-stored.ts';
import { stringify } from '#base/json/stringify.ts';
import type { CustomResourceDefinition } from '#schema/generated/apiextensions.v1.ts';
import { metadataOf } from '../../cache/stored-body.ts';

const METADATA = Buffer.from('{"metadata":');
const SPEC = Buffer.from(',"spec":');
const STATUS = Buffer.from(',"status":');
/** The start of the status of a definition. It is an object, while the `status` of a condition is a text. */
const STATUS_OBJECT = Buffer.from(',"status":{');
const NO_SPEC = Buffer.from('null');
const END = Buffer.from('}');

/** A definition without its spec. */
export type DefinitionRest = Pick<CustomResourceDefinition, 'metadata' | 'status'>;

/**
 * A stored definition in parts. Nearly all of a large definition is its spec, and most changes do not touch the spec.
 */
export interface DefinitionText {
  readonly rest: DefinitionRest;
  /** The bytes of its spec. They are a slice of the body. */
  readonly spec: Buffer;
}

/**
 * Splits the served body of a definition without parsing its spec. Undefined if this server did not write the body, or
 * if the definition has no status.
 */
export function definitionText(body: Buffer): DefinitionText | undefined {
  if (!body.subarray(0, METADATA.length).equals(METADATA)) return undefined;
  try {
    const before = METADATA.length + metadataOf(body).length;
    const start = before + SPEC.length;
    const end = body.lastIndexOf(STATUS_OBJECT);
    if (end < start || !body.subarray(before, start).equals(SPEC)) return undefined;
    // If the end were inside the spec or the status, the text after it would close more braces than it opens.
    const text = Buffer.concat([body.subarray(0, start), NO_SPEC, body.subarray(end)]);
    const { metadata, status } = parseStored<{ [part in keyof DefinitionRest]: DefinitionRest[part] }>(text);
    return { rest: { metadata, ...(status !== undefined && { status }) }, spec: body.subarray(start, end) };
  } catch {
    // The caller then parses the whole body and reports its errors.
    return undefined;
  }
}

/** Whether two definitions have the same spec, as far as a comparison of their texts shows. */
export function sameSpec(a: DefinitionText | undefined, b: DefinitionText | undefined): boolean {
  return a !== undefined && b !== undefined && a.spec.equals(b.spec);
}

/** The stored definition. `head` is everything except spec and status. */
export function storedText(head: object, spec: Buffer, status: object): Buffer {
  const [start, end] = [stringify(head), stringify(status)].map((text) => Buffer.from(text));
  return Buffer.concat([start!.subarray(0, -END.length), SPEC, spec, STATUS, end!, END]);
}
