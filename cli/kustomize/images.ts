import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { CommandError } from '../framework/errors.ts';
import { changeField, type FieldSpec, isOf } from './field-specs.ts';
import { kindOf, type Resource, text } from './resource.ts';

/** Changes the name or version of images with a certain name, in all containers and in the configured fields. */
export function replaceImages(resources: readonly Resource[], change: JsonObject, fields: readonly FieldSpec[]): void {
  const made = (value: JsonValue): JsonValue => {
    if (typeof value !== 'string' && isObject(value))
      throw new CommandError('wrong node kind: expected ScalarNode but got MappingNode');
    return typeof value === 'string' ? replaced(value, change) : value;
  };
  for (const one of resources) {
    if (kindOf(one) !== 'CustomResourceDefinition') inContainers(one.object, made);
    for (const field of fields) if (isOf(one, field)) changeField(one, { ...field, create: false }, made, () => '');
  }
}

function inContainers(value: JsonValue, made: (value: JsonValue) => JsonValue): void {
  if (Array.isArray(value)) for (const item of value) inContainers(item, made);
  if (!isObject(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    if (['containers', 'initContainers'].includes(key) && Array.isArray(inner))
      for (const container of inner)
        if (isObject(container) && typeof container['image'] === 'string')
          container['image'] = made(container['image']);
    inContainers(inner, made);
  }
}

function replaced(image: string, change: JsonObject): string {
  const [tagged = '', digest] = image.split('@');
  const colon = tagged.indexOf(':', tagged.lastIndexOf('/') + 1);
  const [name, tag] = colon < 0 ? [tagged, undefined] : [tagged.slice(0, colon), tagged.slice(colon + 1)];
  if (!isMeant(text(change['name']), image)) return image;
  const [newName, newTag, newDigest] = ['newName', 'newTag', 'digest'].map((key) => text(change[key]));
  const own = `${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
  const suffix = text(change['tagSuffix']);
  if (suffix !== '' && newDigest === '' && newTag === '') return `${newName || name}:${tag ?? ''}${suffix}`;
  const version =
    newDigest !== '' ? `${newTag === '' ? '' : `:${newTag}`}@${newDigest}` : newTag === '' ? own : `:${newTag}`;
  return `${newName || name}${version}`;
}

/** Whether an image matches a name, which may be a pattern. */
function isMeant(name: string, image: string): boolean {
  const version = '(?::[\\w.{}-]*)?(?:@sha256:[\\w.{}-]*)?';
  try {
    return new RegExp(`^${name}${version}$`).test(image);
  } catch {
    return false;
  }
}
