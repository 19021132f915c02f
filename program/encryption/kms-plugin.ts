import { randomUUID } from 'node:crypto';
import type { Client, ServiceError } from '@grpc/grpc-js';
import { type Annotations, encodeFields, Fields } from './kms-messages.ts';

/** A data key as the plug-in encrypted it. */
export interface WrappedKey {
  readonly bytes: Buffer;
  /** The plug-in's key that was used, and the annotations of the plug-in. Empty in v1. */
  readonly keyId: string;
  readonly annotations: Annotations;
}

/** A service that encrypts data keys, over gRPC on a socket. Every call rejects after the time limit. */
export interface KmsPlugin {
  wrap(key: Buffer): Promise<WrappedKey>;
  unwrap(key: WrappedKey): Promise<Buffer>;
  /** Resolves to the id of the plug-in's current key, which is '' in v1. Rejects if the plug-in reports a problem. */
  check(): Promise<string>;
  close(): void;
}

export interface KmsPlace {
  readonly path: string;
  readonly timeoutMs: number;
}

/**
 * The longest value that a plug-in may send. Every data key is shorter. The limit protects the memory from a faulty
 * plug-in.
 */
const MOST_BYTES = 64 << 10;

/**
 * Calls of one service. The library is loaded when it is needed. It connects at the first call, and after a failure it
 * tries again within a second.
 */
class Caller {
  readonly #place: KmsPlace;
  readonly #service: string;
  #client: Promise<Client> | undefined;
  #isClosed = false;

  constructor(place: KmsPlace, service: string) {
    this.#place = place;
    this.#service = service;
  }

  async call(method: string, request: Buffer): Promise<Fields> {
    const client = await (this.#client ??= this.#connect());
    const answer = await new Promise<Buffer>((resolve, reject) => {
      client.makeUnaryRequest(
        `/${this.#service}/${method}`,
        (bytes: Buffer) => bytes,
        (bytes: Buffer) => bytes,
        request,
        { deadline: Date.now() + this.#place.timeoutMs },
        (error, bytes) => {
          if (error !== null) reject(failure(this.#place.path, error));
          else resolve(bytes ?? Buffer.alloc(0));
        },
      );
    });
    return new Fields(answer);
  }

  close(): void {
    this.#isClosed = true;
    void this.#client?.then((client) => client.close());
  }

  async #connect(): Promise<Client> {
    const { Client, credentials } = await import('@grpc/grpc-js');
    const client = new Client(`unix://${this.#place.path}`, credentials.createInsecure(), {
      'grpc.initial_reconnect_backoff_ms': 200,
      'grpc.max_reconnect_backoff_ms': 1000,
      'grpc.max_receive_message_length': MOST_BYTES,
      // The proxy settings of the environment do not apply to a socket.
      'grpc.enable_http_proxy': 0,
      'grpc.default_authority': 'localhost',
    });
    if (this.#isClosed) client.close();
    return client;
  }
}

/** The plug-in could not be reached, or did not answer in time. */
export class PluginDownError extends Error {
  override readonly name = 'PluginDownError';
}

function failure(path: string, { code, details }: ServiceError): Error {
  // UNAVAILABLE and DEADLINE_EXCEEDED of https://grpc.io/docs/guides/status-codes/
  if (code === 14 || code === 4) return new PluginDownError(`the KMS plug-in at ${path} does not answer`);
  return new Error(`the KMS plug-in at ${path} refuses: ${details.slice(0, 200)}`);
}

const NO_ANNOTATIONS: Annotations = new Map();

/** A plug-in of the first version of the interface: package `v1beta1`. */
export function kmsV1(place: KmsPlace): KmsPlugin {
  const caller = new Caller(place, 'v1beta1.KeyManagementService');
  const version = 'v1beta1';
  const wrap = async (key: Buffer): Promise<WrappedKey> => {
    const answer = await caller.call('Encrypt', encodeFields({ 1: version, 2: key }));
    return { bytes: answer.bytes(1), keyId: '', annotations: NO_ANNOTATIONS };
  };
  const unwrap = async ({ bytes }: WrappedKey): Promise<Buffer> =>
    (await caller.call('Decrypt', encodeFields({ 1: version, 2: bytes }))).bytes(1);
  return {
    wrap,
    unwrap,
    async check() {
      const plain = Buffer.from('ping');
      if (!(await unwrap(await wrap(plain))).equals(plain))
        throw new Error('the KMS plug-in does not give back what it was given');
      return '';
    },
    close: () => caller.close(),
  };
}

/** A plug-in of the second version of the interface: package `v2alpha1`. */
export function kmsV2(place: KmsPlace): KmsPlugin {
  const caller = new Caller(place, 'v2alpha1.KeyManagementService');
  let keyId = '';
  const check = async (): Promise<string> => {
    const status = await caller.call('Status', Buffer.alloc(0));
    if (!/^v2(?:alpha1)?$/.test(status.text(1)))
      throw new Error('the KMS plug-in speaks another version than v2alpha1');
    if (status.text(2) !== 'ok') throw new Error(`the KMS plug-in is not well: ${status.text(2).slice(0, 200)}`);
    if (status.text(3) === '') throw new Error('the KMS plug-in names no key');
    keyId = status.text(3);
    return keyId;
  };
  return {
    async wrap(key) {
      if (keyId === '') await check();
      const answer = await caller.call('Encrypt', encodeFields({ 1: key, 2: randomUUID(), 3: keyId }));
      return { bytes: answer.bytes(1), keyId: answer.text(2), annotations: answer.annotations(3) };
    },
    async unwrap({ bytes, keyId: with_, annotations }) {
      const request = { 1: bytes, 2: randomUUID(), 3: with_, 4: annotations };
      return (await caller.call('Decrypt', encodeFields(request))).bytes(1);
    },
    check,
    close: () => caller.close(),
  };
}
