import type { JsonObject } from '#base/json/json-value.ts';
import { stringify } from '#base/json/stringify.ts';
import type { Naming } from '#base/naming/naming.ts';
import { toYaml } from '#schema/yaml/write.ts';
import type { ObjectContent } from '../api/object-content.ts';
import type { Negotiated } from '../api/request-context.ts';
import { jsonHead } from '../api/served-resource.ts';
import { encodeMessage } from './protobuf/encode.ts';
import { wrap } from './protobuf/envelope.ts';

/** The bytes of an answer, with their media type. */
export interface Encoded {
  readonly contentType: string;
  /** The bytes, in order. They are written without joining them. */
  readonly chunks: readonly Buffer[];
}

/** The object with `kind` and `apiVersion` at its start. */
function wholeObject(content: ObjectContent): JsonObject {
  const version = content.apiVersion === '' ? {} : { apiVersion: content.apiVersion };
  return { kind: content.kind, ...version, ...withoutTypeMeta(content.object()) };
}

function withoutTypeMeta({ kind: _kind, apiVersion: _apiVersion, ...rest }: JsonObject): JsonObject {
  return rest;
}

/** The JSON of an object: the head with kind and apiVersion, then the stored bytes without their opening brace. */
export function jsonChunks(content: ObjectContent): Buffer[] {
  const head = content.served?.jsonHead ?? jsonHead(content.kind, content.apiVersion);
  const body = content.body();
  if (body.length === 2) return [head.subarray(0, -1), Buffer.from('}')];
  return [head, body.subarray(1)];
}

const NEWLINE = Buffer.from('\n');

/** Encodes one object in the negotiated format. Its `as` form has been applied before. */
export function encodeObject(content: ObjectContent, negotiated: Negotiated, naming: Naming): Encoded {
  switch (negotiated.format) {
    case 'protobuf':
      if (content.message !== undefined) {
        const raw = encodeMessage(content.message, content.object());
        return { contentType: naming.protobufMediaType, chunks: [wrap(content.apiVersion, content.kind, raw)] };
      }
      break;
    case 'yaml':
      return { contentType: 'application/yaml', chunks: [Buffer.from(toYaml(wholeObject(content)))] };
    default:
  }
  if (negotiated.pretty) {
    const text = stringify(wholeObject(content), 2);
    return { contentType: 'application/json', chunks: [Buffer.from(text)] };
  }
  return { contentType: 'application/json', chunks: [...jsonChunks(content), NEWLINE] };
}
