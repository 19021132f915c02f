import type { Naming } from '#base/naming/naming.ts';
import type { Namespace } from '../../generated/core.v1.ts';
import type { KindVersions } from '../version-rules.ts';

/** Labels a namespace with its name, so that selectors can find each namespace. */
export function labelWithName({ metadata }: Namespace, naming: Naming): void {
  metadata.labels = { ...metadata.labels, [naming.key('metadata.name')]: metadata.name! };
}

/** The defaults of namespaces, in each of their versions. */
export const namespaceVersions = {
  v1: {
    defaults(object, { naming }) {
      const { metadata, status } = object as Namespace;
      if ((metadata.name ?? '') !== '') labelWithName(object, naming);
      (object as Namespace).status = { ...status, phase: status?.phase || 'Active' };
    },
  },
} satisfies KindVersions;
