import { parseQuantity, Quantity } from '#schema/values/quantity.ts';
import { ValueError } from '#schema/values/value-error.ts';
import { LibraryValue } from '../cel-value.ts';

const LIMIT = 2n ** 63n;
/** The number of digits that always fit into 64 bits. */
const SAFE_DIGITS = 18;
const SAFE_BINARY_DIGITS = 14;
const BAD_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** An amount as 64 bits and a power of ten, from which clients can get an integer. */
interface ShortAmount {
  readonly value: bigint;
  readonly scale: number;
}

function fits(value: bigint): boolean {
  return value < LIMIT && value >= -LIMIT;
}

/** An amount in the form of objects: `500m`, `1Gi`. */
export class QuantityValue extends LibraryValue {
  readonly kind = 'quantity';
  readonly quantity: Quantity;
  /**
   * The short form. Undefined for an amount with more digits than 64 bits can hold. Such an amount is never an integer.
   */
  readonly #short: ShortAmount | undefined;

  constructor(quantity: Quantity, short: ShortAmount | undefined) {
    super();
    this.quantity = quantity;
    this.#short = short;
  }

  /** An amount without a fraction. */
  static of(amount: bigint): QuantityValue {
    return new QuantityValue(Quantity.of(amount, 'DecimalExponent'), { value: amount, scale: 0 });
  }

  equals(other: LibraryValue): boolean {
    return other instanceof QuantityValue && other.quantity.nanos === this.quantity.nanos;
  }

  add(other: QuantityValue): QuantityValue {
    return new QuantityValue(this.quantity.add(other.quantity), sumOf(this.#short, other.#short));
  }

  subtract(other: QuantityValue): QuantityValue {
    const short = other.#short && { ...other.#short, value: -other.#short.value };
    return new QuantityValue(this.quantity.subtract(other.quantity), sumOf(this.#short, short));
  }

  /** The integer value; undefined if the amount was written with a fraction, or has more digits. */
  get integer(): bigint | undefined {
    if (this.#short === undefined || this.#short.scale < 0) return undefined;
    const value = this.#short.value * 10n ** BigInt(this.#short.scale);
    return fits(value) ? value : undefined;
  }
}

function sumOf(a: ShortAmount | undefined, b: ShortAmount | undefined): ShortAmount | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (a.value === 0n || b.value === 0n) return b.value === 0n ? a : b;
  const scale = Math.min(a.scale, b.scale);
  const [left, right] = [a, b].map(({ value, scale: own }) => value * 10n ** BigInt(own - scale)) as [bigint, bigint];
  return fits(left) && fits(right) && fits(left + right) ? { value: left + right, scale } : undefined;
}

const PARTS = /^([+-]?)0*([0-9]*)(?:\.([0-9]*))?(.*)$/;
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** The compact form of a valid amount; undefined if it has more digits. */
function shortOf(text: string): ShortAmount | undefined {
  const [, sign, whole = '', fraction = '', suffix = ''] = PARTS.exec(text)!;
  const digits = whole || '0';
  const value = BigInt(`${digits}${fraction}`) * (sign === '-' ? -1n : 1n);
  const power = BINARY.indexOf(suffix);
  if (power > 0) {
    const precision = SAFE_BINARY_DIGITS - digits.length - Math.floor(power * 3);
    return fraction === '' && precision >= 0 ? { value: value << BigInt(10 * power), scale: 0 } : undefined;
  }
  const index = DECIMAL.indexOf(suffix);
  const scale = (index < 0 ? Number(suffix.slice(1)) : 3 * index - 9) - fraction.length;
  return digits.length + fraction.length <= SAFE_DIGITS && scale >= -9 ? { value, scale } : undefined;
}

/**
 * The amount in a text, or the error of the text. Surrounding blanks are not allowed, although objects may have them.
 */
export function readQuantity(text: string): QuantityValue | string {
  if (text !== text.trim()) return BAD_FORMAT;
  try {
    const quantity = parseQuantity(text);
    return new QuantityValue(quantity, shortOf(text));
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    return error.message;
  }
}
