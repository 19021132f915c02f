const NO_ESCAPE = /%(?![0-9a-f]{2})/i;

/** The path and query of a request's target. Clients may send an absolute URL, as to a proxy (RFC 9112, 3.2.2). */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const [authority = ''] = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i.exec(target) ?? [];
  const rest = target.slice(authority.length);
  return rest.startsWith('/') || authority === '' ? rest : `/${rest}`;
}

/** Whether all escapes in the path of a target are well formed. */
export function isTarget(target: string): boolean {
  if (!target.includes('%')) return true;
  const mark = target.indexOf('?');
  return !NO_ESCAPE.test(mark < 0 ? target : target.slice(0, mark));
}

/** The query of requests without a query. It is never changed. */
const NO_QUERY = new URLSearchParams();

/**
 * The query of a target in origin form. Parameters with malformed escapes or with semicolons are left out, because the
 * client meant something different from what a parser would read.
 */
export function queryOf(target: string): URLSearchParams {
  const mark = target.indexOf('?');
  if (mark < 0) return NO_QUERY;
  const query = target.slice(mark + 1);
  const read =
    query.includes(';') || NO_ESCAPE.test(query)
      ? query
          .split('&')
          .filter((part) => !part.includes(';') && !NO_ESCAPE.test(part))
          .join('&')
      : query;
  // A question mark at the start would be dropped, and then the result would have a parameter that no client sent.
  return new URLSearchParams(read.startsWith('?') ? `%3F${read.slice(1)}` : read);
}
