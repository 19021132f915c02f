import { methodNotAllowed, pathNotFound } from '#base/errors/status-error.ts';
import type { Release } from '#base/release/release.ts';
import { releaseParts } from '#program/flags/release.ts';
import type { Answer } from '../../api/answer.ts';
import { checkAccepted } from '../../api/negotiation.ts';
import type { RequestContext } from '../../api/request-context.ts';

/** The Go version in answers. Clients parse it, although this server does not use Go. */
export const GO_VERSION = 'go1.19';

/**
 * The version that clients compare with their own. The fields about a Go build have fixed values. Since 1.33 it also
 * has the release that a server emulates. Here this is the same release.
 */
export function versionDocument(release: Release): Buffer {
  const { major, minor, gitVersion } = releaseParts(release);
  const document = {
    major,
    minor,
    ...(release.atLeast(33) && {
      emulationMajor: major,
      emulationMinor: minor,
      minCompatibilityMajor: major,
      minCompatibilityMinor: String(release.minor - 1),
    }),
    gitVersion,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: GO_VERSION,
    compiler: 'gc',
    platform: 'linux/amd64',
  };
  return Buffer.from(JSON.stringify(document, undefined, 2));
}

/** Answers /version with its document. Undefined for other paths. Throws 404 for paths below it, 405 and 406. */
export function version(context: RequestContext, document: Buffer): Answer | undefined {
  const { path, method } = context.info;
  if (path.startsWith('/version/') && path.length > '/version/'.length) throw pathNotFound();
  if (path !== '/version' && path !== '/version/') return undefined;
  if (method !== 'GET') throw methodNotAllowed();
  checkAccepted(context.header('accept'), ['application/json']);
  return { kind: 'bytes', status: 200, contentType: 'application/json', body: document };
}
