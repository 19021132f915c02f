import { badRequest, StatusError, tooManyRequests } from '#base/errors/status-error.ts';
import { asStep } from '#program/tracing/request-stages.ts';
import { type Answer, plainText } from '../api/answer.ts';
import type { Filter, Handler } from '../api/filter.ts';
import type { RequestContext } from '../api/request-context.ts';
import { upgradeOf } from '../api/upgrade.ts';
import type { Backend } from '../outbound/backend.ts';
import type { OutdatedCertificates } from '../outbound/call-metrics.ts';
import type { Registry } from '../resources/registry.ts';
import type { Credentials } from '../subresources/connect/forwarded-headers.ts';
import { relay } from '../subresources/connect/relay.ts';
import { mostRecent } from '../verbs/read-version.ts';
import type { ApiServices, KnownApiService } from './api-services.ts';
import type { Availability } from './availability.ts';
import { type ExtensionServers, UnreadableAuthorities } from './extension-servers.ts';
import { REMOTE_EXTRA_PREFIX, REMOTE_USER_HEADERS, remoteUserHeaders } from './remote-user.ts';

/**
 * The largest number of requests that wait for the head of an answer of one extension server. So a server that hangs
 * affects only its own callers.
 */
const MAX_WAITING = 100;
/** The largest number of streams and other requests in progress with one extension server. */
const MAX_UNDER_WAY = 4_000;

const REDIRECTED = 'the backend attempted to redirect this request, which is not permitted';

class RedirectRefused extends Error {}

/** The inputs for forwarding requests. */
export interface ProxyParts {
  readonly registry: Registry;
  readonly services: ApiServices;
  readonly servers: ExtensionServers;
  readonly availability: Pick<Availability, 'isAvailable' | 'doubt'>;
  /** Client credentials in requests. They are not forwarded. */
  readonly credentials: Credentials;
  /** Whether the server forwards redirects of extension servers. It never follows them itself. */
  readonly passesRedirects: boolean;
  readonly bytesPerSecond: number;
  readonly certificates: Pick<OutdatedCertificates, 'failed'>;
}

interface Load {
  waiting: number;
  underWay: number;
}

/** The group and version in a path; undefined if there is none. */
function groupVersionOf(path: string): [group: string, version: string] | undefined {
  if (!path.startsWith('/apis/')) return undefined;
  const [, , group = '', version = ''] = path.split('/', 4);
  return group === '' || version === '' ? undefined : [group, version];
}

/** The other server that answers at a path; undefined if this server answers. */
export function remoteAt(services: ApiServices, path: string): KnownApiService | undefined {
  const { remote } = services;
  if (remote.size === 0) return undefined;
  const groupVersion = groupVersionOf(path);
  return groupVersion && remote.get(groupVersion.join('/'));
}

/** Forwards requests for groups of other servers to those servers. All other requests continue through the chain. */
export function aggregationFilter(parts: ProxyParts): Filter {
  const { registry, services, servers, availability } = parts;
  const credentials: Credentials = {
    ...parts.credentials,
    headers: new Set([...parts.credentials.headers, ...REMOTE_USER_HEADERS]),
    prefixes: [...parts.credentials.prefixes, REMOTE_EXTRA_PREFIX],
  };
  const loads = new Map<string, Load>();
  // Clients would send a cookie to this server, and only this server may name the priority level of a request.
  const { naming } = registry;
  const withheld = new Set(['set-cookie', 'set-cookie2']);
  for (const name of ['PF-FlowSchema-UID', 'PF-PriorityLevel-UID']) withheld.add(naming.header(name).toLowerCase());
  const location = (target: string): string => {
    if (!parts.passesRedirects) throw new RedirectRefused();
    return target;
  };

  const pass = async (context: RequestContext, known: KnownApiService): Promise<Answer> => {
    if (!availability.isAvailable(known)) return unavailable();
    let backend: Backend;
    try {
      backend = servers.backend(known);
    } catch (error) {
      if (error instanceof UnreadableAuthorities)
        return plainText(500, `unable to load root certificates: ${error.message}\n`);
      availability.doubt(known);
      return unavailable();
    }
    const { request, response } = context.raw();
    const endless = context.info.verb === 'watch' || upgradeOf(request) !== undefined;
    const release = admit(loads, known.item.name, !endless);
    response.once('close', () => release('under way'));
    try {
      return await asStep('upstream', known.item.name, (traceparent) => {
        const headers = remoteUserHeaders(context.user!);
        headers.push('audit-id', context.id);
        if (traceparent !== undefined) headers.push('traceparent', traceparent);
        return relay(context, backend, targetOf(context), {
          credentials,
          location,
          withheld,
          bytesPerSecond: parts.bytesPerSecond,
          headers,
          ...(endless ? { endless } : { deadline: context.deadlineAt }),
        });
      });
    } catch (error) {
      if (error instanceof RedirectRefused) return plainText(502, REDIRECTED);
      if (!(error instanceof StatusError) || (error.code !== 503 && error.code !== 502)) throw error;
      availability.doubt(known);
      if (error.cause !== undefined) parts.certificates.failed(error.cause);
      return plainText(error.code, `${error.message}\n`);
    } finally {
      release('waiting');
      if (response.destroyed) release('under way');
    }
  };

  /** Looks again, because another replica may have registered it a moment ago. */
  const passIfFound = async (context: RequestContext, next: Handler): Promise<Answer> => {
    await mostRecent(registry);
    const found = remoteAt(services, context.info.path);
    return found === undefined ? next(context) : pass(context, found);
  };

  return (context, next) => {
    const { path } = context.info;
    const known = remoteAt(services, path);
    if (known !== undefined) return pass(context, known);
    const groupVersion = groupVersionOf(path);
    if (groupVersion === undefined || registry.current().hasVersion(...groupVersion)) return next(context);
    return passIfFound(context, next);
  };
}

function unavailable(): Answer {
  return plainText(503, 'service unavailable\n');
}

/**
 * Characters that a request line must not contain unescaped, and characters that some parsers of URLs take for a slash
 * or for the end.
 */
const MISREAD = /["#<>[\\\]^`{|}]/;

/**
 * The client's path and query, except for characters that servers misread.
 *
 * @throws StatusError (400) if the path leaves its own tree, because authorization decided by its text
 */
function targetOf(context: RequestContext): string {
  const { path, rawPath } = context.info;
  if (/(?:^|\/)\.\.?(?:\/|$)/.test(path)) throw badRequest('paths of other servers must not contain . or .. segments');
  const { url = '' } = context.raw().request;
  const mark = url.indexOf('?');
  const target = mark < 0 ? rawPath : rawPath + url.slice(mark);
  return MISREAD.test(target) ? escaped(target) : target;
}

function escaped(target: string): string {
  return target.replace(
    new RegExp(MISREAD, 'g'),
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Counts a request in the limits of its server. The result removes it from each count once.
 *
 * @throws StatusError (429) if a limit is reached
 */
function admit(loads: Map<string, Load>, name: string, waits: boolean): (what: 'waiting' | 'under way') => void {
  let load = loads.get(name);
  if (load === undefined) loads.set(name, (load = { waiting: 0, underWay: 0 }));
  const { waiting, underWay } = load;
  if ((waits && waiting >= MAX_WAITING) || underWay >= MAX_UNDER_WAY) {
    throw tooManyRequests('too many requests wait for the server of this group, please try again later', 1);
  }
  const counted = load;
  if (waits) counted.waiting++;
  counted.underWay++;
  let isWaiting = waits;
  let isUnderWay = true;
  return (what) => {
    if (what === 'waiting') {
      if (isWaiting) counted.waiting--;
      isWaiting = false;
      return;
    }
    if (isUnderWay) counted.underWay--;
    isUnderWay = false;
    if (counted.underWay === 0 && counted.waiting === 0 && loads.get(name) === counted) loads.delete(name);
  };
}
