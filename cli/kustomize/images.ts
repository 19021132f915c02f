import { isObject, type JsonObject, type JsonValue } from '../../server/json/json-value.ts';
import { text } from './resource.ts';

/** Replaces the images of all containers below a value, by their names without tag and digest. */
export function replaceImages(value: JsonValue | undefined, images: readonly JsonObject[]): void {
  if (Array.isArray(value)) for (const item of value) replaceImages(item, images);
  if (!isObject(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    if (['containers', 'initContainers'].includes(key) && Array.isArray(inner))
      for (const container of inner)
        if (isObject(container) && typeof container['image'] === 'string')
          container['image'] = images.reduce(replaced, container['image']);
    replaceImages(inner, images);
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

/** Whether an image is one of those that a name, which may be a pattern, stands for. */
function isMeant(name: string, image: string): boolean {
  const version = '(?::[\\w.{}-]*)?(?:@sha256:[\\w.{}-]*)?';
  try {
    return new RegExp(`^${name}${version}$`).test(image);
  } catch {
    return false;
  }
}
