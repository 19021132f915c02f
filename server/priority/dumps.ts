import type { FlowControl, Level } from './flow-control.ts';
import { totalWork, type Work } from './work.ts';

const NONE = '<none>';
const LEVEL = 'PriorityLevelName';

/** The smallest width of a column, in characters. */
const LEAST_WIDTH = 8;

/** The lines of a table. Cells are in columns, with commas between them. */
function tableText(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, i) => Math.max(LEAST_WIDTH, ...rows.map((row) => (row[i] ?? '').length + 2)));
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (i === row.length - 1 ? cell : `${cell},`.padEnd(widths[i]!))).join('');
  return `${rows.map(line).join('\n')}\n`;
}

/** Milliseconds of seats, converted to seat-seconds. */
function seatSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(8)}ss`;
}

function dumpLevels(levels: readonly Level[]): string[][] {
  return [
    [LEVEL, 'ActiveQueues', 'IsIdle', 'IsQuiescing', 'WaitingRequests', 'ExecutingRequests'],
    ...levels.map(({ name, queues, quiescing }) =>
      queues === undefined
        ? [name, NONE, NONE, NONE, NONE, NONE]
        : [
            name,
            queues.queues.filter(({ waiting }) => waiting.length > 0).length,
            queues.isIdle,
            quiescing,
            queues.waiting,
            queues.executing,
          ].map(String),
    ),
  ];
}

const QUEUE_COLUMNS = [
  'Index',
  'PendingRequests',
  'ExecutingRequests',
  'SeatsInUse',
  'NextDispatchR',
  'InitialSeatsSum',
  'MaxSeatsSum',
  'TotalWorkSum',
];

function dumpQueues(levels: readonly Level[]): string[][] {
  const rows = levels.flatMap(({ name, queues }) => {
    if (queues === undefined) return [[name, ...QUEUE_COLUMNS.map(() => NONE)]];
    return queues.queues.map((queue) => {
      const works = queue.waiting.map(({ work }) => work);
      const sum = (of: (work: Work) => number) => works.reduce((total, work) => total + of(work), 0);
      return [
        name,
        String(queue.index),
        String(queue.waiting.length),
        String(queue.executing),
        String(queue.seatsInUse),
        seatSeconds(queue.nextDispatchR),
        String(sum(({ seats }) => seats)),
        String(sum(({ seats, finalSeats }) => Math.max(seats, finalSeats))),
        seatSeconds(sum(totalWork)),
      ];
    });
  });
  return [[LEVEL, ...QUEUE_COLUMNS], ...rows];
}

const REQUEST_COLUMNS = [
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  // The form that clients know.
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
];
const DETAILS = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'];

function dumpRequests(levels: readonly Level[], details: boolean): string[][] {
  const columns = [...REQUEST_COLUMNS, ...(details ? DETAILS : [])];
  const rows = levels.flatMap(({ name, queues }) => {
    if (queues === undefined) return [[name, ...columns.map(() => NONE)]];
    return queues.queues.flatMap(({ index, waiting }) =>
      waiting.map(({ about, work }, position) => {
        const { schema, distinguisher, info, user, receivedAt } = about;
        const request = [
          name,
          schema.name,
          String(index),
          String(position),
          distinguisher,
          new Date(receivedAt).toISOString(),
          String(work.seats),
          String(work.finalSeats),
          `${work.finalMs}ms`,
        ];
        if (!details) return request;
        const { verb, path, namespace, version, resource, subresource } = info;
        return [...request, user.name, verb, path, namespace, info.name, version, resource, subresource];
      }),
    );
  });
  return [[LEVEL, ...columns], ...rows];
}

/**
 * The content of the queues, as a table for people. `what` is the last part of a path. Undefined if there is no such
 * table.
 */
export function dumpOf(control: FlowControl, what: string, details: boolean): string | undefined {
  if (what === 'dump_priority_levels') return tableText(dumpLevels(control.levels));
  if (what === 'dump_queues') return tableText(dumpQueues(control.levels));
  if (what === 'dump_requests') return tableText(dumpRequests(control.levels, details));
  return undefined;
}
