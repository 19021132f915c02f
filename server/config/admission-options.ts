import { text } from '#program/flags/flag-readers.ts';
import type { Flags } from './parse-flags.ts';

/** The enabled admission plug-ins and their settings. The code that knows the plug-ins checks the names. */
export interface AdmissionOptions {
  /** Plug-ins to switch on, besides those that are on by default. */
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
  /** Replaces all of these; empty: not set. */
  readonly exactly: readonly string[];
  readonly configFile: string | undefined;
  /** The default time for which pods stay on nodes with problems. */
  readonly tolerationSeconds: { readonly notReady: number; readonly unreachable: number };
}

/** Reads the flags of admission. */
export function readAdmission(flags: Flags): AdmissionOptions {
  return {
    enabled: flags.get('enable-admission-plugins'),
    disabled: flags.get('disable-admission-plugins'),
    exactly: flags.get('admission-control'),
    configFile: text(flags.get('admission-control-config-file')),
    tolerationSeconds: {
      notReady: flags.get('default-not-ready-toleration-seconds'),
      unreachable: flags.get('default-unreachable-toleration-seconds'),
    },
  };
}
