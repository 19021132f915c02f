import https from 'node:https';
import os from 'node:os';

/**
 * The flooding client of bench/fairness.ts, in a process of its own:
 * `node bench/flood.ts PORT CA TOKEN PREFIX LIST CREATE`. The last line of its input is the number of requests to keep
 * in flight. Half of them list the path LIST, the other half create config maps at CREATE. The client discards all
 * answers and waits after a 429.
 */
const [port, ca, token, prefix, list, create] = process.argv.slice(2) as string[];
const agent = new https.Agent({ keepAlive: true, ...(ca === undefined ? {} : { ca }) });
const filler = 'x'.repeat(1000);
let wanted = 0;
let running = 0;
let created = 0;
const counts = { lists: 0, creates: 0, refused: 0, failed: 0 };

// this process plays other machines, so the measured server gets the processor first
os.setPriority(Math.min(19, os.getPriority() + 5));

function ask(lists: boolean): Promise<number> {
  const body = lists ? undefined : JSON.stringify({ metadata: { name: `${prefix}-${created++}` }, data: { filler } });
  const headers = { Authorization: `Bearer ${token}`, ...(lists ? {} : { 'Content-Type': 'application/json' }) };
  return new Promise((resolve, reject) => {
    const request = https.request(
      {
        host: '127.0.0.1',
        port,
        agent,
        servername: 'localhost',
        headers,
        path: lists ? list : create,
        method: lists ? 'GET' : 'POST',
      },
      (response) => {
        response.resume().once('error', reject);
        response.once('end', () => resolve(response.statusCode ?? 0));
      },
    );
    request.once('error', reject);
    request.end(body);
  });
}

async function client(index: number): Promise<void> {
  running++;
  const lists = index % 2 === 0;
  while (index < wanted) {
    const status = await ask(lists).catch(() => 0);
    if (status === 429) {
      counts.refused++;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    } else if (status >= 400 || status === 0) counts.failed++;
    else counts[lists ? 'lists' : 'creates']++;
  }
  running--;
}

process.on('message', (count: number) => {
  const before = wanted;
  wanted = count;
  for (let i = before; i < wanted; i++) void client(i);
  if (count > 0) return;
  const settled = setInterval(() => {
    if (running > 0) return;
    clearInterval(settled);
    process.send?.({ ...counts });
    Object.assign(counts, { lists: 0, creates: 0, refused: 0, failed: 0 });
  }, 20);
});
