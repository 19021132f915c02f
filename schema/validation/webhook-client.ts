import { append } from '#base/collections/append.ts';
import {
  type FieldError,
  type FieldPath,
  fieldError,
  invalidValue,
  required,
  shown,
} from '#base/errors/field-error.ts';
import { MOST_ERRORS } from '#base/errors/status-error.ts';
import { dns1123Subdomain } from './names.ts';
import { portNumber } from './ports.ts';
import { urlProblem } from './url-problem.ts';

/** A service that receives calls. */
export interface ServiceTarget {
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly port?: number;
}

const FORM = '; desired format: https://host[/path]';

/** The parts of a URL as texts; a part that the URL does not have is undefined or empty. */
interface UrlParts {
  readonly scheme: string;
  readonly user: string | undefined;
  readonly host: string;
  readonly query: string;
  readonly fragment: string;
}

/** Splits a URL as RFC 3986 (appendix B) does, without checks of the parts. */
function splitUrl(url: string): UrlParts {
  const [, scheme = '', authority = '', , query = '', fragment = ''] =
    /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s.exec(url) ?? [];
  const at = authority.lastIndexOf('@');
  const user = at < 0 ? undefined : authority.slice(0, at);
  return { scheme: scheme.toLowerCase(), user, host: authority.slice(at + 1), query, fragment };
}

/** Validates the URL of a webhook. It needs https and a host, and may have a path. */
function validateWebhookUrl(url: string, path: FieldPath): FieldError[] {
  const problem = urlProblem(url);
  if (problem !== undefined) {
    const why = `url must be a valid URL: parse ${JSON.stringify(url)}: ${problem}`;
    return [required(path, why + FORM)];
  }
  const { scheme, user, host, query, fragment } = splitUrl(url);
  const errors: FieldError[] = [];
  if (scheme !== 'https') errors.push(invalidValue(path, scheme, `'https' is the only allowed URL scheme${FORM}`));
  if (host === '') errors.push(invalidValue(path, host, `host must be provided${FORM}`));
  if (user !== undefined) errors.push(invalidValue(path, user, 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(invalidValue(path, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalidValue(path, query, 'query parameters are not permitted in the URL'));
  return errors;
}

function validatePath(urlPath: string, path: FieldPath): FieldError[] {
  if (urlPath === '' || urlPath === '/') return [];
  // The text is made once, because each segment may have an error that shows the whole path.
  const [field, value] = [path.toString(), shown(urlPath)];
  const refuse = (detail: string) => fieldError('FieldValueInvalid', field, `Invalid value: ${value}: ${detail}`);
  if (urlPath === '//') return [refuse('segment[0] may not be empty')];
  const absolute = urlPath.startsWith('/');
  // The first character is dropped even if it is not a slash.
  const segments = urlPath.slice(1).replace(/\/$/, '').split('/');
  const errors = absolute ? [] : [refuse("must start with a '/'")];
  for (const [i, segment] of segments.entries()) {
    if (errors.length >= MOST_ERRORS) break;
    if (segment === '') errors.push(refuse(`segment[${i}] may not be empty`));
    else
      append(
        errors,
        dns1123Subdomain(segment).map((problem) => refuse(`segment[${i}]: ${problem}`)),
      );
  }
  return errors;
}

/** Validates the service of a webhook. In error messages for clients, its name and its namespace are exchanged. */
function validateWebhookService(service: ServiceTarget, path: FieldPath): FieldError[] {
  const { name, namespace, port = 443, path: urlPath } = service;
  return [
    ...(namespace ? [] : [required(path.child('name'), 'service name is required')]),
    ...(name ? [] : [required(path.child('namespace'), 'service namespace is required')]),
    ...portNumber(port).map((problem) => invalidValue(path.child('port'), port, `port is not valid: ${problem}`)),
    ...(urlPath === undefined ? [] : validatePath(urlPath, path.child('path'))),
  ];
}

/** Validates how a webhook is reached: by exactly one of a URL and a service. */
export function validateWebhookClient(
  client: { readonly url?: string; readonly service?: ServiceTarget },
  path: FieldPath,
): FieldError[] {
  const { url, service } = client;
  if ((url === undefined) === (service === undefined)) {
    return [required(path, 'exactly one of url or service is required')];
  }
  if (url !== undefined) return validateWebhookUrl(url, path.child('url'));
  return validateWebhookService(service!, path.child('service'));
}
