import type { RequestInfo } from '../../api/request-context.ts';

/** The target of a proxied request: `name`, `name:port` or `scheme:name:port` in the path. */
export interface TargetName {
  readonly secure: boolean;
  readonly name: string;
  /** The port; '' for the default one. */
  readonly port: string;
}

/** Reads a target; undefined if it is malformed. */
export function targetName(text: string): TargetName | undefined {
  const parts = text.split(':');
  if (parts.length > 3) return undefined;
  const [scheme, name, port] = parts.length === 3 ? parts : ['', parts[0], parts[1] ?? ''];
  if (name === undefined || name === '' || port === undefined) return undefined;
  if (scheme !== '' && scheme !== 'http' && scheme !== 'https') return undefined;
  return { secure: scheme === 'https', name, port };
}

/** A port number in a path; undefined if it is not one. */
export function portNumber(text: string): number | undefined {
  const value = Number(text);
  return /^\d{1,5}$/.test(text) && value > 0 && value < 65536 ? value : undefined;
}

/** A path that is split after the subresource. */
export interface SplitPath {
  /** The path up to the subresource, without a slash at the end. */
  readonly prefix: string;
  /** The rest of the path, unchanged, with its first slash; '' if there is none. */
  readonly rest: string;
}

/** Splits the path of a request to a subresource that is followed by any path. */
export function splitPath({ rawPath, apiPrefix, namespace }: RequestInfo): SplitPath {
  const path = rawPath.replace(/^(\/|%2f)+/i, '/');
  const before = (apiPrefix === 'apis' ? 3 : 2) + (namespace === '' ? 0 : 2);
  const slashes = [...path.matchAll(/\/|%2f/gi)];
  // The slash after the resource, the name and the subresource.
  const end = slashes[before + 3]?.index ?? path.length;
  return { prefix: path.slice(0, end), rest: path.slice(end).replace(/^%2f/i, '/') };
}

/**
 * The Location of a backend's redirect, changed so that the client can follow it. Addresses at the backend come after
 * `prefix`.
 */
export function behindPrefix(location: string, authority: string, prefix: string): string {
  const [, host, path = ''] = /^(?:https?:)?\/\/([^/?#]*)(.*)$/is.exec(location) ?? [];
  if (host !== undefined && host.toLowerCase() !== authority.toLowerCase()) return location;
  const local = host === undefined ? location : path.startsWith('/') ? path : `/${path}`;
  if (!local.startsWith('/') || local === prefix || local.startsWith(`${prefix}/`)) return local;
  return prefix + local;
}
