import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ensureCertificates } from './certificates.ts';

/**
 * The authorities of a deployment: one for clients and replicas, one for etcd and its clients, one for front proxies,
 * and one with which controller managers sign certificate requests. The last one is separate from the first because its
 * key lies on the machines of the controller managers.
 */
export const authorityNames = ['ca', 'etcd-ca', 'front-ca', 'signing-ca'] as const;
export type AuthorityName = (typeof authorityNames)[number];

/**
 * The progress of the replacement of an authority.
 * - `settled`: there is only one authority.
 * - `trusted`: the current authority signs, and clients trust the next authority too.
 * - `signed`: the next authority has become the current one, and clients still trust the former authority.
 */
export type RotationPhase = 'settled' | 'trusted' | 'signed';

const AUTHORITY_DAYS = 3650;

/**
 * One authority in the folder of a deployment. During its replacement, the folder also has the next or the former
 * authority.
 */
export class Authority {
  readonly name: AuthorityName;
  readonly #directory: string;

  constructor(directory: string, name: AuthorityName) {
    this.#directory = directory;
    this.name = name;
  }

  get phase(): RotationPhase {
    if (existsSync(this.#file('next.crt'))) return 'trusted';
    return existsSync(this.#file('former.crt')) ? 'signed' : 'settled';
  }

  /** The trusted authorities as PEM. The one that signs comes first. During a replacement, the other one follows. */
  get bundle(): string {
    return ['crt', 'next.crt', 'former.crt']
      .map((ending) => this.#file(ending))
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file, 'utf8'))
      .join('');
  }

  /** The path of an authority's certificate and key, without the file name extension. */
  place(which: 'current' | 'next' | 'former'): string {
    return `authorities/${this.name}${which === 'current' ? '' : `.${which}`}`;
  }

  /**
   * Creates the next authority, which clients must trust beside the current one. It has another name, because programs
   * look up authorities by their name.
   */
  begin(): void {
    const now = new Date().toISOString().slice(0, 19).replaceAll(/\D/g, '');
    mkdirSync(path.join(this.#directory, 'authorities'), { recursive: true, mode: 0o700 });
    ensureCertificates(this.#directory, [
      { name: this.place('next'), subject: `/CN=${this.name}-${now}`, days: AUTHORITY_DAYS },
    ]);
  }

  /** Makes the next authority the current one, and the current one the former one. */
  change(): void {
    for (const ending of ['key', 'crt']) renameSync(this.#file(ending), this.#file(`former.${ending}`));
    for (const ending of ['key', 'crt']) renameSync(this.#file(`next.${ending}`), this.#file(ending));
  }

  /**
   * Takes the former authority out of the trusted ones. Its key stays until `forget`, so that a check can prove that no
   * program still trusts it.
   */
  end(): void {
    renameSync(this.#file('former.crt'), this.#file('void.crt'));
    renameSync(this.#file('former.key'), this.#file('void.key'));
  }

  /** Removes the files of the former authority. */
  forget(): void {
    for (const ending of ['crt', 'key']) rmSync(this.#file(`void.${ending}`), { force: true });
  }

  #file(ending: string): string {
    return path.join(this.#directory, 'authorities', `${this.name}.${ending}`);
  }
}
