/**
 * The source of an extension server that runs in a separate process, which tests stop and kill. It answers 200 to each
 * request. The end of the path decides the body: `large` gives 100 MB, `drip` single bytes, `half` the first half,
 * `mute` nothing, `moved/PORT` another address, and `open` the number of other open answers and upgraded connections.
 * The path of an upgrade decides its end.
 */
export const FAULTY_PROGRAM = String.raw`
const https = require('node:https'), { readFileSync } = require('node:fs'), { Readable } = require('node:stream');
const [, dir, port] = process.argv;
const chunk = Buffer.alloc(1 << 20, 'x');
const open = new Set();
const count = (one) => { open.add(one); one.on('error', () => {}); one.once('close', () => open.delete(one)); };
const drip = (response, left) => left === 0 ? response.end() : response.write('x', () => setTimeout(drip, 30, response, left - 1));
const answers = {
  large: (response) => Readable.from(Array.from({ length: 100 }, () => chunk)).on('error', () => {}).pipe(response),
  drip: (response) => drip(response, 20),
  half: (response) => response.writeHead(200, { 'Content-Length': 8 }).write('half', () => response.destroy()),
  mute: () => {},
  open: (response) => response.end(String(open.size - 1)),
};
const granted = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n';
const upgrades = {
  refuse: (socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno'),
  garble: (socket) => socket.end('what?\r\n\r\n'),
  fine: (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}'),
  cut: (socket) => socket.destroy(),
  mute: () => {},
  echo: (socket) => { socket.write(granted); socket.pipe(socket); },
  leave: (socket) => { socket.write(granted); socket.once('data', () => socket.destroy()); },
};
const last = (url) => url.split('?')[0].split('/').at(-1);
https.createServer({ cert: readFileSync(dir + '/crt'), key: readFileSync(dir + '/key') }, (request, response) => {
  count(response);
  const [, elsewhere] = /moved.([0-9]+)$/.exec(request.url) ?? [];
  if (elsewhere !== undefined) response.writeHead(307, { Location: 'https://localhost:' + elsewhere + '/' }).end();
  else (answers[last(request.url)] ?? ((other) => other.end('{}')))(response);
}).on('upgrade', (request, socket) => {
  count(socket);
  upgrades[last(request.url)](socket);
}).listen(Number(port), function () { console.log(this.address().port); });
`;
