import type { CSIDriver } from '../../generated/storage.v1.ts';
import type { KindVersions } from '../version-rules.ts';

export const SELINUX_GATE = 'SELinuxMountReadWriteOncePod';

/** The defaults of CSI drivers in each version. */
export const csiDriverVersions = {
  v1: {
    defaults(object, { gates }) {
      const { spec } = object as CSIDriver;
      if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ['Persistent'];
      if (gates.enabled(SELINUX_GATE)) spec.seLinuxMount ??= false;
    },
  },
} satisfies KindVersions;
