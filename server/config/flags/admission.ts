import type { FlagDefinition } from '#program/flags/flag-definition.ts';

export const admissionFlags = [
  {
    name: 'admission-control',
    type: 'strings',
    deprecated: true,
    built: true,
    about: 'the complete list of admission plug-ins; prefer --enable-admission-plugins and --disable-admission-plugins',
  },
  {
    name: 'admission-control-config-file',
    type: 'string',
    built: true,
    about: 'file with an AdmissionConfiguration, which configures admission plug-ins',
  },
  {
    name: 'disable-admission-plugins',
    type: 'strings',
    built: true,
    about: 'admission plug-ins to switch off, separated by commas; only those that are on by default need this',
  },
  {
    name: 'enable-admission-plugins',
    type: 'strings',
    built: true,
    about: 'admission plug-ins to switch on in addition to the default ones; their order has no effect',
  },
] as const satisfies readonly FlagDefinition[];
