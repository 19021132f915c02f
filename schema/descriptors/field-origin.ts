import type { ProtoOptions } from './proto-data.ts';

/** The releases that have a field, and its writer: see options.proto. */
export interface FieldOrigin {
  /** The first release that has the field: `1.29`. */
  readonly since?: string;
  /** The first release that no longer has it. */
  readonly until?: string;
  /** `server`, or the subject of a sentence: `the scheduler`. */
  readonly writer?: string;
  /** Whether a create may set the field too. */
  readonly setOnCreate?: true;
}

/** The origin of a field by its options; undefined if they do not give it. */
export function originOf(options: ProtoOptions): FieldOrigin | undefined {
  const { since, until, writer } = options as { since?: string; until?: string; writer?: string };
  if (since === undefined && until === undefined && writer === undefined) return undefined;
  return {
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(writer !== undefined && { writer }),
    ...(options['set_on_create'] === true && { setOnCreate: true }),
  };
}
