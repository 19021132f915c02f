import type { ObjectReference } from '#schema/generated/audit.v1.ts';
import type { UserInfo as RecordedUser } from '#schema/generated/authentication.v1.ts';
import type { Attributes } from '../../api/attributes.ts';
import type { RequestContext } from '../../api/request-context.ts';
import type { UserInfo } from '../../api/user-info.ts';

const LONGEST_AGENT = 1024;

/** A user in the form of events. */
export function recordedUser({ name, uid, groups, extra }: UserInfo): RecordedUser {
  const keys = Object.keys(extra);
  return {
    ...(name !== '' && { username: name }),
    ...(uid !== '' && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(keys.length > 0 && { extra: Object.fromEntries(keys.map((key) => [key, [...extra[key]!]])) }),
  };
}

/** The object of a request, from its path; undefined if the path names no resource. */
export function referenceOf(attributes: Attributes): ObjectReference | undefined {
  if (!attributes.isResource) return undefined;
  const { resource, namespace, name, group, version, subresource } = attributes;
  return {
    ...(resource !== '' && { resource }),
    ...(namespace !== '' && { namespace }),
    ...(name !== '' && { name }),
    ...(group !== '' && { apiGroup: group }),
    ...(version !== '' && { apiVersion: version }),
    ...(subresource !== '' && { subresource }),
  };
}

/**
 * The path and query that the client sent. The password of an absolute URL is removed, and so is a token in the query.
 * Some clients send a token there. The server never uses it, and it must not be stored.
 */
export function requestUri(context: RequestContext): string {
  const url = context.raw().request.url ?? '';
  const mark = url.indexOf('?');
  const query = mark < 0 ? '' : url.slice(mark);
  return context.info.rawPath + query.replace(/([?&]access_token=)[^&#]*/gi, '$1REDACTED');
}

export function userAgent(context: RequestContext): string | undefined {
  const agent = context.header('user-agent');
  if (agent === undefined || agent === '') return undefined;
  return agent.length > LONGEST_AGENT ? `${agent.slice(0, LONGEST_AGENT)}...TRUNCATED` : agent;
}

/** The kinds of credentials that a client sent and that failed. It never contains the credentials themselves. */
export function failedAuthentication(context: RequestContext): string {
  const [scheme = '', credentials = ''] = (context.header('authorization') ?? '').trim().split(/\s+/, 2);
  const tried = [
    ...(scheme.toLowerCase() === 'basic' && credentials !== '' ? ['basic'] : []),
    ...(scheme.toLowerCase() === 'bearer' && credentials !== '' ? ['bearer'] : []),
    ...(context.query.get('access_token') ? ['access_token'] : []),
    ...(context.peerCertificates().length > 0 ? ['x509'] : []),
  ];
  return tried.length === 0
    ? 'Authentication failed, no credentials provided'
    : `Authentication failed, attempted: ${tried.join(', ')}`;
}
