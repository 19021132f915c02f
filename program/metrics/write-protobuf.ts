import { Writer } from 'protobufjs/minimal.js';
import { TimeSlice } from '#base/time/time-slice.ts';
import { type FamilyValues, QUANTILES, type SeriesValues } from './family-definition.ts';

/** The media type of the protobuf format: https://github.com/prometheus/client_model */
export const PROTOBUF_TYPE =
  'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited';

const DELIMITED = 2;
const FIXED_64 = 1;
const VARINT = 0;
const tag = (field: number, wire: number): number => (field << 3) | wire;

const TYPES = { counter: 0, gauge: 1, summary: 2, histogram: 4 } as const;
/** The field of a Metric that holds its value, by type. */
const VALUE_FIELDS = { gauge: 2, counter: 3, summary: 4, histogram: 7 } as const;

function writeValue(writer: Writer, { type, buckets = [] }: FamilyValues['family'], numbers: readonly number[]): void {
  const double = (field: number, value: number) => writer.uint32(tag(field, FIXED_64)).double(value);
  const pair = (field: number, of: number, key: number, valueWire: () => void) => {
    writer.uint32(tag(field, DELIMITED)).fork();
    if (type === 'summary') double(of, key);
    valueWire();
    if (type === 'histogram') double(of, key);
    writer.ldelim();
  };
  writer.uint32(tag(VALUE_FIELDS[type], DELIMITED)).fork();
  if (type === 'histogram') {
    const counts: number[] = [];
    let count = 0;
    for (let i = 0; i <= buckets.length; i++) counts.push((count += numbers[i]!));
    writer.uint32(tag(1, VARINT)).uint64(count);
    double(2, numbers[buckets.length + 1]!);
    for (const [i, upTo] of counts.entries())
      pair(3, 2, buckets[i] ?? Number.POSITIVE_INFINITY, () => writer.uint32(tag(1, VARINT)).uint64(upTo));
  } else if (type === 'summary') {
    const [sum, count, ...quantiles] = numbers;
    writer.uint32(tag(1, VARINT)).uint64(count!);
    double(2, sum!);
    for (const [i, value] of quantiles.entries()) pair(3, 1, QUANTILES[i]!, () => double(2, value));
  } else double(1, numbers[0]!);
  writer.ldelim();
}

function writeMetric(writer: Writer, family: FamilyValues['family'], [values, numbers]: SeriesValues): void {
  writer.uint32(tag(4, DELIMITED)).fork();
  for (const [i, value] of values.entries()) {
    writer.uint32(tag(1, DELIMITED)).fork();
    writer.uint32(tag(1, DELIMITED)).string(family.labels[i]!);
    writer.uint32(tag(2, DELIMITED)).string(value).ldelim();
  }
  writeValue(writer, family, numbers);
  writer.ldelim();
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/**
 * Families as messages `io.prometheus.client.MetricFamily`, one after the other. The length of each message precedes
 * it.
 */
export async function* writeProtobuf(families: Iterable<FamilyValues>): AsyncGenerator<Buffer, void, void> {
  const slice = new TimeSlice();
  for (const { family, series } of families) {
    if (series.length === 0) continue;
    const writer = Writer.create();
    writer.uint32(tag(1, DELIMITED)).string(family.name);
    writer.uint32(tag(2, DELIMITED)).string(family.help);
    writer.uint32(tag(3, VARINT)).int32(TYPES[family.type]);
    for (const one of series) {
      writeMetric(writer, family, one);
      if (slice.over) await slice.yield();
    }
    const message = writer.finish();
    yield asBuffer(Writer.create().uint32(message.length).finish());
    yield asBuffer(message);
  }
}
