/**
 * The error in an address, or in a path if `path` asks for it, in the words of the field's clients. Undefined means
 * that there is none.
 */
export function urlMistake(text: string): string | undefined {
  if ([...text].some((char) => char < ' ' || char === '\x7f')) return 'net/url: invalid control character in URL';
  if (text.startsWith(':')) return 'missing protocol scheme';
  const [, scheme, authority, path = ''] = PARTS.exec(text)!;
  if (scheme === undefined && !text.startsWith('/')) return 'invalid URI for request';
  if (authority?.startsWith('[') === true && !authority.includes(']')) return "missing ']' in host";
  const port = /:([^:\]]*)$/.exec(authority ?? '')?.[1] ?? '';
  if (!/^\d*$/.test(port)) return `invalid port ${JSON.stringify(`:${port}`)} after host`;
  const broken = /%(?![\da-fA-F]{2}).{0,2}/.exec(path);
  return broken === null ? undefined : `invalid URL escape ${JSON.stringify(broken[0])}`;
}

/** The path and the query of a correct address in the form in which they are sent. Other characters are escaped. */
export function pathAndQuery(text: string): string {
  const [, , , path = '', query = ''] = PARTS.exec(text)!;
  const escaped = (part: string) =>
    part.replaceAll(/\p{Surrogate}/gu, '\ufffd').replaceAll(/[^\w\-.~!$&'()*+,;=:@/%?]+/gu, encodeURIComponent);
  return escaped(path.startsWith('/') ? path : '/') + escaped(query);
}

/** The scheme, the authority, the path and the query. The fragment is not sent. */
const PARTS = /^(?:([a-zA-Z][a-zA-Z\d+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?/;
