import { text } from '#program/flags/flag-readers.ts';
import type { Flags } from './parse-flags.ts';

/** The enabled admission plug-ins and their settings. The code of the plug-ins checks the names. */
export interface AdmissionOptions {
  /** Plug-ins to switch on in addition to those that are on by default. */
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
  /** The list that replaces all others. Empty means that it is not set. */
  readonly exactly: readonly string[];
  readonly configFile: string | undefined;
  /** How long pods stay by default on nodes with problems. */
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
