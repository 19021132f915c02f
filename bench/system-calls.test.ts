import { deepEqual } from 'node:assert/strict';
import { callCounts } from './system-calls.ts';

describe('counts of system calls by strace', () => {
  it('are summed by kind', () => {
    const text = [
      '% time     seconds  usecs/call     calls    errors syscall',
      '------ ----------- ----------- --------- --------- ----------------',
      ' 97.68    0.016129         171        94        15 futex',
      '  1.33    0.000220           0       370           epoll_pwait',
      '  0.65    0.000108           0       202           write',
      '  0.14    0.000023           0       200           read',
      '  0.00    0.000000           0         1           writev',
      '  0.00    0.000000           0         4         4 statx',
      '------ ----------- ----------- --------- --------- ----------------',
      '100.00    0.016512          19       871        19 total',
    ].join('\n');
    deepEqual(callCounts(text), { read: 200, write: 203, wait: 370, wake: 94, memory: 0, other: 4 });
  });
});
