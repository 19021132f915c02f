/** The release of the program. */
export const VERSION = 'v0.1.0';
