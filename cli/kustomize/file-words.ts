import { createNaming } from '#base/naming/create-naming.ts';

/**
 * The naming of kustomizations, and of the objects that are built from them. For every server, it is the naming of the
 * field.
 */
export const fileWords = createNaming('kubernetes');
