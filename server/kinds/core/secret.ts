import { append } from '#base/collections/append.ts';
import {
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidValue,
  REDACTED,
  required,
  tooLong,
} from '#base/errors/field-error.ts';
import { isObject } from '#base/json/json-value.ts';
import { MalformedBodyError } from '#base/json/malformed-body-error.ts';
import { parseJson } from '#base/json/parse.ts';
import type { Naming } from '#base/naming/naming.ts';
import { secretVersions } from '#schema/conversion/core/secret.ts';
import type { Secret } from '#schema/generated/core.v1.ts';
import { base64Bytes, MAX_CONTENT_BYTES } from '#schema/validation/content-size.ts';
import { age } from '#schema/validation/human-duration.ts';
import { forbidChange, validateImmutable } from '#schema/validation/immutable.ts';
import { configKey } from '#schema/validation/names.ts';
import { defineKind } from '../define-kind.ts';
import { IMMUTABLE_CONTENT } from './config-map.ts';
import { keyPairProblem } from './key-pair.ts';

const DATA = new FieldPath('data');

function requireKeys(data: Record<string, string>, ...keys: string[]): FieldError[] {
  return keys.filter((key) => !Object.hasOwn(data, key)).map((key) => required(DATA.key(key)));
}

/** Validates that the data under `key` is the JSON of an object. */
function requireJsonObject(data: Record<string, string>, key: string): FieldError[] {
  if (!Object.hasOwn(data, key)) return [required(DATA.key(key))];
  const refuse = (detail: string) => [invalidValue(DATA.key(key), REDACTED, detail)];
  try {
    const { value } = parseJson(Buffer.from(data[key]!, 'base64'));
    if (value === null || isObject(value)) return [];
    const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    const found = type === 'object' ? 'number' : type;
    return refuse(`json: cannot unmarshal ${found} into Go value of type map[string]interface {}`);
  } catch (error) {
    if (error instanceof MalformedBodyError) return refuse(error.message);
    throw error;
  }
}

/** The required keys of a secret by type; other types have none. */
function validateType({ metadata, type = '', data = {} }: Secret, naming: Naming): FieldError[] {
  switch (type) {
    case naming.key('service-account-token'): {
      const account = naming.key('service-account.name');
      const path = new FieldPath('metadata').child('annotations').key(account);
      return (metadata.annotations?.[account] ?? '') === '' ? [required(path)] : [];
    }
    case naming.key('dockercfg'):
      return requireJsonObject(data, '.dockercfg');
    case naming.key('dockerconfigjson'):
      return requireJsonObject(data, '.dockerconfigjson');
    case naming.key('basic-auth'): {
      const missing = requireKeys(data, 'username', 'password');
      return missing.length === 2 ? missing : [];
    }
    case naming.key('ssh-auth'):
      return (data['ssh-privatekey'] ?? '') === '' ? [required(DATA.key('ssh-privatekey'))] : [];
    case naming.key('tls'):
      return requireKeys(data, 'tls.crt', 'tls.key');
    default:
      return [];
  }
}

/** The warning about a secret for servers whose key does not belong to its certificate. */
function pairWarnings({ type, data = {} }: Secret, naming: Naming): string[] {
  if (type !== naming.key('tls')) return [];
  const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString('latin1');
  const problem = keyPairProblem(text('tls.crt'), text('tls.key'));
  return problem === undefined ? [] : [problem];
}

/** The kind of confidential data. Its type never changes. */
export const secret = defineKind('core/secrets', {
  versions: secretVersions,
  revalidatesOnUpdate: true,
  validate(object, { naming }) {
    const { data = {} } = object;
    const errors: FieldError[] = [];
    let bytes = 0;
    for (const key of Object.keys(data).sort()) {
      append(
        errors,
        configKey(key).map((problem) => invalidValue(DATA.key(key), key, problem)),
      );
      bytes += base64Bytes(data[key]!);
    }
    if (bytes > MAX_CONTENT_BYTES) errors.push(tooLong(DATA, '', MAX_CONTENT_BYTES));
    return [...errors, ...validateType(object, naming)];
  },
  validateUpdate(object, old) {
    const errors = validateImmutable(object.type ?? '', old.type ?? '', new FieldPath('type'));
    if (old.immutable !== true) return errors;
    return [
      ...errors,
      ...(object.immutable === true ? [] : [forbiddenField('immutable', IMMUTABLE_CONTENT)]),
      ...forbidChange(object.data, old.data, DATA, IMMUTABLE_CONTENT),
    ];
  },
  warnings: (object, _old, { naming, release }) => (release.atLeast(29) ? pairWarnings(object, naming) : []),
  cells: ({ metadata, type, data }, { now }) => [
    metadata.name ?? '',
    type ?? '',
    Object.keys(data ?? {}).length,
    age(metadata.creationTimestamp, now),
  ],
});
