import { type Costs, define, method, type Overload, textWalk } from '../cel-function.ts';
import { BOOL, CIDR, INT, IP, STRING } from '../cel-type.ts';
import { type CelValue, EvaluationError } from '../cel-value.ts';
import { capped, estimatedSize, walkOf } from '../sizes.ts';
import { AddressRange, NetworkAddress, readAddress, readRange } from './network-address.ts';

function addressOf(text: string): NetworkAddress {
  const address = readAddress(text);
  if (typeof address === 'string') throw new EvaluationError(address);
  return address;
}

function rangeOf(text: string): AddressRange {
  const range = readRange(text);
  if (typeof range === 'string')
    throw new EvaluationError(`network address parse error during conversion from string: ${range}`);
  return range;
}

const walk = textWalk();

/** The estimate counts a range and an address as 16 bytes each. A text must be parsed first. */
const COMPARED = 4;
const containsText: Costs = {
  estimate: (_range, text) => capped(COMPARED + walkOf(estimatedSize(text!))),
  charge: (budget, _range: CelValue, text: string) => budget.chargeText(text.length),
};
/** The additional cost if a range is compared, because it is masked before. */
const MASKED = 3;
const containsRangeText: Costs = {
  ...containsText,
  estimate: (_range, text) => capped(COMPARED + MASKED + walkOf(estimatedSize(text!))),
};

const TESTS: readonly (keyof NetworkAddress & `is${string}`)[] = [
  'isUnspecified',
  'isLoopback',
  'isLinkLocalMulticast',
  'isLinkLocalUnicast',
  'isGlobalUnicast',
];

/** Functions of addresses and of ranges of addresses. */
export const addressFunctions: readonly Overload[] = [
  define('ip', [STRING], IP, addressOf, walk),
  define('isIP', [STRING], BOOL, (text: string) => readAddress(text) instanceof NetworkAddress, walk),
  define('ip.isCanonical', [STRING], BOOL, (text: string) => String(addressOf(text)) === text, textWalk(2)),
  define('string', [IP], STRING, (address: NetworkAddress) => String(address)),
  method('family', [IP], INT, ({ family }: NetworkAddress) => BigInt(family)),
  ...TESTS.map((name) => method(name, [IP], BOOL, (address: NetworkAddress) => address[name])),
  define('cidr', [STRING], CIDR, rangeOf, walk),
  define('isCIDR', [STRING], BOOL, (text: string) => readRange(text) instanceof AddressRange, walk),
  define('string', [CIDR], STRING, (range: AddressRange) => String(range)),
  method('ip', [CIDR], IP, ({ address }: AddressRange) => address),
  method('prefixLength', [CIDR], INT, ({ length }: AddressRange) => BigInt(length)),
  method('masked', [CIDR], CIDR, (range: AddressRange) => range.masked()),
  method(
    'containsIP',
    [CIDR, STRING],
    BOOL,
    (range: AddressRange, text: string) => range.contains(addressOf(text)),
    containsText,
  ),
  method('containsIP', [CIDR, IP], BOOL, (range: AddressRange, address: NetworkAddress) => range.contains(address), {
    estimate: () => COMPARED,
  }),
  method(
    'containsCIDR',
    [CIDR, STRING],
    BOOL,
    (range: AddressRange, text: string) => range.containsRange(rangeOf(text)),
    containsRangeText,
  ),
  method('containsCIDR', [CIDR, CIDR], BOOL, (range: AddressRange, other: AddressRange) => range.containsRange(other), {
    estimate: () => COMPARED + MASKED,
  }),
];
