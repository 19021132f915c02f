import { createNaming } from '#base/naming/create-naming.ts';

/**
 * The naming of kustomizations and of objects built from them: always that of the field, whatever server the objects
 * are for.
 */
export const fileWords = createNaming('kubernetes');
