import { createNaming } from '#base/naming/create-naming.ts';

/**
 * The naming of kustomizations, and of the objects that are built from them. It is always that of the field, for every
 * server.
 */
export const fileWords = createNaming('kubernetes');
