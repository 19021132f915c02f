import type { Service } from '../../generated/core.v1.ts';
import type { KindVersions } from '../version-rules.ts';
import { defaultService } from './default-service.ts';

/** The defaults of services in each version. */
export const serviceVersions = {
  v1: { defaults: (object) => defaultService(object as Service) },
} satisfies KindVersions;
