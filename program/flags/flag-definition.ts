import type { Naming } from '#base/naming/naming.ts';

/** The type of a flag's text; see `flag-values.ts`. */
export type FlagType =
  | 'bool'
  | 'duration'
  | 'float'
  | 'float32'
  | 'int'
  | 'ip'
  | 'Level'
  | 'mapStringBool'
  | 'mapStringString'
  | 'namedCertKey'
  | 'portRange'
  | 'settings'
  | 'string'
  | 'stringArray'
  | 'strings'
  | 'stringToString';

export interface FlagDefinition {
  /**
   * The name without dashes. `{product}` is replaced by the product's word, and `{prefix}` by its short prefix with a
   * dash.
   */
  readonly name: string;
  readonly type: FlagType;
  /** The default as text, in the form that `--help` shows. Absent means the zero value of the type. */
  readonly default?: string | ((naming: Naming) => string);
  readonly deprecated?: true;
  /** Whether the flag has its effect. Other flags may only be given with their default value. */
  readonly built?: true;
  readonly about?: string;
}
