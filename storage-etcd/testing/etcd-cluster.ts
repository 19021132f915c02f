import { CutProxy } from './cut-proxy.ts';
import { EtcdProcess, freePort } from './etcd-process.ts';

/**
 * Three members of one cluster. They reach each other through proxies, so that a test can isolate one from its peers.
 */
export class EtcdCluster {
  readonly members: readonly EtcdProcess[];
  readonly #proxies: readonly CutProxy[];
  readonly #isolation: Isolation;

  private constructor(members: readonly EtcdProcess[], proxies: readonly CutProxy[], isolation: Isolation) {
    this.members = members;
    this.#proxies = proxies;
    this.#isolation = isolation;
  }

  static async start(): Promise<EtcdCluster> {
    const isolation = new Isolation();
    const ports = await Promise.all([freePort(), freePort(), freePort()]);
    const proxies = await Promise.all(
      ports.map((port) => CutProxy.start(port, (opening) => isolation.comesFrom(opening))),
    );
    const everyone = proxies.map((proxy, i) => `m${i}=${proxy.endpoint}`).join(',');
    const members = await Promise.all(
      ports.map((port, i) =>
        EtcdProcess.prepare({
          name: `m${i}`,
          flags: [
            `--listen-peer-urls=http://127.0.0.1:${port}`,
            `--initial-advertise-peer-urls=${proxies[i]!.endpoint}`,
            `--initial-cluster=${everyone}`,
            '--heartbeat-interval=50',
            '--election-timeout=500',
          ],
        }),
      ),
    );
    for (const member of members) member.launch();
    await Promise.all(members.map((member) => member.ready()));
    return new EtcdCluster(members, proxies, isolation);
  }

  get endpoints(): string[] {
    return this.members.map(({ endpoint }) => endpoint);
  }

  /** Isolates one member from the others, in both directions; its clients still reach it. */
  async isolate(index: number): Promise<void> {
    this.#isolation.member = await memberId(this.members[index]!.endpoint);
    this.#proxies.forEach((proxy, i) => {
      if (i === index) {
        proxy.sever();
      } else {
        proxy.cut((opening) => this.#isolation.comesFrom(opening));
      }
    });
  }

  /** Undoes `isolate`. */
  rejoin(): void {
    this.#isolation.member = undefined;
    for (const proxy of this.#proxies) proxy.heal();
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.stop()));
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
  }
}

/** All members connect to each other at one address, so a header in their requests names the sender. */
class Isolation {
  member: string | undefined;

  comesFrom(opening: string): boolean {
    return this.member !== undefined && opening.includes(`X-Server-From: ${this.member}\r\n`);
  }
}

async function memberId(endpoint: string): Promise<string> {
  const response = await fetch(`${endpoint}/v3/maintenance/status`, { method: 'POST', body: '{}' });
  const status = (await response.json()) as { header: { member_id: string } };
  return BigInt(status.header.member_id).toString(16);
}
