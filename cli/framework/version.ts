import { BUILD } from '#program/flags/build.ts';

/** The version of the program, in the notation of this field. */
export const VERSION = `v${BUILD.version}`;
