import { BUILD } from '#program/flags/build.ts';

/** The version of the program, as this field spells versions. */
export const VERSION = `v${BUILD.version}`;
