import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Session } from '../connection/session.ts';
import { toCompactJson } from '../manifests/json.ts';

/**
 * The annotation in which apply stores the object that it sent. The next apply compares the file with it to find
 * removed fields.
 */
export interface LastApplied {
  /** The key of the annotation. */
  key(): Promise<string>;
  /** Returns the object with the annotation. */
  put(object: ApiObject, configuration: string): Promise<ApiObject>;
  /** The stored text. Undefined if there is none. */
  of(object: ApiObject): Promise<string | undefined>;
}

export function lastApplied(session: Session): LastApplied {
  const key = async () => (await session.naming()).key('ctl/last-applied-configuration');
  return {
    key,
    async put(object, configuration) {
      const { metadata } = object;
      const annotations = { ...metadata.annotations, [await key()]: configuration };
      return { ...object, metadata: { ...metadata, annotations } };
    },
    async of(object) {
      return object.metadata.annotations?.[await key()];
    },
  };
}

/** An object in the stored form. Its keys are in order, and it is one line that ends with a line break. */
export function configurationOf(object: ApiObject): string {
  const { metadata } = object;
  return `${toCompactJson({ ...object, metadata: { ...metadata, annotations: metadata.annotations ?? {} } })}\n`;
}

/** The stored form of an object that a command made. Its fields keep their order. */
export function typedConfigurationOf(object: ApiObject): string {
  return `${toCompactJson(object, false)}\n`;
}
