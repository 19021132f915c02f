import type { Secret } from '../../generated/core.v1.ts';
import type { KindVersions } from '../version-rules.ts';

const DEFAULT_TYPE = 'Opaque';

/** Moves the texts of `stringData` to the data. Clients only write this field. */
function mergeStringData(object: Secret): void {
  const { stringData } = object;
  if (stringData === undefined) return;
  object.data = { ...object.data };
  for (const [key, value] of Object.entries(stringData)) object.data[key] = Buffer.from(value).toString('base64');
  delete object.stringData;
}

/** The defaults of secrets in each version. */
export const secretVersions = {
  v1: {
    defaults(object) {
      const sent = object as Secret;
      if ((sent.type ?? '') === '') sent.type = DEFAULT_TYPE;
      mergeStringData(sent);
    },
  },
} satisfies KindVersions;
