import type { Logger } from 'pino';
import { append } from '#base/collections/append.ts';
import { type Answer, pageNotFound, plainText, text } from '../api/answer.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { HealthCheck, HealthPath } from './health-check.ts';
import { WORKERS_CHECK } from './worker-pool.ts';

/** How long after its last log line a failing path is logged again, in milliseconds. */
const TELL_AGAIN_MS = 60_000;

const PATHS: readonly HealthPath[] = ['healthz', 'livez', 'readyz'];

/**
 * Answers `/healthz`, `/livez` and `/readyz`. Each runs every check in order. A name below the path runs only this
 * check (`/readyz/etcd`).
 */
export class Health {
  readonly #checks: HealthCheck[] = [];
  readonly #log: Pick<Logger, 'warn'>;
  /** The last logged state of each path, and its time. */
  readonly #logged = new Map<HealthPath, { readonly failed: string; readonly at: number }>();

  /** Called with the result of each check that a client requests. */
  #observe: ((name: string, path: HealthPath, passed: boolean) => void) | undefined;

  constructor(log: Pick<Logger, 'warn'>) {
    this.#log = log;
  }

  /** Sets the function that is called with the result of each requested check. */
  observe(observer: (name: string, path: HealthPath, passed: boolean) => void): void {
    this.#observe = observer;
  }

  async #run(check: HealthCheck, path: HealthPath): Promise<string | undefined> {
    const reason = await check.check(path);
    this.#observe?.(check.name, path, reason === undefined);
    return reason;
  }

  add(...checks: readonly HealthCheck[]): void {
    append(this.#checks, checks);
  }

  /** Names of the checks of a path that fail in this process, without those of other workers. */
  async failing(path: HealthPath): Promise<string[]> {
    const own = this.#of(path).filter(({ name }) => name !== WORKERS_CHECK);
    const reasons = await Promise.all(own.map((check) => check.check(path)));
    return own.filter((_, i) => reasons[i] !== undefined).map(({ name }) => name);
  }

  /** The paths of all checks, which the root lists. */
  get paths(): string[] {
    return PATHS.flatMap((path) => [`/${path}`, ...this.#of(path).map((check) => `/${path}/${check.name}`)]);
  }

  #of(path: HealthPath): HealthCheck[] {
    return this.#checks.filter((check) => check.paths.includes(path));
  }

  /** Answers a path below /healthz, /livez or /readyz; undefined for all others. */
  async answer(context: RequestContext): Promise<Answer | undefined> {
    const match = /^\/(healthz|livez|readyz)(?:\/(.*))?$/.exec(context.info.path);
    if (match === null) return undefined;
    const path = match[1] as HealthPath;
    const checks = this.#of(path);
    for (const { remark } of checks) {
      const remarked = remark?.();
      if (remarked !== undefined) context.warnings.add(remarked);
    }
    if (match[2] !== undefined) {
      const one = checks.find((check) => check.name === match[2]);
      if (one === undefined) return pageNotFound();
      const reason = await this.#run(one, path);
      return reason === undefined ? text(200, 'ok') : plainText(500, `internal server error: ${reason}\n`);
    }
    return this.#all(path, checks, context.query);
  }

  /**
   * Logs why a path fails, because clients may not have the right to see it. It is logged once, and again from time to
   * time.
   */
  #tell(path: HealthPath, checks: readonly HealthCheck[], reasons: readonly (string | undefined)[]): void {
    const failed = checks.flatMap(({ name }, i) => (reasons[i] === undefined ? [] : [`${name}: ${reasons[i]}`]));
    const logged = this.#logged.get(path);
    const now = performance.now();
    if (logged?.failed === failed.join() && now - logged.at < TELL_AGAIN_MS) return;
    this.#logged.set(path, { failed: failed.join(), at: now });
    this.#log.warn({ path: `/${path}`, failed }, 'health checks fail');
  }

  async #all(path: HealthPath, checks: readonly HealthCheck[], query: URLSearchParams): Promise<Answer> {
    const excluded = new Set(query.getAll('exclude'));
    const lines: string[] = [];
    let failed = false;
    const reasons = await Promise.all(
      checks.map((check) => (excluded.has(check.name) ? undefined : this.#run(check, path))),
    );
    checks.forEach((check, i) => {
      const reason = reasons[i];
      if (excluded.has(check.name)) lines.push(`[+]${check.name} excluded: ok`);
      else if (reason === undefined) {
        const remark = check.remark?.();
        lines.push(remark === undefined ? `[+]${check.name} ok` : `[+]${check.name} ok: ${remark}`);
      } else {
        failed = true;
        lines.push(`[-]${check.name} failed: reason withheld`);
      }
    });
    const known = new Set(checks.map(({ name }) => name));
    const unknown = [...excluded].filter((name) => !known.has(name)).sort();
    if (unknown.length > 0) {
      const names = unknown.map((name) => JSON.stringify(name)).join(',');
      lines.push(`warn: some health checks cannot be excluded: no matches for ${names}`);
    }
    const list = lines.join('\n');
    if (failed) {
      this.#tell(path, checks, reasons);
      return plainText(500, `${list}\n${path} check failed\n`);
    }
    this.#logged.delete(path);
    return plainText(200, query.has('verbose') ? `${list}\n${path} check passed\n` : 'ok');
  }
}
