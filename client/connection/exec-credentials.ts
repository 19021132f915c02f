import { type Cluster, ConnectionFileError, type ExecPlugin } from '#program/connection/connection.ts';
import { namingOfPlugin } from '#program/connection/connection-file.ts';
import { WatchedText } from './watched-text.ts';

/** The credentials that a plug-in printed. */
export interface PluginCredentials {
  readonly token?: string | undefined;
  /** The certificate as PEM, with intermediate certificates. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/** A plug-in that is running, and the number of callers that wait for its answer. */
interface Running {
  readonly credentials: Promise<PluginCredentials>;
  readonly end: AbortController;
  waiting: number;
}

/** The largest output of a plug-in, in bytes. */
const LONGEST_OUTPUT = 1 << 20;

/**
 * Credentials from a program. They are kept until they expire or are refused. The program gets a description of the
 * server as an ExecCredential in an environment variable. It answers with an ExecCredential on its standard output.
 */
export class ExecCredentials {
  readonly #plugin: ExecPlugin;
  readonly #cluster: Cluster;
  readonly #ca: WatchedText | undefined;
  readonly #now: () => number;
  #kept: { readonly credentials: PluginCredentials; readonly expires: number } | undefined;
  #running: Running | undefined;

  constructor(plugin: ExecPlugin, cluster: Cluster, now: () => number = Date.now) {
    this.#plugin = plugin;
    this.#cluster = cluster;
    this.#ca = cluster.ca && new WatchedText(cluster.ca);
    this.#now = now;
  }

  /** Callers that ask at the same time share one run of the program. @throws ConnectionFileError */
  async get(signal?: AbortSignal): Promise<PluginCredentials> {
    if (this.#kept !== undefined && this.#kept.expires > this.#now()) return this.#kept.credentials;
    const running = (this.#running ??= this.#start());
    running.waiting++;
    try {
      return await untilAborted(running.credentials, signal);
    } finally {
      // No caller waits any longer, because the program has taken too long.
      if (--running.waiting === 0) running.end.abort();
    }
  }

  /**
   * Forgets the credentials, so that the next call runs the program again. True if the program may give other
   * credentials.
   */
  forget(): boolean {
    this.#kept = undefined;
    return true;
  }

  #start(): Running {
    const end = new AbortController();
    const running: Running = {
      end,
      waiting: 0,
      credentials: this.#run(end.signal).finally(() => {
        if (this.#running === running) this.#running = undefined;
      }),
    };
    end.signal.addEventListener('abort', () => {
      if (this.#running === running) this.#running = undefined;
    });
    return running;
  }

  async #run(signal: AbortSignal): Promise<PluginCredentials> {
    const { command, args, env, interactiveMode } = this.#plugin;
    const terminal = process.stdin.isTTY === true;
    if (interactiveMode === 'Always' && !terminal) this.#fail('needs a terminal, and there is none');
    const interactive = interactiveMode !== 'Never' && terminal;
    const info = { [this.#naming().execInfoVariable]: JSON.stringify(this.#input(interactive)) };
    // Most connections have no plug-in, so they start no program.
    const { spawn } = await import('node:child_process');
    const output = await new Promise<string>((resolve, reject) => {
      const child = spawn(command, args, {
        env: { ...process.env, ...env, ...info },
        stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
        signal,
      });
      let text = '';
      child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
        if (text.length > LONGEST_OUTPUT) child.kill();
      });
      child.once('error', (error: NodeJS.ErrnoException) => reject(error));
      child.once('close', (code, killed) =>
        code === 0 ? resolve(text) : reject(new Error(`it ended with ${killed ?? `status ${code}`}`)),
      );
    }).catch((error: NodeJS.ErrnoException) => {
      const hint = error.code === 'ENOENT' && this.#plugin.installHint ? `\n${this.#plugin.installHint}` : '';
      return this.#fail(`failed: ${error.message}${hint}`);
    });
    return this.#keep(output);
  }

  #input(interactive: boolean): unknown {
    const { server, tlsServerName, insecureSkipTlsVerify, proxyUrl, pluginConfig } = this.#cluster;
    const ca = this.#ca?.get();
    const cluster = {
      server,
      ...(tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName }),
      ...(insecureSkipTlsVerify === true ? { 'insecure-skip-tls-verify': true } : {}),
      ...(proxyUrl === undefined ? {} : { 'proxy-url': proxyUrl }),
      ...(ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
      ...(pluginConfig === undefined ? {} : { config: pluginConfig }),
    };
    const spec = { ...(this.#plugin.provideClusterInfo ? { cluster } : {}), interactive };
    return { apiVersion: this.#plugin.apiVersion, kind: 'ExecCredential', spec };
  }

  #keep(output: string): PluginCredentials {
    let answer: { apiVersion?: unknown; kind?: unknown; status?: Readonly<Record<string, unknown>> };
    try {
      answer = JSON.parse(output) as typeof answer;
    } catch {
      return this.#fail('did not answer with JSON');
    }
    if (answer?.kind !== 'ExecCredential') this.#fail('did not answer with an ExecCredential');
    if (answer.apiVersion !== this.#plugin.apiVersion)
      this.#fail(`answered in ${String(answer.apiVersion)} where ${this.#plugin.apiVersion} is configured`);
    const text = (name: string) => {
      const value = answer.status?.[name];
      return typeof value === 'string' && value !== '' ? value : undefined;
    };
    const credentials: PluginCredentials = {
      token: text('token'),
      certificate: text('clientCertificateData'),
      key: text('clientKeyData'),
    };
    if (credentials.token === undefined && credentials.certificate === undefined)
      this.#fail('answered with neither a token nor a certificate');
    if ((credentials.certificate === undefined) !== (credentials.key === undefined))
      this.#fail('answered with only one of certificate and key');
    const until = text('expirationTimestamp');
    const expires = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until);
    if (Number.isNaN(expires)) this.#fail(`answered with an expirationTimestamp that is no time: ${until}`);
    this.#kept = { credentials, expires };
    return credentials;
  }

  #naming() {
    return namingOfPlugin(this.#plugin.apiVersion) ?? this.#fail('has an unknown apiVersion');
  }

  #fail(what: string): never {
    throw new ConnectionFileError(`the credential plug-in ${this.#plugin.command} ${what}`);
  }
}

/** The value of the promise. Rejects with the signal's reason if the signal aborts first. */
function untilAborted<T>(value: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return value;
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    value.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
