/**
 * The characters that a part of a URL may contain besides escapes. Any other ASCII character makes its host or user
 * invalid.
 */
const HOST = /^[A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"%\u0080-\uffff]*$/;
const USER = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2}).{0,2}/s;

/** The error about an escape that is not allowed in a part of a URL. */
export function escapeProblem(part: string): string | undefined {
  const bad = BAD_ESCAPE.exec(part);
  return bad === null ? undefined : `invalid URL escape ${JSON.stringify(bad[0])}`;
}

function portProblem(port: string): string | undefined {
  return port === '' || /^:\d*$/.test(port) ? undefined : `invalid port ${JSON.stringify(port)} after host`;
}

/** A host may escape characters outside of ASCII, and the percent sign before a zone. */
function hostEscapeProblem(host: string): string | undefined {
  const zone = host.startsWith('[') ? host.indexOf('%25') : -1;
  const bad = /%(?!25)[0-7][0-9A-Fa-f]/.exec(zone < 0 ? host : host.slice(0, zone));
  return bad === null ? undefined : `invalid URL escape ${JSON.stringify(bad[0])}`;
}

/** The error of the part between `//` and the path. */
export function authorityProblem(authority: string): string | undefined {
  const at = authority.lastIndexOf('@');
  const user = authority.slice(0, Math.max(at, 0));
  const host = authority.slice(at + 1);
  const end = host.lastIndexOf(']');
  if (host.startsWith('[') && end < 0) return "missing ']' in host";
  const colon = host.indexOf(':', end < 0 ? host.lastIndexOf(':') : end);
  const port = host.startsWith('[') ? host.slice(end + 1) : colon < 0 ? '' : host.slice(colon);
  const problem = portProblem(port) ?? escapeProblem(host) ?? hostEscapeProblem(host);
  if (problem !== undefined) return problem;
  const odd = [...host].find((character) => !HOST.test(character));
  if (odd !== undefined) return `invalid character ${JSON.stringify(odd)} in host name`;
  return USER.test(user) ? escapeProblem(user) : 'net/url: invalid userinfo';
}

/** The syntax error of a URL (RFC 3986) in the form that clients know; undefined if the URL can be parsed. */
export function urlProblem(url: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for these
  if (/[\u0000-\u001f\u007f]/.test(url)) return 'net/url: invalid control character in URL';
  const [whole = '', ...fragment] = url.split('#');
  if (whole.startsWith(':')) return 'missing protocol scheme';
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(whole)?.[0] ?? '';
  const [rest = ''] = whole.slice(scheme.length).split('?');
  if (!rest.startsWith('/')) {
    if (scheme !== '') return undefined;
    if ((rest.split('/')[0] ?? '').includes(':')) return 'first path segment in URL cannot contain colon';
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || !rest.startsWith('///'));
  const authority = hasAuthority ? (rest.slice(2).split('/')[0] ?? '') : '';
  const path = hasAuthority ? rest.slice(2 + authority.length) : rest;
  return authorityProblem(authority) ?? escapeProblem(path) ?? escapeProblem(fragment.join('#'));
}
