import assert from 'node:assert/strict';
import { fromCoreEvent, toCoreEvent } from '#schema/conversion/events/convert-event.ts';
import { KindTester } from '../testing/kind-tester.ts';
import { eventRules } from './event.ts';

const rules = eventRules(3600);
const core = new KindTester(rules, 'core.v1', 'Event');
const strict = new KindTester(rules, 'events.v1', 'Event');
const fields = (lines: string[]) => lines.map((line) => line.slice(0, line.indexOf(': ')));

const full = {
  eventTime: '2020-01-01T00:00:00.000001Z',
  reportingController: 'example.com/c',
  reportingInstance: 'i',
  action: 'Act',
  reason: 'Why',
  type: 'Normal',
  note: 'hello',
  regarding: { kind: 'Pod', namespace: 'n', name: 'p' },
};

describe('an Event', () => {
  it('is converted between both groups without loss', () => {
    const stored = strict.created(full);
    assert.deepEqual([stored.message, stored.reportingComponent], ['hello', 'example.com/c']);
    assert.deepEqual(toCoreEvent(fromCoreEvent(structuredClone(stored))), stored);
  });

  it('can have any content in the core group, but needs the namespace of its object', () => {
    const about = (namespace?: string) => ({ involvedObject: { name: 'p', ...(namespace && { namespace }) } });
    assert.deepEqual(core.errors({ ...about('n'), type: 'Odd', count: -1 }), []);
    assert.deepEqual(fields(core.errors(about('m'))), ['involvedObject.namespace']);
    assert.deepEqual(fields(core.errors(about())), ['involvedObject.namespace']);
    assert.deepEqual(core.errors({ metadata: { name: 'x', namespace: 'default' }, ...about() }), []);
  });

  it('needs all fields in the events group, with the field names of the core group in errors', () => {
    assert.deepEqual(strict.errors(full), []);
    const none = { eventTime: null, reportingController: '', reportingInstance: '', action: '', reason: '' };
    assert.deepEqual(fields(strict.errors({ ...full, ...none })), ['eventTime']);
    assert.deepEqual(fields(strict.errors({ ...full, ...none, eventTime: full.eventTime })), [
      'reportingController',
      'reportingController',
      'reportingController',
      'reportingInstance',
      'action',
      'reason',
    ]);
    assert.deepEqual(fields(strict.errors({ ...full, deprecatedCount: 1, deprecatedSource: { host: 'h' } })), [
      'count',
      'source',
    ]);
    assert.deepEqual(fields(strict.errors({ ...full, series: { count: 1 } })), [
      'series.count',
      'series.lastObservedTime',
    ]);
  });

  it('can change only its series in the events group', () => {
    const series = { count: 2, lastObservedTime: full.eventTime };
    assert.deepEqual(strict.updateErrors(full, { ...full, series }), []);
    assert.deepEqual(fields(strict.updateErrors(full, { ...full, note: 'x', reason: 'y' })), [
      'reason',
      'message',
      'reason',
    ]);
  });

  it('shows its latest time and count in tables', () => {
    const row = strict.cells({ ...full, series: { count: 5, lastObservedTime: full.eventTime } });
    assert.deepEqual(row, ['0s', 'Normal', 'Why', 'pod/p', '', 'example.com/c, i', 'hello', '0s', 5, 'x']);
  });
});
