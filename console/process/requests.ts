import type {
  Change,
  ChangeRequest,
  DeleteRequest,
  ObjectRequest,
  SaveRequest,
  Way,
} from '../protocol/object-messages.ts';
import { RequestError } from './problem.ts';

/** The fields that a page sends, before their types are checked. */
export type Fields = Readonly<Record<string, unknown>>;

/** The largest number of labels that are changed at once. */
const MOST_LABELS = 100;

/** '' if the field is missing. @throws RequestError if it is not a text */
export function text(fields: Fields, name: string): string {
  const value = fields[name] ?? '';
  if (typeof value !== 'string') throw new RequestError(`${name} must be a text`);
  return value;
}

/** @throws RequestError if the field is not an integer of at least 0 */
export function count(fields: Fields, name: string, most: number): number {
  const value = fields[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new RequestError(`${name} must be a whole number`);
  return Math.min(value, most);
}

export function objectRequest(fields: Fields): ObjectRequest {
  return { kind: text(fields, 'kind'), namespace: text(fields, 'namespace'), name: text(fields, 'name') };
}

/** @throws RequestError */
export function saveRequest(fields: Fields): SaveRequest {
  const ways = Object.fromEntries(
    Object.entries(members(fields, 'ways')).map(([path, way]): [string, Way] => {
      if (way !== 'theirs' && way !== 'mine' && way !== 'share') throw new RequestError(`there is no such way: ${way}`);
      return [path, way];
    }),
  );
  return {
    ...objectRequest(fields),
    yaml: text(fields, 'yaml'),
    base: text(fields, 'base'),
    dryRun: fields['dryRun'] === true,
    ways,
  };
}

/** @throws RequestError */
export function changeRequest(fields: Fields): ChangeRequest {
  return { ...objectRequest(fields), change: changeIn(members(fields, 'change')), dryRun: fields['dryRun'] === true };
}

function changeIn(change: Fields): Change {
  const name = text(change, 'name');
  if (name === 'restart') return { name };
  if (name === 'scale') return { name, replicas: count(change, 'replicas', 2 ** 31 - 1) };
  if (name !== 'label') throw new RequestError(`there is no such change: ${name}`);
  const labels = Object.entries(members(change, 'labels'));
  if (labels.length > MOST_LABELS) throw new RequestError(`at most ${MOST_LABELS} labels can be changed at once`);
  return {
    name,
    labels: Object.fromEntries(
      labels.map(([key, value]): [string, string | null] => {
        if (value !== null && typeof value !== 'string') throw new RequestError(`the label ${key} must be a text`);
        return [key, value];
      }),
    ),
  };
}

/** @throws RequestError */
export function deleteRequest(fields: Fields): DeleteRequest {
  return {
    ...objectRequest(fields),
    uid: text(fields, 'uid'),
    dryRun: fields['dryRun'] === true,
    orphans: fields['orphans'] === true,
  };
}

function members(fields: Fields, name: string): Fields {
  const value = fields[name] ?? {};
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RequestError(`${name} must be an object`);
  return value as Fields;
}
