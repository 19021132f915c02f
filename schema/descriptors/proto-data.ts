/** Options of one file, message or field, by name. A value of a `repeated` option is a list, even with one item. */
export type ProtoOptions = Readonly<Record<string, unknown>>;

/** A field in the declaration of `proto/`. An absent member means false or empty. */
export interface ProtoField {
  readonly name: string;
  /**
   * The type of one value, list item or map value: a scalar, a message of the same package, or a message by its full
   * name.
   */
  readonly type: string;
  readonly id: number;
  readonly repeated?: boolean;
  /** Whether it is a map with string keys. */
  readonly map?: boolean;
  /** Whether it is declared as `optional`. */
  readonly optional?: boolean;
  readonly options?: ProtoOptions;
}

/** A message as `proto/` declares it. */
export interface ProtoMessage {
  readonly name: string;
  readonly options?: ProtoOptions;
  /** The fields in the order of their declaration. */
  readonly fields: readonly ProtoField[];
  /**
   * For a message of one release: the fields that the release knows but whose feature is off. Files do not contain
   * this.
   */
  readonly off?: readonly ProtoField[];
}

/**
 * One file of `proto/`, checked against `options.proto`. It is JSON: `npm run generate` writes it, and programs read
 * it.
 */
export interface ProtoFile {
  readonly package: string;
  readonly options?: ProtoOptions;
  readonly messages: readonly ProtoMessage[];
}

/** The error that a file of `proto/` contains something that this project does not know. */
export class ProtoError extends Error {}
