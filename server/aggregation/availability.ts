import type { Logger } from 'pino';
import { timerMs } from '#base/time/longest-timer.ts';
import type { APIServiceCondition } from '#schema/generated/apiregistration.v1.ts';
import { semanticallyEqual } from '#schema/validation/immutable.ts';
import { authorityOf, type Backend } from '../outbound/backend.ts';
import { whyFailed } from '../outbound/why-failed.ts';
import type { Registry } from '../resources/registry.ts';
import { timestamp } from '../verbs/object-meta.ts';
import { ownValue } from '../verbs/own-fields.ts';
import { mostRecent } from '../verbs/read-version.ts';
import type { ApiServices, KnownApiService } from './api-services.ts';
import { aggregatorName, askServer, type ServerAnswer } from './ask-server.ts';
import { type Finding, failedCheck, PASSED } from './conditions.ts';
import type { ExtensionServers } from './extension-servers.ts';
import { Opinion } from './opinion.ts';
import type { RemoteDiscovery } from './remote-discovery.ts';
import type { RemoteDocuments } from './remote-documents.ts';
import { RepeatedWork } from './repeated-work.ts';

/** The interval of probes of a server in milliseconds, by the result of the last probe. */
const ASK_AGAIN_MS = 10_000;
const ASK_FAILED_MS = 2_000;

/** The findings of this replica about one extension server. */
interface Watched {
  known: KnownApiService;
  readonly work: RepeatedWork;
  readonly stop: AbortController;
  timer: NodeJS.Timeout | undefined;
  passed: boolean;
  opinion: Opinion;
}

/**
 * Finds out which extension servers answer, and writes it into the conditions of their APIServices.
 *
 * Findings from stored objects are equal on all replicas. The finding whether a server is reachable may differ: see
 * {@link Opinion}. A request is forwarded if the condition or the replica's own finding is good.
 */
export class Availability {
  readonly #registry: Registry;
  readonly #services: ApiServices;
  readonly #servers: ExtensionServers;
  readonly #documents: RemoteDocuments;
  readonly #discovery: RemoteDiscovery;
  readonly #log: Logger;
  readonly #until: AbortSignal;
  readonly #watched = new Map<string, Watched>();
  readonly #userName: string;
  readonly #sliceLabel: string;
  readonly #stop: (() => void)[] = [];

  constructor(
    registry: Registry,
    {
      services,
      servers,
      documents,
      discovery,
    }: {
      readonly services: ApiServices;
      readonly servers: ExtensionServers;
      readonly documents: RemoteDocuments;
      readonly discovery: RemoteDiscovery;
    },
    log: Logger,
    until: AbortSignal,
  ) {
    this.#registry = registry;
    this.#services = services;
    this.#servers = servers;
    this.#documents = documents;
    this.#discovery = discovery;
    this.#log = log;
    this.#until = until;
    this.#userName = aggregatorName(registry.naming);
    this.#sliceLabel = registry.naming.key('service-name');
    services.onChange(() => this.#follow());
    this.#stop.push(
      registry.cache.onApply(({ group, plural, key, item, previous }) => {
        if (this.#watched.size === 0) return;
        if (group === '' && (plural === 'services' || plural === 'endpoints')) this.#touched(key);
        if (group !== 'discovery' || plural !== 'endpointslices') return;
        for (const service of new Set([item, previous].map((slice) => slice?.labels?.[this.#sliceLabel]))) {
          if (service !== undefined) this.#touched(`${key.split('/')[0]}/${service}`);
        }
      }),
    );
    this.#follow();
  }

  /** Whether requests may be forwarded to a server. */
  isAvailable({ item, object }: KnownApiService): boolean {
    return available(object.status?.conditions)?.status === 'True' || this.#watched.get(item.name)?.passed === true;
  }

  /** Called when a request could not be forwarded. The server is checked soon. */
  doubt({ item }: KnownApiService): void {
    this.#watched.get(item.name)?.work.poke();
  }

  /** Resolves when all work in progress has ended. */
  async ended(): Promise<void> {
    for (const stop of this.#stop) stop();
    const all = [...this.#watched.values()];
    for (const one of all) this.#forget(one);
    await Promise.all(all.map(({ work }) => work.ended()));
  }

  #follow(): void {
    if (this.#until.aborted) return;
    const now = new Map([...this.#services.remote.values()].map((known) => [known.item.name, known]));
    for (const [name, one] of this.#watched) {
      if (now.get(name)?.item.uid === one.known.item.uid) continue;
      this.#forget(one);
      this.#watched.delete(name);
    }
    for (const [name, known] of now) {
      const there = this.#watched.get(name);
      if (there === undefined) this.#watch(name, known);
      else {
        const changed = !semanticallyEqual(there.known.object.spec, known.object.spec);
        there.known = known;
        if (!changed) continue;
        there.passed = false;
        there.opinion = new Opinion();
        there.work.poke();
      }
    }
    this.#servers.keepOnly(new Set(now.keys()));
    this.#documents.keepOnly(this.#services.remote);
    this.#markStale();
  }

  #markStale(): void {
    this.#discovery.update(this.#services.remote, (known) => this.isAvailable(known));
  }

  #watch(name: string, known: KnownApiService): void {
    const stop = new AbortController();
    const what = `the condition of APIService ${name} could not be written; the next attempt follows`;
    const work = new RepeatedWork(() => this.#look(watched), what, this.#log, stop.signal);
    const watched: Watched = {
      known,
      work,
      stop,
      timer: undefined,
      passed: false,
      opinion: new Opinion(),
    };
    this.#watched.set(name, watched);
    work.poke();
  }

  #forget({ stop, timer }: Watched): void {
    clearTimeout(timer);
    stop.abort();
  }

  #touched(key: string): void {
    for (const { known, work } of this.#watched.values()) {
      const { namespace, name } = known.object.spec?.service ?? {};
      if (`${namespace}/${name}` === key) work.poke();
    }
  }

  async #look(watched: Watched): Promise<void> {
    clearTimeout(watched.timer);
    const { known, stop } = watched;
    const problem = this.#servers.problem(known);
    // Findings from stored objects have an immediate effect, also for requests.
    if (problem !== undefined) watched.passed = false;
    const asked = problem ?? (await this.#ask(known, stop.signal));
    const finding = 'headers' in asked ? PASSED : asked;
    if (stop.signal.aborted) return;
    watched.passed = finding.status === 'True';
    clearTimeout(watched.timer);
    watched.timer = setTimeout(
      () => watched.work.poke(),
      timerMs(watched.passed ? ASK_AGAIN_MS : ASK_FAILED_MS),
    ).unref();
    if ('headers' in asked) {
      // A server is reported as available only when clients can see its resources.
      await this.#discovery.refresh(known, asked, stop.signal);
      void this.#documents.refresh(known, stop.signal);
    }
    this.#markStale();
    const current = available(watched.known.object.status?.conditions);
    if (watched.opinion.maySay(finding, current, performance.now())) {
      const isWritten = await this.#write(watched, finding).catch((error: unknown) => {
        watched.opinion.forget();
        throw error;
      });
      if (isWritten) return;
      watched.opinion.forget();
      watched.work.poke();
    }
  }

  /** Writes the condition. False if another client has changed the object in the meantime. */
  async #write({ known }: Watched, finding: Finding): Promise<boolean> {
    const { item, object } = known;
    const conditions = object.status?.conditions ?? [];
    const before = available(conditions);
    const since = before?.status === finding.status ? before.lastTransitionTime : undefined;
    const condition: APIServiceCondition = {
      type: 'Available',
      ...finding,
      lastTransitionTime: since ?? timestamp(),
    };
    const others = conditions.filter(({ type }) => type !== 'Available');
    const stored = this.#registry.stored('apiregistration', 'apiservices');
    const status = { ...object.status, conditions: [...others, condition] };
    const value = await ownValue(this.#registry, stored, object, { ...object, status }, { subresource: 'status' });
    const written = await this.#registry.store.update(stored.keyPrefix + item.key, item.revision, value);
    if (written.outcome !== 'written') {
      // The next comparison then uses a state that is as new as the conflicting write.
      await mostRecent(this.#registry);
      return false;
    }
    await this.#registry.cache.waitFor(written.revision, 1_000);
    return true;
  }

  /** Asks a server for its discovery. Resolves to the answer or to the problem; never rejects. */
  async #ask(known: KnownApiService, signal: AbortSignal): Promise<ServerAnswer | Finding> {
    const { group = '', version = '' } = known.object.spec!;
    const path = `/apis/${group}/${version}`;
    let backend: Backend;
    try {
      backend = this.#servers.unverified(known);
    } catch (error) {
      return failedCheck((error as Error).message);
    }
    const authority = authorityOf(backend);
    const where = `https://${authority}${path}`;
    const missing = `failing or missing response from ${where}`;
    try {
      const answer = await askServer(backend, path, { userName: this.#userName, headSuffices: true, signal });
      const { status } = answer;
      if (status >= 200 && status < 300) return answer;
      return failedCheck(`${missing}: bad status from ${where}: ${status}`);
    } catch (error) {
      return failedCheck(`${missing}: Get ${JSON.stringify(where)}: ${whyFailed(error as Error, authority)}`);
    }
  }
}

function available(conditions: readonly APIServiceCondition[] | undefined): APIServiceCondition | undefined {
  return conditions?.find(({ type }) => type === 'Available');
}
