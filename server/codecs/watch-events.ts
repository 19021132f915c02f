import type { Status } from '#base/errors/status-error.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { parseStored } from '#base/json/parse-stored.ts';
import { stringify } from '#base/json/stringify.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson } from '#schema/objects/as-json.ts';
import { emptyMetadata } from '#schema/objects/empty-metadata.ts';
import { ObjectContent } from '../api/object-content.ts';
import type { Negotiated, RequestContext } from '../api/request-context.ts';
import type { ServedResource } from '../api/served-resource.ts';
import type { Reading } from '../api/stored-reading.ts';
import type { EventType, WatchEvent } from '../api/watch-stream.ts';
import { type EncodedForm, EncodedPool } from '../cache/encoded-pool.ts';
import type { Registry } from '../resources/registry.ts';
import { partialMetadata } from './partial-metadata.ts';
import { encodeMessage } from './protobuf/encode.ts';
import { wrap } from './protobuf/envelope.ts';
import { watchFrame } from './protobuf/frame.ts';
import { protobufBody } from './protobuf-body.ts';
import { columnDefinitions, includeObject, TableRows } from './table/table.ts';

const MARK = Buffer.from('"resourceVersion":"');

/**
 * A served body with another resourceVersion, for a DELETED event. The first occurrence is that of the object itself:
 * metadata comes first, and the fields before it cannot contain this text unescaped.
 */
function withRevision(body: Buffer, revision: number): Buffer {
  const at = body.indexOf(MARK);
  if (at < 0) return body;
  const start = at + MARK.length;
  const end = body.indexOf(0x22, start);
  return Buffer.concat([body.subarray(0, start), Buffer.from(String(revision)), body.subarray(end)]);
}

/** Turns events into bytes of one stream. */
export interface EventEncoder {
  readonly contentType: string;
  /** `reading` must have the event's object ready. */
  event(event: WatchEvent, reading: Reading): Buffer;
  /** `endsInitial` means that the bookmark follows the events of all objects that existed at the start. */
  bookmark(revision: number, endsInitial?: boolean): Buffer;
  error(status: Status): Buffer;
}

/** Encoded events by item. A DELETED event belongs to the change that followed the item, so there is at most one. */
type Memo = Readonly<Record<EventType, EncodedForm>>;

/** The pool is so large that all watchers that keep up get an event from one encoding. */
const pool = new EncodedPool(16 * 1024 * 1024);

const memo = (): Memo => ({ ADDED: pool.form(), MODIFIED: pool.form(), DELETED: pool.form() });

/** Encoders of each resource and format. An event is encoded once for any number of watchers. */
const encoders = {
  json: new WeakMap<ServedResource, EventEncoder>(),
  protobuf: new WeakMap<ServedResource, EventEncoder>(),
};

/** The JSON of the event's object in the served version, without kind and apiVersion. */
function bodyOf(reading: Reading, event: WatchEvent): Buffer {
  const body = reading.body(event.item);
  return event.type === 'DELETED' ? withRevision(body, event.revision) : body;
}

function jsonLine(type: string, head: Buffer, rest: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), head, rest, Buffer.from('}\n')]);
}

/** The metadata of a bookmark, with the annotation for the end of the initial objects if it has its key. */
function bookmarkMetadata(revision: number, endsInitial: string | undefined): JsonObject {
  const annotations = endsInitial === undefined ? {} : { annotations: { [endsInitial]: 'true' } };
  return { metadata: { resourceVersion: String(revision), ...annotations } };
}

const INITIAL_EVENTS_END = 'initial-events-end';

class JsonEvents implements EventEncoder {
  readonly contentType = 'application/json';
  readonly #served: ServedResource;
  readonly #registry: Registry;
  readonly #memo = memo();

  constructor(registry: Registry, served: ServedResource) {
    this.#registry = registry;
    this.#served = served;
  }

  event(event: WatchEvent, reading: Reading): Buffer {
    const { type, item } = event;
    const known = this.#memo[type].get(item);
    if (known !== undefined) return known;
    const line = jsonLine(type, this.#served.jsonHead, bodyOf(reading, event).subarray(1));
    this.#memo[type].set(item, line);
    return line;
  }

  bookmark(revision: number, endsInitial = false): Buffer {
    const object = bookmarkMetadata(revision, endsInitial ? this.#registry.naming.key(INITIAL_EVENTS_END) : undefined);
    return jsonLine('BOOKMARK', this.#served.jsonHead, Buffer.from(stringify(object).slice(1)));
  }

  error(status: Status): Buffer {
    return Buffer.from(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
  }
}

function framesType({ naming }: Registry): string {
  return `${naming.protobufMediaType};stream=watch`;
}

/** The frame of a kind that all resources share: a Status, or metadata alone. */
function metaFrame({ schema }: Registry, type: string, object: JsonObject): Buffer {
  const { kind, apiVersion } = object as { kind: string; apiVersion: string };
  return watchFrame(type, wrap(apiVersion, kind, encodeMessage(schema.message(`meta.v1.${kind}`), object)));
}

class ProtobufEvents implements EventEncoder {
  readonly contentType: string;
  readonly #registry: Registry;
  readonly #served: ServedResource;
  readonly #memo = memo();

  constructor(registry: Registry, served: ServedResource) {
    this.#registry = registry;
    this.#served = served;
    this.contentType = framesType(registry);
  }

  event(event: WatchEvent, reading: Reading): Buffer {
    const { type, item } = event;
    const known = this.#memo[type].get(item);
    if (known !== undefined) return known;
    const frame = this.#frame(type, this.#message(event, reading));
    this.#memo[type].set(item, frame);
    return frame;
  }

  bookmark(revision: number, endsInitial = false): Buffer {
    const object = bookmarkMetadata(revision, endsInitial ? this.#registry.naming.key(INITIAL_EVENTS_END) : undefined);
    return this.#frame('BOOKMARK', encodeMessage(this.#served.model.message!, object));
  }

  error(status: Status): Buffer {
    return metaFrame(this.#registry, 'ERROR', asJson(status));
  }

  /**
   * The message of the event's object. New watches share the encoded objects of lists. A DELETED object has a different
   * version.
   */
  #message(event: WatchEvent, reading: Reading): Uint8Array {
    if (event.type !== 'DELETED') return protobufBody(reading, this.#served, event.item);
    return encodeMessage(this.#served.model.message!, parseStored(bodyOf(reading, event)));
  }

  #frame(type: EventType | 'BOOKMARK', message: Uint8Array): Buffer {
    const { type: resource, apiVersion } = this.#served;
    return watchFrame(type, wrap(apiVersion, resource.kind, message));
  }
}

/**
 * The encoding of tables and metadata. It is one JSON document for each event, or one frame if metadata is requested in
 * protobuf.
 */
class TransformedEvents implements EventEncoder {
  readonly contentType: string;
  readonly #registry: Registry;
  readonly #served: ServedResource;
  readonly #metaVersion: string;
  readonly #rows: TableRows | undefined;
  readonly #frames: boolean;
  #first = true;

  constructor(registry: Registry, served: ServedResource, negotiated: Negotiated, query: URLSearchParams) {
    this.#registry = registry;
    this.#served = served;
    this.#metaVersion = registry.naming.apiVersion('meta', negotiated.asVersion);
    this.#frames = negotiated.format === 'protobuf';
    this.contentType = this.#frames ? framesType(registry) : 'application/json';
    if (negotiated.as === 'Table') {
      this.#rows = new TableRows(served, includeObject(query), this.#metaVersion, registry);
    }
  }

  event(event: WatchEvent, reading: Reading): Buffer {
    const stored = this.#stored(event, reading);
    if (this.#rows === undefined)
      return this.#line(event.type, partialMetadata(this.#metaVersion, this.#served, stored));
    const { type, apiVersion } = this.#served;
    const shown = (): JsonObject => ({
      kind: type.kind,
      apiVersion,
      ...parseStored(bodyOf(reading, event)),
    });
    return this.#line(event.type, this.#table(this.#rows, stored, shown, String(event.revision)));
  }

  bookmark(revision: number, endsInitial = false): Buffer {
    const end = endsInitial ? this.#registry.naming.key(INITIAL_EVENTS_END) : undefined;
    const content = bookmarkMetadata(revision, end) as { metadata: JsonObject };
    if (this.#rows === undefined) return this.#line('BOOKMARK', partialMetadata(this.#metaVersion, undefined, content));
    const metadata = asJson({ ...content.metadata, ...emptyMetadata(this.#registry.schema.release) });
    const shown = (): JsonObject => ({ kind: this.#served.type.kind, apiVersion: this.#served.apiVersion, metadata });
    return this.#line('BOOKMARK', this.#table(this.#rows, { metadata }, shown, String(revision)));
  }

  /** The event's object in the working version, with the version of the event. */
  #stored({ type, item, revision }: WatchEvent, reading: Reading): ApiObject {
    const stored = reading.object(item);
    if (type !== 'DELETED') return stored;
    return { ...stored, metadata: { ...stored.metadata, resourceVersion: String(revision) } };
  }

  error(status: Status): Buffer {
    return this.#line('ERROR', asJson(status));
  }

  #table(rows: TableRows, stored: ApiObject, shown: () => JsonObject, resourceVersion: string): JsonObject {
    const definitions = this.#first ? columnDefinitions(rows.columns) : null;
    this.#first = false;
    return {
      kind: 'Table',
      apiVersion: this.#metaVersion,
      metadata: { resourceVersion },
      columnDefinitions: definitions,
      rows: [rows.row(stored, shown)],
    };
  }

  #line(type: string, object: JsonObject): Buffer {
    if (this.#frames) return metaFrame(this.#registry, type, object);
    return Buffer.from(`${stringify({ type, object })}\n`);
  }
}

/**
 * The encoder of a watch in its negotiated form.
 *
 * @throws StatusError (400) for a malformed `includeObject`
 */
export function eventEncoder(
  registry: Registry,
  served: ServedResource,
  negotiated: Negotiated,
  context: RequestContext,
): EventEncoder {
  if (negotiated.as !== undefined) return new TransformedEvents(registry, served, negotiated, context.query);
  const format = negotiated.format === 'protobuf' ? 'protobuf' : 'json';
  let encoder = encoders[format].get(served);
  if (encoder === undefined) {
    encoder = format === 'json' ? new JsonEvents(registry, served) : new ProtobufEvents(registry, served);
    encoders[format].set(served, encoder);
  }
  return encoder;
}

/** A Status as the content of an answer. */
export function statusContent(registry: Registry, status: Status): ObjectContent {
  const { kind, apiVersion, ...rest } = status;
  return ObjectContent.ofObject(kind, apiVersion, registry.schema.message('meta.v1.Status'), asJson(rest));
}
