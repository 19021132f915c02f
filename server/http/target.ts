const NO_ESCAPE = /%(?![0-9a-f]{2})/i;

/** A request's target as a path and query: clients may send an absolute URL, as to a proxy (RFC 9112, 3.2.2). */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const [authority = ''] = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i.exec(target) ?? [];
  const rest = target.slice(authority.length);
  return rest.startsWith('/') || authority === '' ? rest : `/${rest}`;
}

/** Whether the escapes in a target's path are such. */
export function isTarget(target: string): boolean {
  if (!target.includes('%')) return true;
  const mark = target.indexOf('?');
  return !NO_ESCAPE.test(mark < 0 ? target : target.slice(0, mark));
}

/** The query of requests without a query. It is never changed. */
const NO_QUERY = new URLSearchParams();

/**
 * The query of a target in origin form. Parameters with malformed escapes or with semicolons are left out, because the
 * client meant something else than a parser would read.
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
  // a question mark in front would be dropped, and a parameter found that no client sent
  return new URLSearchParams(read.startsWith('?') ? `%3F${read.slice(1)}` : read);
}
