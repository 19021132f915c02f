import cluster from 'node:cluster';
import { createServer } from 'node:net';
import { pino } from 'pino';
import { superviseWorkers } from '../workers/supervisor.ts';

/**
 * A supervisor of one worker that starts to serve and never answers a question. The argument is the time between two
 * questions in milliseconds. The worker writes a line when it listens, and a line for each later question.
 */
if (cluster.isPrimary) {
  const limits = { disabled: [], allowedValues: new Map() };
  process.exit(await superviseWorkers(1, limits, pino(), Number(process.argv[2])));
}
createServer().listen(0, '127.0.0.1', () => {
  console.log('listens');
  process.on('message', () => console.log('asked'));
});
