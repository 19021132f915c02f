import type { Toleration } from '#schema/generated/core.v1.ts';
import { list, message, versioned } from '../schema.ts';

const tolerations = list(message<Toleration>('core.v1.Toleration'));

export const podTolerationRestriction = versioned({}, { default: tolerations, whitelist: tolerations });
