import { isDeepStrictEqual } from 'node:util';
import type { GenerationRule } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';

function content(object: ApiObject): Record<string, unknown> {
  const { kind: _kind, apiVersion: _apiVersion, metadata: _metadata, status: _status, ...rest } = object;
  return rest;
}

/** Settings that drivers read again at every mount. They may change while they are in use. */
const MOUNT_SETTINGS = ['tokenRequests', 'requiresRepublish', 'seLinuxMount'];

function specField(object: ApiObject, field: string): unknown {
  return (object['spec'] as Record<string, unknown> | undefined)?.[field];
}

/** Raises `metadata.generation` if the kind's rule counts this change. */
export function bumpGeneration(rule: GenerationRule, object: ApiObject, old: ApiObject): void {
  const before = old.metadata.generation ?? 0;
  if (changed(rule, object, old)) object.metadata.generation = before + 1;
  else if (before === 0) delete object.metadata.generation;
  else object.metadata.generation = before;
}

function changed(rule: GenerationRule, object: ApiObject, old: ApiObject): boolean {
  switch (rule) {
    case 'created':
      return false;
    case 'mount-settings':
      return MOUNT_SETTINGS.some((field) => !isDeepStrictEqual(specField(object, field), specField(old, field)));
    case 'spec':
      return !isDeepStrictEqual(object['spec'], old['spec']);
    case 'spec-and-annotations':
      return (
        !isDeepStrictEqual(object['spec'], old['spec']) ||
        !isDeepStrictEqual(object.metadata.annotations ?? {}, old.metadata.annotations ?? {})
      );
    case 'content':
      return !isDeepStrictEqual(content(object), content(old));
    case 'content-and-status':
      return !isDeepStrictEqual(content(object), content(old)) || !isDeepStrictEqual(object['status'], old['status']);
    case 'content-and-labels':
      return (
        !isDeepStrictEqual(content(object), content(old)) ||
        !isDeepStrictEqual(object.metadata.labels ?? {}, old.metadata.labels ?? {})
      );
    case 'none':
      return false;
  }
}
