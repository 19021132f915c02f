import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type handleUnaryCall, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { encodeFields, Fields } from '../kms-messages.ts';

const METHOD = {
  requestStream: false,
  responseStream: false,
  requestSerialize: (bytes: Buffer) => bytes,
  requestDeserialize: (bytes: Buffer) => bytes,
  responseSerialize: (bytes: Buffer) => bytes,
  responseDeserialize: (bytes: Buffer) => bytes,
} as const;

/**
 * A KMS plug-in for tests, over gRPC on a socket. It has both versions of the interface, and its keys are in memory.
 */
export class KmsPluginServer {
  readonly path: string;
  /** The received calls, by method. */
  readonly asked = { Encrypt: 0, Decrypt: 0, Status: 0, Version: 0 };
  /** The health that v2 reports. */
  health = 'ok';
  /** The key that encrypts now. */
  keyId = 'key-1';
  readonly #keys = new Map<string, Buffer>();
  #server: Server | undefined;

  constructor(path: string) {
    this.path = path;
  }

  async start(): Promise<void> {
    rmSync(this.path, { force: true });
    const server = new Server();
    for (const version of ['v1beta1', 'v2alpha1'] as const) {
      const methods = Object.keys(this.asked).map(
        (name) => [name, { ...METHOD, path: `/${version}.KeyManagementService/${name}` }] as const,
      );
      const handlers = methods.map(([name]) => {
        const handler: handleUnaryCall<Buffer, Buffer> = (call, answer) => {
          this.asked[name as keyof typeof this.asked]++;
          try {
            answer(null, this.#answer(version, name, new Fields(call.request)));
          } catch (error) {
            answer({ code: status.INVALID_ARGUMENT, details: (error as Error).message });
          }
        };
        return [name, handler] as const;
      });
      server.addService(Object.fromEntries(methods), Object.fromEntries(handlers));
    }
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(`unix://${this.path}`, ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(error),
      );
    });
    this.#server = server;
  }

  /** Ends at once. `start` starts it again with the same keys. */
  stop(): void {
    this.#server?.forceShutdown();
    this.#server = undefined;
  }

  #answer(version: string, method: string, request: Fields): Buffer {
    const isV2 = version === 'v2alpha1';
    switch (method) {
      case 'Status':
        return encodeFields({ 1: 'v2alpha1', 2: this.health, 3: this.keyId });
      case 'Version':
        return encodeFields({ 1: 'v1beta1', 2: 'test', 3: '1' });
      case 'Encrypt': {
        const sealed = this.#encrypt(request.bytes(isV2 ? 1 : 2));
        if (!isV2) return encodeFields({ 1: sealed });
        return encodeFields({ 1: sealed, 2: this.keyId, 3: new Map([['kind.example.com', Buffer.from('test')]]) });
      }
      default: {
        if (isV2 && request.annotations(4).get('kind.example.com')?.toString() !== 'test')
          throw new Error('the annotations are gone');
        return encodeFields({ 1: this.#decrypt(request.bytes(isV2 ? 1 : 2)) });
      }
    }
  }

  #encrypt(plain: Buffer): Buffer {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key(this.keyId), nonce);
    const sealed = [cipher.update(plain), cipher.final()];
    return Buffer.concat([Buffer.from(`${this.keyId}\0`), nonce, cipher.getAuthTag(), ...sealed]);
  }

  #decrypt(sealed: Buffer): Buffer {
    const end = sealed.indexOf(0);
    const key = this.#keys.get(sealed.toString('latin1', 0, end));
    if (key === undefined) throw new Error('there is no such key');
    const rest = sealed.subarray(end + 1);
    const decipher = createDecipheriv('aes-256-gcm', key, rest.subarray(0, 12));
    decipher.setAuthTag(rest.subarray(12, 28));
    return Buffer.concat([decipher.update(rest.subarray(28)), decipher.final()]);
  }

  #key(id: string): Buffer {
    const key = this.#keys.get(id) ?? randomBytes(32);
    this.#keys.set(id, key);
    return key;
  }
}
