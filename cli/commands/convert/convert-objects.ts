import type { Naming } from '#base/naming/naming.ts';
import { Conversions, type KindVersion } from '#schema/conversion/conversions.ts';
import type { MessageType } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { DecodeError } from '#schema/objects/decode.ts';
import { CommandError } from '../../framework/errors.ts';
import type { FileObject } from '../../manifests/files.ts';
import { toCompactJson } from '../../manifests/json.ts';
import { inFieldOrder } from '../../output/field-order.ts';
import { asTyped } from '../../typed/typed-object.ts';
import { wordsOf } from './words.ts';

/** An object with its kind and version. */
export interface Converted {
  readonly object: ApiObject;
  readonly kind: KindVersion;
}

/** An object with its defaults, before its target version is chosen. */
export interface Known extends FileObject {
  readonly kind: KindVersion;
  readonly conversions: Conversions;
}

const made = new Map<Naming, Conversions>();

function conversionsOf(naming: Naming): Conversions {
  let conversions = made.get(naming);
  if (conversions === undefined) made.set(naming, (conversions = new Conversions(naming)));
  return conversions;
}

/**
 * Finds the type of an object in a file, by the naming in which it is written, or by `naming` if both are possible.
 * @throws CommandError if its kind is not built in, or if a value does not match the type
 */
export function known(file: FileObject, naming: Naming): Known {
  const { object, source } = file;
  const { apiVersion = '', kind = '' } = object;
  const fail = (what: string, hint?: string): never => {
    throw new CommandError(`unable to decode "${source}": ${what}`, { hint });
  };
  if (apiVersion === '') fail(`Object 'apiVersion' is missing in '${asWritten(object)}'`);
  const conversions = conversionsOf(wordsOf(object) ?? naming);
  const found = conversions.find(apiVersion, kind);
  if (found === undefined)
    return fail(
      `no kind "${kind}" is registered for version "${apiVersion}"`,
      'Built-in kinds are converted here, in the versions that this release serves and some former ones. The server converts the others.',
    );
  try {
    conversions.convert(object, found, found);
  } catch (error) {
    if (error instanceof DecodeError) return fail(error.detail);
    throw error;
  }
  return { ...file, kind: found, conversions };
}

/**
 * The object in the requested version, `group/version`. '' selects the version that all releases can read. The result
 * includes the fields that programs with declared types always write.
 * @throws CommandError if its kind has no such version
 */
export function converted({ object, kind, conversions }: Known, outputVersion: string): Converted {
  const versions = conversions.versionsOf(kind);
  const to = outputVersion === '' ? versions[0] : versions.find((each) => each.apiVersion === outputVersion);
  if (to === undefined)
    throw new CommandError(`${internalName(kind)} is not suitable for converting to "${outputVersion}"`, {
      hint: `It can be in ${versions.map(({ apiVersion }) => apiVersion).join(', ')}.`,
    });
  return { object: conversions.convert(object, kind, to, inOrder), kind: to };
}

/** Sorts fields into the order in which a program with declared structures writes them. */
function inOrder(object: ApiObject, message: MessageType): ApiObject {
  return asObject(inFieldOrder(asJson(asTyped(object, message)), message));
}

/** The name that the field's client gives a kind, without a version: `apps.Deployment`. */
function internalName({ kind, message }: KindVersion): string {
  const { group, storage } = message.resource!;
  return `${(storage?.group ?? group).split('.')[0] || 'core'}.${kind}`;
}

function asWritten({ metadata, ...rest }: ApiObject): string {
  return toCompactJson(asJson(Object.keys(metadata).length === 0 ? rest : { ...rest, metadata }));
}
