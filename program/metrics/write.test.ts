import assert from 'node:assert/strict';
import protobuf from 'protobufjs';
import { MetricSet } from './metric-set.ts';
import { whole } from './testing/whole.ts';
import { writeProtobuf } from './write-protobuf.ts';
import { writeText } from './write-text.ts';

const PHASE = { operation: 'CREATE', rejected: 'false', type: 'admit' };
const PHASE_TEXT = 'operation="CREATE",rejected="false",type="admit"';

function counted() {
  const metrics = new MetricSet();
  metrics.counter('apiserver_admission_webhook_fail_open_count').inc({ name: 'a"b\\c\nd', type: 'admit' }, 2);
  const steps = metrics.histogram('apiserver_admission_step_admission_duration_seconds');
  for (const seconds of [0.001, 0.005, 0.05, 7]) steps.observe(PHASE, seconds);
  metrics.summary('apiserver_admission_step_admission_duration_seconds_summary').of(PHASE);
  metrics.gauge('process_open_fds').set({}, Number.POSITIVE_INFINITY);
  metrics.counter('apiserver_audit_error_total');
  return metrics.values();
}

/** The messages that collectors read: github.com/prometheus/client_model, io/prometheus/client/metrics.proto. */
const { root } = protobuf.parse(`syntax = "proto2";
message LabelPair { optional string name = 1; optional string value = 2; }
enum MetricType { COUNTER = 0; GAUGE = 1; SUMMARY = 2; UNTYPED = 3; HISTOGRAM = 4; }
message Gauge { optional double value = 1; }
message Counter { optional double value = 1; }
message Quantile { optional double quantile = 1; optional double value = 2; }
message Summary { optional uint64 sample_count = 1; optional double sample_sum = 2; repeated Quantile quantile = 3; }
message Bucket { optional uint64 cumulative_count = 1; optional double upper_bound = 2; }
message Histogram { optional uint64 sample_count = 1; optional double sample_sum = 2; repeated Bucket bucket = 3; }
message Metric { repeated LabelPair label = 1; optional Gauge gauge = 2; optional Counter counter = 3;
  optional Summary summary = 4; optional Histogram histogram = 7; }
message MetricFamily { optional string name = 1; optional string help = 2; optional MetricType type = 3;
  repeated Metric metric = 4; }`);

describe('writers of metrics', () => {
  it('write the text format without metrics that have no series', async () => {
    const text = String(await whole(writeText(counted())));
    const steps = 'apiserver_admission_step_admission_duration_seconds';
    const lines = text.split('\n').filter((line) => !line.startsWith('# HELP'));
    assert.deepEqual(lines, [
      `# TYPE ${steps} histogram`,
      ...[
        ['0.005', 2],
        ['0.025', 2],
        ['0.1', 3],
        ['0.5', 3],
        ['1', 3],
        ['2.5', 3],
        ['+Inf', 4],
      ].map(([bound, count]) => `${steps}_bucket{${PHASE_TEXT},le="${bound}"} ${count}`),
      `${steps}_sum{${PHASE_TEXT}} 7.056`,
      `${steps}_count{${PHASE_TEXT}} 4`,
      `# TYPE ${steps}_summary summary`,
      ...['0.5', '0.9', '0.99'].map((share) => `${steps}_summary{${PHASE_TEXT},quantile="${share}"} NaN`),
      `${steps}_summary_sum{${PHASE_TEXT}} 0`,
      `${steps}_summary_count{${PHASE_TEXT}} 0`,
      '# TYPE apiserver_admission_webhook_fail_open_count counter',
      'apiserver_admission_webhook_fail_open_count{name="a\\"b\\\\c\\nd",type="admit"} 2',
      '# TYPE process_open_fds gauge',
      'process_open_fds +Inf',
      '',
    ]);
  });

  it('write the protobuf format', async () => {
    const type = root.lookupType('MetricFamily');
    const reader = protobuf.Reader.create(await whole(writeProtobuf(counted())));
    const families = [];
    while (reader.pos < reader.len) families.push(type.toObject(type.decodeDelimited(reader), { longs: Number }));
    const [steps, summary, failed, files] = families;
    assert.equal(families.length, 4);
    assert.deepEqual(
      families.map(({ name, type: of }) => [name, of]),
      [
        ['apiserver_admission_step_admission_duration_seconds', 4],
        ['apiserver_admission_step_admission_duration_seconds_summary', 2],
        ['apiserver_admission_webhook_fail_open_count', 0],
        ['process_open_fds', 1],
      ],
    );
    const { sampleCount, sampleSum, bucket } = steps!['metric'][0].histogram;
    assert.deepEqual([sampleCount, sampleSum, bucket.length], [4, 7.056, 7]);
    assert.deepEqual(bucket[2], { cumulativeCount: 3, upperBound: 0.1 });
    assert.deepEqual(bucket[6], { cumulativeCount: 4, upperBound: Number.POSITIVE_INFINITY });
    assert.deepEqual(steps!['metric'][0].label[0], { name: 'operation', value: 'CREATE' });
    assert.equal(summary!['metric'][0].summary.quantile.length, 3);
    assert.deepEqual(failed!['metric'][0].counter, { value: 2 });
    assert.deepEqual(files!['metric'][0].gauge, { value: Number.POSITIVE_INFINITY });
  });
});
