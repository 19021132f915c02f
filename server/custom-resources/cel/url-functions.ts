import { urlProblem } from '../../validation/url-problem.ts';
import { define, method, type Overload, walkText } from './cel-function.ts';
import { BOOL, listOf, mapOf, STRING, URL_TYPE } from './cel-type.ts';
import { CelList, EvaluationError, MadeMap } from './cel-value.ts';

/** Where paths without a host are read; no answer shows it. */
const NOWHERE = 'nowhere://nowhere';

function readUrl(text: string): URL | undefined {
  if (urlProblem(text) !== undefined || !/^(?:[A-Za-z][A-Za-z0-9+.-]*:|\/)/.test(text)) return undefined;
  try {
    return new URL(text.startsWith('/') ? NOWHERE + text : text);
  } catch {
    return undefined;
  }
}

function toUrl(text: string): URL {
  const url = readUrl(text);
  if (url !== undefined) return url;
  throw new EvaluationError(
    `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
  );
}

const isNowhere = (url: URL) => url.protocol === 'nowhere:';

function host(url: URL): string {
  return isNowhere(url) ? '' : url.host;
}

function hostname(url: URL): string {
  return isNowhere(url) ? '' : url.hostname.replace(/^\[|\]$/g, '');
}

function query(url: URL): MadeMap {
  const values = new Map<string, string[]>();
  for (const [key, value] of url.searchParams) values.set(key, [...(values.get(key) ?? []), value]);
  return new MadeMap([...values].map(([key, list]) => [key, new CelList(list)] as const));
}

/** URLs as values. */
export const urlFunctions: readonly Overload[] = [
  define('url', [STRING], URL_TYPE, toUrl, { cost: walkText }),
  define('isURL', [STRING], BOOL, (text: string) => readUrl(text) !== undefined, { cost: walkText }),
  method('getScheme', [URL_TYPE], STRING, (url: URL) => (isNowhere(url) ? '' : url.protocol.slice(0, -1))),
  method('getHost', [URL_TYPE], STRING, host),
  method('getHostname', [URL_TYPE], STRING, hostname),
  method('getPort', [URL_TYPE], STRING, (url: URL) => url.port),
  method('getEscapedPath', [URL_TYPE], STRING, (url: URL) => url.pathname),
  method('getQuery', [URL_TYPE], mapOf(STRING, listOf(STRING)), query),
];
