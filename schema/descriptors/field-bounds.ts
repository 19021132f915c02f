import { ProtoError, type ProtoOptions } from './proto-data.ts';
import { isTextFormat, type TextFormat } from './text-format.ts';

/** The limits of a field that `proto/` declares and the server enforces: see options.proto. */
export interface FieldBounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxPercent?: number;
  readonly maxItems?: number;
  /** The largest length in bytes of UTF-8. */
  readonly maxLength?: number;
  readonly unique?: true;
  /** Whether the server also accepts values outside of the enum. */
  readonly enumUnchecked?: true;
  readonly textFormat?: TextFormat;
  readonly needed?: true;
  readonly immutable?: true;
  /** The first release in which an immutable field can be changed. */
  readonly immutableUntil?: string;
}

/**
 * The bounds in the options of a field; undefined if there are none.
 * @throws ProtoError if they name no form of texts
 */
export function boundsOf(field: string, options: ProtoOptions): FieldBounds | undefined {
  // If there are several bounds for different releases, the last one is for the latest release.
  const format = (options['text_format'] as string | undefined)?.split('|').at(-1);
  if (format !== undefined && !isTextFormat(format)) throw new ProtoError(`${field}: no form of texts is ${format}`);
  const bounds: FieldBounds = {
    ...numbers(options),
    ...(format !== undefined && { textFormat: format }),
    ...(options['enum_unchecked'] === true && { enumUnchecked: true }),
    ...(options['unique'] === true && { unique: true }),
    ...(options['needed'] === true && { needed: true }),
    ...(options['immutable'] === true && { immutable: true }),
    ...(options['immutable_until'] !== undefined && { immutableUntil: options['immutable_until'] as string }),
  };
  return Object.keys(bounds).length === 0 ? undefined : bounds;
}

const NUMBERS = [
  ['minimum', 'minimum'],
  ['maximum', 'maximum'],
  ['maxPercent', 'max_percent'],
  ['maxItems', 'max_items'],
  ['maxLength', 'max_length'],
] as const;

function numbers(options: ProtoOptions): FieldBounds {
  const found = NUMBERS.filter(([, option]) => options[option] !== undefined);
  return Object.fromEntries(found.map(([name, option]) => [name, options[option] as number]));
}
