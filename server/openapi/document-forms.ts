import type { DocumentSkeleton, Maps } from './document-parts.ts';
import { joinPacked, plainLength } from './join-packed.ts';
import { jsonEntries, jsonMembers } from './json-document.ts';
import type { Form } from './model.ts';
import { type Packed, pack } from './pack.ts';
import { componentsHead, openapiForm, type ProtobufForm, swaggerForm } from './protobuf-document.ts';

/** The two encodings of each form of documents. */
export type Encoding = 'json' | 'protobuf';

/**
 * Compressed entries of both maps of a document. The server joins such parts into a document without decompressing
 * them.
 */
export interface PackedMaps {
  readonly paths: Packed;
  readonly definitions: Packed;
}

const PROTOBUF: Readonly<Record<Form, ProtobufForm>> = { v2: swaggerForm, v3: openapiForm };

/** Writes the entries of a form and compresses them. Other work of the process continues between the entries. */
export async function packMaps(form: Form, encoding: Encoding, { paths, definitions }: Maps): Promise<PackedMaps> {
  if (encoding === 'json')
    return { paths: await pack(jsonEntries(paths)), definitions: await pack(jsonEntries(definitions)) };
  const { entries } = PROTOBUF[form];
  return { paths: await pack(entries('paths', paths)), definitions: await pack(entries('definitions', definitions)) };
}

/** A whole document from packed parts. */
export async function joinDocument(
  form: Form,
  encoding: Encoding,
  skeleton: DocumentSkeleton,
  parts: readonly PackedMaps[],
): Promise<Packed> {
  const maps = { paths: parts.map(({ paths }) => paths), definitions: parts.map(({ definitions }) => definitions) };
  if (encoding === 'protobuf') return (form === 'v2' ? joinSwagger : joinOpenapi)(skeleton, maps);
  const { head, tail } = skeleton;
  const comma = await pack([',']);
  const listed = (map: readonly Packed[]) =>
    map.filter((one) => plainLength(one) > 0).flatMap((one, i) => (i === 0 ? [one] : [comma, one]));
  const [paths, definitions] = [listed(maps.paths), listed(maps.definitions)];
  const begin = await pack([`{${jsonMembers(head)},"paths":{`]);
  if (form === 'v2')
    return joinPacked([
      begin,
      ...paths,
      await pack(['},"definitions":{']),
      ...definitions,
      await pack([`},${jsonMembers(tail)}}`]),
    ]);
  const members = jsonMembers(tail);
  if (definitions.length === 0) return joinPacked([begin, ...paths, await pack([`},"components":{${members}}}`])]);
  return joinPacked([
    begin,
    ...paths,
    await pack(['},"components":{"schemas":{']),
    ...definitions,
    await pack([members === '' ? '}}}' : `},${members}}}`]),
  ]);
}

interface ListedMaps {
  readonly paths: readonly Packed[];
  readonly definitions: readonly Packed[];
}

function lengthOf(parts: readonly Packed[]): number {
  return parts.reduce((sum, one) => sum + plainLength(one), 0);
}

async function joinSwagger({ head, tail }: DocumentSkeleton, { paths, definitions }: ListedMaps): Promise<Packed> {
  return joinPacked([
    await pack([swaggerForm.head(head), swaggerForm.mapHead('paths', lengthOf(paths))]),
    ...paths,
    await pack([swaggerForm.mapHead('definitions', lengthOf(definitions))]),
    ...definitions,
    await pack([swaggerForm.tail(tail)]),
  ]);
}

async function joinOpenapi({ head, tail }: DocumentSkeleton, { paths, definitions }: ListedMaps): Promise<Packed> {
  const length = lengthOf(definitions);
  const mapHead = length === 0 ? new Uint8Array() : openapiForm.mapHead('definitions', length);
  const last = openapiForm.tail(tail);
  return joinPacked([
    await pack([openapiForm.head(head), openapiForm.mapHead('paths', lengthOf(paths))]),
    ...paths,
    await pack([componentsHead(mapHead.length + length + last.length), mapHead]),
    ...definitions,
    await pack([last]),
  ]);
}
