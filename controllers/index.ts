import type { Controller } from './controller.ts';
import { namespaceController } from './namespace/namespace-controller.ts';
import { serviceAccountController } from './service-account/service-account-controller.ts';

/** All controllers, in the order in which they start. */
export const controllers: readonly Controller[] = [namespaceController, serviceAccountController];
