import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Invocation } from './command-line.ts';
import { Data } from './data.ts';
import { Etcd } from './etcd.ts';
import type { Out } from './output.ts';
import { freePort, Scratch } from './scratch.ts';
import { READY_WITHIN_MS, restoreSnapshot, restoreTool, startScratchEtcd } from './scratch-etcd.ts';
import { verify } from './verify.ts';

/** The path of the server of the same build. */
const SERVER = path.resolve(import.meta.dirname, `../server/main${path.extname(import.meta.filename)}`);

const STEPS = ['manifest', 'restore', 'etcd', 'verify', 'replica'] as const;

/** The result of a step. After a step that failed, the other steps do not run. */
interface Step {
  readonly step: (typeof STEPS)[number];
  readonly fine: boolean;
  readonly said: string;
}

/**
 * Restores a snapshot into a scratch folder, starts etcd on it, verifies its content, and starts a replica of this
 * build on it; `more` are flags of the replica. The command changes nothing else and removes its files, also when it is
 * interrupted. The exit status is 1 if the snapshot is damaged, if verify finds damage, or if etcd or the replica does
 * not become ready.
 * @throws ConfigError if etcd or its tools are missing, or if flags would make the replica use another etcd
 */
export async function restoreCheck(out: Out, invocation: Invocation): Promise<number> {
  const [file, ...more] = invocation.args;
  if (file === undefined) throw new ConfigError('restore-check needs the name of a snapshot');
  const ours = more.find((flag) => /^-+etcd[-_]/.test(flag));
  if (ours !== undefined) throw new ConfigError(`${ours}: restore-check sets the flags about etcd itself`);
  if (!existsSync(file)) throw new ConfigError(`there is no snapshot ${file}`);
  const tool = await restoreTool();
  return Scratch.with(async (scratch, aborted) => {
    const check = new Check(scratch, { ...invocation, file, tool, more });
    try {
      const taken: Step[] = [];
      for (const step of STEPS) {
        out.progress(step, taken.length, STEPS.length);
        const done = await Promise.race([check[step](out).catch((error: Error) => failed(error)), aborted]);
        taken.push({ step, ...done });
        if (!done.fine && step !== 'verify') break;
      }
      const value = { file, steps: taken, verified: check.verified };
      out.result(value, taken.map(({ step, fine, said }) => `${step}: ${fine ? '' : 'FAILED: '}${said}\n`).join(''));
      return taken.every(({ fine }) => fine) ? 0 : 1;
    } finally {
      check.close();
    }
  });
}

function failed(error: Error): Omit<Step, 'step'> {
  const { stderr } = error as { stderr?: string };
  return { fine: false, said: stderr?.trim().split('\n').at(-1) || error.message };
}

type Done = Promise<Omit<Step, 'step'>>;

interface Asked extends Invocation {
  readonly file: string;
  readonly tool: string;
  readonly more: readonly string[];
}

/** The steps of one check. */
class Check implements Record<(typeof STEPS)[number], (out: Out) => Done> {
  /** The output of verify, unchanged. */
  verified: unknown;
  readonly #scratch: Scratch;
  readonly #asked: Asked;
  #endpoint = '';
  #etcd: Etcd | undefined;
  #data: Data | undefined;

  constructor(scratch: Scratch, asked: Asked) {
    this.#scratch = scratch;
    this.#asked = asked;
  }

  async manifest(): Done {
    const { file } = this.#asked;
    if (!existsSync(`${file}.json`)) return { fine: true, said: 'there is none' };
    const { sha256, savedAt } = JSON.parse(readFileSync(`${file}.json`, 'utf8')) as Record<string, string>;
    const hash = createHash('sha256');
    await pipeline(createReadStream(file), hash);
    const fine = hash.digest('hex') === sha256;
    return { fine, said: fine ? `saved at ${savedAt}` : 'the snapshot does not match its manifest' };
  }

  async restore(): Done {
    const { file, tool } = this.#asked;
    const isSnapshot = await restoreSnapshot(this.#scratch, tool, file);
    return { fine: true, said: `by ${tool}${isSnapshot ? '' : '; it is a copy of a database, without a checksum'}` };
  }

  async etcd(): Done {
    const there = { ...this.#asked, ...(await startScratchEtcd(this.#scratch)) };
    this.#endpoint = there.servers[0]!;
    this.#etcd = new Etcd(there);
    this.#data = await Data.of(this.#etcd, there);
    return { fine: true, said: 'it serves what was restored' };
  }

  /** Runs before the replica starts, because a replica repairs some damage. */
  async verify(out: Out): Done {
    let said = '';
    const code = await verify(
      this.#data!,
      {
        ...out,
        result: (value, text) => {
          this.verified = value;
          said = text.trimEnd();
        },
      },
      false,
    );
    return { fine: code === 0, said: code === 0 ? said : `\n${said}` };
  }

  async replica(): Done {
    const { prefix, encryptionFile, more } = this.#asked;
    const port = await freePort();
    const token = randomBytes(16).toString('hex');
    this.#scratch.write('tokens.csv', `${token},restore-check,restore-check\n`);
    const { caFile, certFile, keyFile } = this.#scratch;
    const args = [
      SERVER,
      `--naming=${this.#data!.naming.profile}`,
      `--etcd-servers=${this.#endpoint}`,
      `--etcd-prefix=${prefix}`,
      `--etcd-cafile=${caFile}`,
      `--etcd-certfile=${certFile}`,
      `--etcd-keyfile=${keyFile}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${port}`,
      `--tls-cert-file=${certFile}`,
      `--tls-private-key-file=${keyFile}`,
      `--token-auth-file=${this.#scratch.file('tokens.csv')}`,
      '--anonymous-auth=false',
      ...(encryptionFile === '' ? [] : [`--encryption-provider-config=${encryptionFile}`]),
      ...more,
    ];
    const server = { name: 'replica', command: process.execPath, args };
    await this.#scratch.start(server, `https://127.0.0.1:${port}/readyz`, token, READY_WITHIN_MS);
    return { fine: true, said: 'ready' };
  }

  close(): void {
    this.#data?.close();
    this.#etcd?.close();
  }
}
