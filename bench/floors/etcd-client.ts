import { createServer } from 'node:http';
import { Etcd3 } from 'etcd3';

/** The least that a write needs: a process that puts 3 KB in one etcd transaction for each request. */
const [, , port, endpoint] = process.argv;
const client = new Etcd3({ hosts: endpoint! });
const value = Buffer.alloc(3000, 'x');
let n = 0;

createServer((_request, response) => {
  const key = `/bench/${n++ % 1000}`;
  client
    .if(key, 'Version', '>', -1)
    .then(client.put(key).value(value))
    .commit()
    .then(() => response.end())
    .catch(() => response.writeHead(500).end());
}).listen(Number(port), '127.0.0.1');
