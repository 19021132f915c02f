import type { Naming } from '#base/naming/naming.ts';
import type { Namespace } from '../../generated/core.v1.ts';
import type { KindVersions } from '../version-rules.ts';

/** Selectors of namespaces find each by its name. */
export function labelWithName({ metadata }: Namespace, naming: Naming): void {
  metadata.labels = { ...metadata.labels, [naming.key('metadata.name')]: metadata.name! };
}

/** What is filled in of namespaces, in each of their versions. */
export const namespaceVersions = {
  v1: {
    defaults(object, { naming }) {
      const { metadata, status } = object as Namespace;
      if ((metadata.name ?? '') !== '') labelWithName(object, naming);
      (object as Namespace).status = { ...status, phase: status?.phase || 'Active' };
    },
  },
} satisfies KindVersions;
