import { createDecipheriv, createHash } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiAnswer } from '../scripts/api-request.ts';
import type { Pki } from '../scripts/pki.ts';

/** Who is asked whether it has taken up a file. */
export interface Asked {
  request(method: string, path: string): Promise<ApiAnswer>;
}

/** So long a replica may take to look at the file, in milliseconds; where it looked just before, it is changed again. */
const LOOKED_AT_WITHIN = 12_000;

/** Keys of AES-GCM by their numbers, and the file by which replicas encrypt with them. */
export class EncryptionKeys {
  readonly file: string;
  /** For each replica. */
  readonly flags: readonly string[];
  readonly #resources: readonly string[];
  #order: readonly number[] = [];
  #writtenAt = 0;

  /** Key 1 encrypts. */
  constructor(pki: Pki, resources: readonly string[]) {
    this.file = pki.file('encryption.json');
    this.flags = [`--encryption-provider-config=${this.file}`, '--encryption-provider-config-automatic-reload'];
    this.#resources = resources;
    this.use(1);
  }

  /** The first of these encrypts, all of them decrypt. */
  use(...order: readonly number[]): void {
    this.#order = order;
    const keys = order.map((number) => ({ name: `key${number}`, secret: secretOf(number).toString('base64') }));
    const configuration = {
      apiVersion: 'apiserver.config.orch.io/v1',
      kind: 'EncryptionConfiguration',
      resources: [{ resources: this.#resources, providers: [{ aesgcm: { keys } }] }],
    };
    const now = Date.now();
    // JSON is YAML, and a comment makes it another text each time
    writeFileSync(`${this.file}.new`, `${JSON.stringify(configuration)} # ${now}\n`);
    renameSync(`${this.file}.new`, this.file);
    this.#writtenAt = now / 1000;
  }

  /** Waits until all of these have taken the file up, one by one; who does not answer is asked until it does. */
  async takenUp(all: readonly Asked[], stop?: AbortSignal): Promise<void> {
    let left = all;
    for (let lookedAt = Date.now(); stop?.aborted !== true; await sleep(100)) {
      const taken = await Promise.all(left.map((one) => this.#isTakenUp(one).catch(() => false)));
      // also who starts again from now on: it reads the same
      left = left.filter((_, i) => !taken[i]);
      if (left.length === 0) return;
      if (Date.now() - lookedAt < LOOKED_AT_WITHIN) continue;
      // one that started in the moment of the change has it, and cannot say so
      this.use(...this.#order);
      lookedAt = Date.now();
    }
  }

  async #isTakenUp(asked: Asked): Promise<boolean> {
    const { status, body } = await asked.request('GET', '/metrics');
    const gauge = (line: string): number =>
      Number(
        body
          .split('\n')
          .find((one) => one.startsWith(`${line} `))
          ?.slice(line.length) ?? 0,
      );
    const name = 'apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds';
    const readAt = Math.max(gauge('process_start_time_seconds'), gauge(`${name}{status="success"}`));
    return status === 200 && readAt > this.#writtenAt;
  }
}

const HEAD = /^orch:enc:aesgcm:v1:key(\d+):/;

/** The number of the key that a stored value is encrypted with; undefined where it is not. */
export function keyOfValue(value: Buffer): number | undefined {
  const head = HEAD.exec(value.toString('latin1', 0, 40));
  return head === null ? undefined : Number(head[1]);
}

/** The plain text of a value that is stored under a key of etcd, encrypted with one of these keys. Throws where it is not. */
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
