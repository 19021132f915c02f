import { type Entry, since, until } from '#base/release/in-force.ts';
import { define, method, type Overload, sameSize, textWalk } from '../cel-function.ts';
import { BOOL, listOf, mapOf, STRING, URL_TYPE } from '../cel-type.ts';
import { CelList, EvaluationError, MadeMap } from '../cel-value.ts';
import type { Budget } from '../expression.ts';
import { ParsedUrl } from './parsed-url.ts';

function toUrl(text: string): ParsedUrl {
  try {
    return new ParsedUrl(text);
  } catch (error) {
    const problem = `parse ${JSON.stringify(text)}: ${(error as Error).message}`;
    throw new EvaluationError(`URL parse error during conversion from string: ${problem}`);
  }
}

function isUrl(text: string): boolean {
  try {
    new ParsedUrl(text);
    return true;
  } catch {
    return false;
  }
}

function query(url: ParsedUrl): MadeMap {
  return new MadeMap([...url.values].map(([key, list]) => [key, new CelList(list)] as const));
}

const walkUrl = { charge: (budget: Budget, { text }: ParsedUrl) => budget.chargeText(text.length) };

/** Functions of URLs. */
export const urlFunctions: readonly Entry<Overload>[] = [
  until('1.26', define('url', [STRING], URL_TYPE, toUrl, textWalk())),
  since('1.26', define('url', [STRING], URL_TYPE, toUrl, { ...textWalk(), size: sameSize })),
  define('isURL', [STRING], BOOL, isUrl, { charge: textWalk().charge }),
  method('getScheme', [URL_TYPE], STRING, ({ scheme }: ParsedUrl) => scheme),
  method('getHost', [URL_TYPE], STRING, ({ host }: ParsedUrl) => host),
  method('getHostname', [URL_TYPE], STRING, ({ hostname }: ParsedUrl) => hostname, walkUrl),
  method('getPort', [URL_TYPE], STRING, ({ port }: ParsedUrl) => port, walkUrl),
  method('getEscapedPath', [URL_TYPE], STRING, ({ escapedPath }: ParsedUrl) => escapedPath, walkUrl),
  method('getQuery', [URL_TYPE], mapOf(STRING, listOf(STRING)), query, {
    charge: (budget, url: ParsedUrl) => budget.charge(1 + url.query.length),
  }),
];
