import { table } from '#base/collections/own-properties.ts';
import { forbidden, StatusError } from '#base/errors/status-error.ts';
import { NO_SNIFF } from '../api/answer.ts';
import type { Attributes } from '../api/attributes.ts';

const ESCAPES: Readonly<Record<string, string>> = table({ '&': '&amp;', '<': '&lt;', '>': '&gt;' });

/** A text with escapes, because careless clients show user names and paths in pages. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/[&<>]/g, (char) => ESCAPES[char]!);
}

/** The error 403 about a request that no authorizer allowed. `reason` is the text of the authorizers. */
export function refusal(attributes: Attributes, reason: string): StatusError {
  const { user, verb, path, namespace, group, resource, subresource, name } = attributes;
  const who = `User ${quoted(user.name)} cannot ${verb}`;
  const tail = reason === '' ? '' : `: ${reason}`;
  if (!attributes.isResource) {
    return new StatusError(403, 'Forbidden', `forbidden: ${who} path ${quoted(path)}${tail}`, {}, NO_SNIFF);
  }
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quoted(namespace)}`;
  const message = `${who} resource ${quoted(what)} in API group ${quoted(group)} ${where}${tail}`;
  const { status } = forbidden({ group, resource }, name, message);
  return new StatusError(403, 'Forbidden', status.message!, status.details, NO_SNIFF);
}
