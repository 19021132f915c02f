import path from 'node:path';
import { isObject, type JsonObject } from '#base/json/json-value.ts';
import { toYaml } from '../output/yaml.ts';
import { fileWords } from './file-words.ts';
import { type Kustomization, texts } from './kustomization.ts';
import type { Origin, Resource } from './resource.ts';

const ORIGIN = fileWords.key('config/origin');
const CHANGES = fileWords.key('alpha.config/transformations');
/** The version of the reference client. It is part of another program, so it does not know its own version. */
const MANAGED_BY = { [fileWords.key('app/managed-by')]: 'kustomize-(devel)' };

export function originOfFile({ within }: Kustomization, file: string): Origin {
  return { path: path.join(within, file) };
}

/** @param maker the name of the reference client's transformer that makes such objects */
export function originOf({ within, file }: Kustomization, maker: string): Origin {
  return { configuredIn: path.join(within, file), configuredBy: { apiVersion: 'builtin', kind: maker } };
}

/** Records that a part of the reference client handled all objects, once for each time that a file requests it. */
export function noteChange(
  kustomization: Kustomization,
  resources: readonly Resource[],
  maker: string,
  times: number,
): void {
  for (const one of resources) for (let i = 0; i < times; i++) one.changes.push(originOf(kustomization, maker));
}

/** The text of an origin, whose members have a special order. */
function textOf(origin: Origin): string {
  if ('path' in origin) return toYaml(origin);
  const { configuredIn, configuredBy } = origin;
  return `${toYaml({ configuredIn })}${toYaml({ configuredBy })}`;
}

/**
 * Applies `buildMetadata`, which writes the sources of objects, and the changes to them, into the objects. Unknown
 * words have no effect.
 */
export function writeOrigins({ fields }: Kustomization, resources: readonly Resource[]): void {
  const asked = texts(fields, 'buildMetadata');
  for (const { object, origin, changes } of resources) {
    const { annotations, labels } = object.metadata;
    const written: JsonObject = isObject(annotations) ? { ...annotations } : {};
    // These are the annotations of the present build.
    delete written[ORIGIN];
    delete written[CHANGES];
    if (asked.includes('originAnnotations') && origin !== undefined) written[ORIGIN] = textOf(origin);
    if (asked.includes('transformerAnnotations') && changes.length > 0)
      written[CHANGES] = changes.map((one) => `- ${textOf(one).trimEnd().replaceAll('\n', '\n  ')}\n`).join('');
    if (Object.keys(written).length > 0) object.metadata['annotations'] = written;
    else if (isObject(annotations) && Object.keys(annotations).length > 0) delete object.metadata['annotations'];
    if (asked.includes('managedByLabel'))
      object.metadata['labels'] = { ...(isObject(labels) ? labels : {}), ...MANAGED_BY };
  }
}
