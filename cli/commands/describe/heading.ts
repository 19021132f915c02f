import type { ApiObject } from '#schema/objects/api-object.ts';
import { controllerOf } from './related.ts';
import type { DescriptionWriter } from './writer.ts';

/** Writes the beginning of most descriptions, with names, labels and annotations. */
export function heading(writer: DescriptionWriter, object: ApiObject): void {
  names(writer, object);
  marks(writer, object);
}

/** Writes the name and the namespace. */
export function names(writer: DescriptionWriter, { metadata }: ApiObject): void {
  writer.field(0, 'Name', metadata.name ?? '');
  writer.field(0, 'Namespace', metadata.namespace ?? '');
}

/** Writes the labels and annotations. */
export function marks(writer: DescriptionWriter, { metadata }: ApiObject): void {
  writer.labels(0, 'Labels', metadata.labels);
  writer.annotations(0, metadata.annotations);
}

/** Writes the owner that manages an object, if it has one. */
export function controlledBy(writer: DescriptionWriter, object: ApiObject): void {
  const owner = controllerOf(object);
  if (owner !== undefined) writer.field(0, 'Controlled By', `${owner.kind}/${owner.name}`);
}
