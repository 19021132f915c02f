import { createDecipheriv, createHash } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiAnswer } from '#scripts/api-request.ts';
import type { Pki } from '#scripts/pki.ts';

/** A replica that can report whether it uses a file. */
export interface Asked {
  request(method: string, path: string): Promise<ApiAnswer>;
}

/** Keys of AES-GCM by their numbers, and the configuration file with which replicas encrypt. */
export class EncryptionKeys {
  readonly file: string;
  /** The flags that each replica needs. */
  readonly flags: readonly string[];
  readonly #resources: readonly string[];
  #text = '';

  /** Writes a first file, in which key 1 encrypts. */
  constructor(pki: Pki, resources: readonly string[]) {
    this.file = pki.file('encryption.json');
    this.flags = [`--encryption-provider-config=${this.file}`, '--encryption-provider-config-automatic-reload'];
    this.#resources = resources;
    this.use(1);
  }

  /** Writes the file again. The first of these keys encrypts, and all of them decrypt. */
  use(...order: readonly number[]): void {
    this.#text = this.#textOf(order);
    writeFileSync(`${this.file}.new`, this.#text);
    renameSync(`${this.file}.new`, this.file);
  }

  /** Writes another file, with only these keys. A test uses it to show which values these keys cannot decrypt. */
  trial(...order: readonly number[]): string {
    writeFileSync(`${this.file}.trial`, this.#textOf(order));
    return `${this.file}.trial`;
  }

  /**
   * Waits until each of these replicas reports that it uses the file, and that all writes under an earlier file have
   * ended. It asks a replica again until the replica answers. A replica that starts later reads the same file.
   */
  async inForce(all: readonly Asked[], stop?: AbortSignal): Promise<void> {
    const sha256 = createHash('sha256').update(this.#text).digest('hex');
    let left = all;
    for (; stop?.aborted !== true; await sleep(100)) {
      const told = await Promise.all(left.map((one) => one.request('GET', '/metrics').catch(() => undefined)));
      left = left.filter((_, i) => told[i]?.status !== 200 || !isAlone(told[i].body, sha256));
      if (left.length === 0) return;
    }
  }

  #textOf(order: readonly number[]): string {
    const keys = order.map((number) => ({ name: `key${number}`, secret: secretOf(number).toString('base64') }));
    const configuration = {
      apiVersion: 'apiserver.config.orch.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [{ resources: this.#resources, providers: [{ aesgcm: { keys } }] }],
    };
    // This is JSON, which is also YAML.
    return `${JSON.stringify(configuration)}\n`;
  }
}

/** Whether a page of metrics shows that no other configuration is in use. */
function isAlone(metrics: string, sha256: string): boolean {
  const said = [...metrics.matchAll(/^apiserver_encryption_config_in_force\{sha256="(\w+)"\} 1$/gm)];
  return said.length === 1 && said[0]![1] === sha256;
}

const HEAD = /^orch:enc:aesgcm:v1:key(\d+):/;

/** The number of the key that encrypts a stored value. Undefined if the value is not encrypted. */
export function keyOfValue(value: Buffer): number | undefined {
  const head = HEAD.exec(value.toString('latin1', 0, 40));
  return head === null ? undefined : Number(head[1]);
}

/**
 * The plain text of a value that is stored under a key of etcd and encrypted with one of these keys.
 *
 * @throws Error if the value is not encrypted
 */
export function openValue(path: string, value: Buffer): Buffer {
  const number = keyOfValue(value);
  if (number === undefined) throw new Error(`${path} is not encrypted`);
  const sealed = value.subarray(value.indexOf(`key${number}:`) + `key${number}:`.length);
  const [nonce, text, tag] = [sealed.subarray(0, 12), sealed.subarray(12, -16), sealed.subarray(-16)];
  const decipher = createDecipheriv('aes-256-gcm', secretOf(number), nonce, { authTagLength: 16 });
  decipher.setAAD(Buffer.from(path)).setAuthTag(tag);
  return Buffer.concat([decipher.update(text), decipher.final()]);
}

function secretOf(number: number): Buffer {
  return createHash('sha256').update(`key ${number}`).digest();
}
