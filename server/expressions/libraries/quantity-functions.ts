import { define, method, type Overload, textWalk } from '../cel-function.ts';
import { BOOL, DOUBLE, INT, QUANTITY, STRING } from '../cel-type.ts';
import { EvaluationError } from '../cel-value.ts';
import { QuantityValue, readQuantity } from './quantity-value.ts';

const NANO = 1e9;

function quantityOf(text: string): QuantityValue {
  const quantity = readQuantity(text);
  if (typeof quantity === 'string') throw new EvaluationError(quantity);
  return quantity;
}

function integerOf({ integer }: QuantityValue): bigint {
  if (integer === undefined) throw new EvaluationError('cannot convert value to integer');
  return integer;
}

const order = ({ quantity }: QuantityValue, other: QuantityValue) => quantity.compare(other.quantity);

/** Functions of amounts in the form of objects. */
export const quantityFunctions: readonly Overload[] = [
  define('quantity', [STRING], QUANTITY, quantityOf, textWalk()),
  define('isQuantity', [STRING], BOOL, (text: string) => typeof readQuantity(text) !== 'string', textWalk()),
  define('sign', [QUANTITY], INT, ({ quantity }: QuantityValue) => BigInt(quantity.sign)),
  method('isInteger', [QUANTITY], BOOL, ({ integer }: QuantityValue) => integer !== undefined),
  method('asInteger', [QUANTITY], INT, integerOf),
  method('asApproximateFloat', [QUANTITY], DOUBLE, ({ quantity }: QuantityValue) => Number(quantity.nanos) / NANO),
  method('isGreaterThan', [QUANTITY, QUANTITY], BOOL, (a: QuantityValue, b: QuantityValue) => order(a, b) > 0),
  method('isLessThan', [QUANTITY, QUANTITY], BOOL, (a: QuantityValue, b: QuantityValue) => order(a, b) < 0),
  method('compareTo', [QUANTITY, QUANTITY], INT, (a: QuantityValue, b: QuantityValue) => BigInt(order(a, b))),
  method('add', [QUANTITY, QUANTITY], QUANTITY, (a: QuantityValue, b: QuantityValue) => a.add(b)),
  method('add', [QUANTITY, INT], QUANTITY, (a: QuantityValue, b: bigint) => a.add(QuantityValue.of(b))),
  method('sub', [QUANTITY, QUANTITY], QUANTITY, (a: QuantityValue, b: QuantityValue) => a.subtract(b)),
  method('sub', [QUANTITY, INT], QUANTITY, (a: QuantityValue, b: bigint) => a.subtract(QuantityValue.of(b))),
];
