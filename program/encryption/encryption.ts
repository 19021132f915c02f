import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError } from '#base/errors/config-error.ts';
import { timerMs } from '#base/time/longest-timer.ts';
import type { MetricSet } from '#program/metrics/metric-set.ts';
import { readText } from '#program/operator-files/read-file.ts';
import { partsOfStorageId } from '#schema/descriptors/storage-id.ts';
import { aesCbc } from './aes-cbc.ts';
import { aesGcm } from './aes-gcm.ts';
import type { Cipher } from './cipher.ts';
import {
  type EncryptionContext,
  type EncryptionRule,
  type KeyedKind,
  type KmsConfig,
  type ProviderConfig,
  readEncryption,
} from './configuration.ts';
import { EncryptionMetrics } from './encryption-metrics.ts';
import { Envelope, formV1, formV2 } from './envelope.ts';
import { kmsV1, kmsV2 } from './kms-plugin.ts';
import { type Sealer, Sealing } from './sealing.ts';
import { secretbox } from './secretbox.ts';
import { WritesUnderWay } from './writes-under-way.ts';

/** The health of a plug-in, for health checks. */
export interface KmsHealth {
  /** The name of the plug-in in paths: `kms-provider-0`. */
  readonly name: string;
  /** The problem, or undefined. The result is remembered for a while before the plug-in is asked again. */
  check(): Promise<string | undefined>;
}

export interface EncryptionOptions {
  readonly file: string;
  /** Whether the server reloads the file when it changes. */
  readonly reloads: boolean;
  readonly context: EncryptionContext;
  readonly metrics: MetricSet;
  readonly log: { info(details: object, text: string): void; error(details: object, text: string): void };
  /** The interval of checks of the file and the plug-ins, in milliseconds; default 5,000. */
  readonly lookMs?: number;
}

const LOOK_MS = 5_000;

/** How long a plug-in's health is remembered, in milliseconds. A failure is checked again at once. */
const HEALTH_MS = 20_000;
const FAILURE_MS = 1_000;

/** The time for which the plug-ins of the previous file stay open for running reads, in milliseconds. */
const LINGER_MS = 10_000;

const CIPHERS: Readonly<Record<KeyedKind, (secret: Buffer) => Cipher>> = {
  aesgcm: aesGcm,
  aescbc: aesCbc,
  secretbox,
};

/** The parsed content of a file. */
class Configured {
  readonly #rules: readonly { readonly rule: EncryptionRule; readonly sealing: Sealing }[];
  readonly plugins: PluginHealth[] = [];
  /** A digest of the text, which identifies the configuration for people. */
  readonly sha256: string;
  /** Writes whose values this configuration encrypts. */
  readonly underWay = new WritesUnderWay();
  readonly #found = new Map<string, Sealing | undefined>();
  readonly #storageOf: EncryptionContext['storageOf'];

  /** @throws ConfigError with a line for each mistake */
  constructor(text: string, file: string, { naming, ...context }: EncryptionContext, metrics: EncryptionMetrics) {
    this.#storageOf = context.storageOf;
    this.sha256 = createHash('sha256').update(text).digest('hex');
    const rules = readEncryption(readText(text, file), { naming, ...context });
    const envelope = (kms: KmsConfig): Cipher => {
      const [connect, form] = kms.apiVersion === 'v1' ? [kmsV1, formV1] : [kmsV2, formV2];
      const made = new Envelope(connect(kms), form, { cacheSize: kms.cacheSize, metrics });
      this.plugins.push(new PluginHealth(`kms-provider-${this.plugins.length}`, made));
      return made;
    };
    const head = (kind: string, version: string, name: string): Pick<Sealer, 'head' | 'label'> => {
      const label = `${naming.sealedPrefix}:${kind}:${version}:`;
      return { head: Buffer.from(`${label}${name}:`), label };
    };
    const sealers = (provider: ProviderConfig): Sealer[] => {
      if (provider.kind === 'identity') return [{ head: Buffer.alloc(0), label: 'identity', cipher: undefined }];
      if (provider.kind === 'kms') {
        const { kms } = provider;
        return [{ ...head('kms', kms.apiVersion, kms.name), cipher: envelope(kms) }];
      }
      const { kind, keys } = provider;
      return keys.map(({ name, secret }) => ({ ...head(kind, 'v1', name), cipher: CIPHERS[kind](secret) }));
    };
    this.#rules = rules.map((rule) => ({
      rule,
      sealing: new Sealing(rule.providers.flatMap(sealers), this.underWay, metrics),
    }));
  }

  /** The encryption by the first rule that names a resource by its storage id, such as `core/secrets`. */
  of(id: string): Sealing | undefined {
    if (!this.#found.has(id)) this.#found.set(id, this.#find(id));
    return this.#found.get(id);
  }

  close(): void {
    for (const { envelope } of this.plugins) envelope.close();
  }

  #find(id: string): Sealing | undefined {
    const { group, plural } = partsOfStorageId(id);
    // Keys outside of resources, such as claims, belong to the system itself. They are not encrypted, because a rewrite
    // of all objects would not write them with a new key.
    if (!group.includes('.') && this.#storageOf(group, plural) === undefined) return undefined;
    return this.#rules.find(({ rule }) =>
      rule.matches.some(
        (match) =>
          (match.group === undefined || match.group === group) &&
          (match.plural === undefined || match.plural === plural),
      ),
    )?.sealing;
  }
}

/** The last known health of a plug-in. */
class PluginHealth implements KmsHealth {
  readonly name: string;
  readonly envelope: Envelope;
  #answer: { readonly at: number; readonly problem: string | undefined } | undefined;
  #asking: Promise<string | undefined> | undefined;

  constructor(name: string, envelope: Envelope) {
    this.name = name;
    this.envelope = envelope;
  }

  check(): Promise<string | undefined> {
    const known = this.#answer;
    const goodForMs = known?.problem === undefined ? HEALTH_MS : FAILURE_MS;
    if (known !== undefined && performance.now() - known.at < goodForMs) return Promise.resolve(known.problem);
    this.#asking ??= this.envelope.check().then((problem) => {
      this.#answer = { at: performance.now(), problem };
      this.#asking = undefined;
      return problem;
    });
    return this.#asking;
  }
}

/** Says which resources are encrypted, and how, from the configuration file. It follows changes of the file. */
export class Encryption {
  readonly #metrics: EncryptionMetrics;
  readonly #options: EncryptionOptions;
  readonly #onChance = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;
  readonly #closed = new AbortController();
  /** Earlier configurations. Each stays as long as a write that it encrypted is in progress. */
  readonly #replaced = new Set<Configured>();
  #text: string;
  #configured: Configured;
  #ailing = new Set<PluginHealth>();
  #isLooking = false;

  /**
   * @throws ConfigError that names the file and the line
   */
  constructor(options: EncryptionOptions) {
    this.#options = options;
    this.#metrics = new EncryptionMetrics(options.metrics);
    this.#text = this.#read();
    this.#configured = this.#configure(this.#text);
    options.metrics.gauge('apiserver_encryption_config_in_force', (gauge) => {
      gauge.clear();
      for (const { sha256 } of [...this.#replaced, this.#configured]) gauge.set({ sha256 }, 1);
    });
    this.#timer = setInterval(() => void this.#look(), timerMs(options.lookMs ?? LOOK_MS)).unref();
  }

  /**
   * The encryption of the values of a resource, by its storage id; undefined if the configuration does not mention it.
   */
  sealingOf(id: string): Sealing | undefined {
    return this.#configured.of(id);
  }

  /** The plug-ins of the present configuration. */
  get plugins(): readonly KmsHealth[] {
    return this.#configured.plugins;
  }

  /** Whether the server reloads the file when it changes. If so, the plug-ins can change. */
  get reloads(): boolean {
    return this.#options.reloads;
  }

  /**
   * Calls the function when more values may be decrypted than before: there are other keys, or a plug-in answers again.
   */
  onChance(callback: () => void): void {
    this.#onChance.add(callback);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#closed.abort();
    this.#configured.close();
  }

  #read(): string {
    const { file } = this.#options;
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      throw new ConfigError(
        `flag --encryption-provider-config: cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  #configure(text: string): Configured {
    const { file, context } = this.#options;
    return new Configured(text, file, context, this.#metrics);
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const changed = this.#options.reloads && this.#reload();
      const recovered = await this.#lookAtPlugins();
      if (changed || recovered) for (const callback of this.#onChance) callback();
    } finally {
      this.#isLooking = false;
    }
  }

  #reload(): boolean {
    const { file, log } = this.#options;
    try {
      const text = this.#read();
      if (text === this.#text) return false;
      // each mistake is logged once
      this.#text = text;
      const before = this.#configured;
      this.#configured = this.#configure(text);
      const { sha256 } = this.#configured;
      setTimeout(() => before.close(), LINGER_MS).unref();
      this.#metrics.reloaded(true);
      log.info({ file, sha256 }, 'loaded the changed encryption configuration');
      void this.#retire(before);
      return true;
    } catch (error) {
      this.#metrics.reloaded(false);
      log.error({ err: error }, 'the changed encryption configuration cannot be used; the earlier one stays in force');
      return false;
    }
  }

  /** An earlier configuration stays in force until all writes that it encrypted have ended. */
  async #retire(before: Configured): Promise<void> {
    this.#replaced.add(before);
    const isOver = await before.underWay.over(this.#closed.signal);
    if (!isOver) return;
    this.#replaced.delete(before);
    const { sha256 } = before;
    this.#options.log.info({ sha256 }, 'no write in progress uses an earlier encryption configuration');
  }

  /** Resolves to whether a plug-in answers again. */
  async #lookAtPlugins(): Promise<boolean> {
    const { plugins } = this.#configured;
    const ailing = new Set<PluginHealth>();
    await Promise.all(
      plugins.map(async (plugin) => {
        const problem = await plugin.check();
        if (problem === undefined) return;
        ailing.add(plugin);
        if (!this.#ailing.has(plugin)) this.#options.log.error({ plugin: plugin.name, problem }, 'a KMS plug-in fails');
      }),
    );
    const recovered = [...this.#ailing].some((plugin) => plugins.includes(plugin) && !ailing.has(plugin));
    this.#ailing = ailing;
    return recovered;
  }
}
