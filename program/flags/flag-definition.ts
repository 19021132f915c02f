import type { Naming } from '#base/naming/naming.ts';

/** How a flag's text is read; see `flag-values.ts`. */
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
  /** Without dashes. `{product}` is replaced by the product's word, and `{prefix}` by its short prefix with a dash. */
  readonly name: string;
  readonly type: FlagType;
  /** As text, as `--help` shows it. Absent: the zero value of the type. */
  readonly default?: string | ((naming: Naming) => string);
  readonly deprecated?: true;
  /** The flag has its effect. Others may only be given with their default value. */
  readonly built?: true;
  readonly about?: string;
}
