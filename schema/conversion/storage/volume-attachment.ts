import type { VolumeAttachment } from '../../generated/storage.v1.ts';
import { defaultVolumeSource } from '../core/default-persistent-volume.ts';
import type { KindVersions } from '../version-rules.ts';

/** The defaults of volume attachments in each version. */
export const volumeAttachmentVersions = {
  v1: {
    defaults(object) {
      const { inlineVolumeSpec } = (object as VolumeAttachment).spec.source;
      if (inlineVolumeSpec !== undefined) defaultVolumeSource(inlineVolumeSpec);
    },
  },
} satisfies KindVersions;
