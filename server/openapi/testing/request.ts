import type { RequestContext } from '../../api/request-context.ts';

/** A request with the parts that documents need: its line (`GET /path?query`) and its headers by lower-case name. */
export function request(line: string, headers: Readonly<Record<string, string>> = {}): RequestContext {
  const [method = '', target = ''] = line.split(' ');
  const url = new URL(target, 'https://server');
  const asked = {
    info: { method, path: url.pathname },
    query: url.searchParams,
    header: (name: string) => headers[name],
  };
  return asked as unknown as RequestContext;
}
