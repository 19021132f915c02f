import { createNaming } from '#base/naming/create-naming.ts';

/**
 * The words of kustomizations and of what is built from them: those of the field, whatever server the objects are for.
 */
export const fileWords = createNaming('kubernetes');
