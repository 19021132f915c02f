import path from 'node:path';
import { EtcdProcess, freePort } from '#storage-etcd/testing/etcd-process.ts';
import { Link, type LinkState } from './link.ts';

/**
 * Three etcd members behind a simulated network. Members and replicas connect through links, which can be cut or
 * stalled one by one.
 */
export class Members {
  readonly processes: readonly EtcdProcess[];
  readonly #peerLinks: readonly Link[];
  readonly #ids: readonly string[];
  /** The state of the link of each pair of members, with the smaller number first. */
  readonly #between: Map<string, LinkState>;
  readonly #clientLinks: { readonly link: Link; readonly replica: number; readonly member: number }[] = [];
  readonly #toReplicas = new Map<string, LinkState>();

  private constructor(
    processes: readonly EtcdProcess[],
    peerLinks: readonly Link[],
    ids: readonly string[],
    between: Map<string, LinkState>,
  ) {
    this.processes = processes;
    this.#peerLinks = peerLinks;
    this.#ids = ids;
    this.#between = between;
  }

  static async start(): Promise<Members> {
    const ids: string[] = [];
    const between = new Map<string, LinkState>();
    const indices = [0, 1, 2];
    const ports = await Promise.all(indices.map(() => freePort()));
    const links = await Promise.all(
      ports.map((port, member) =>
        Link.start(port, (opening) => {
          // All members connect to a member at the same address. A header names the member that connects.
          const dialer = ids.findIndex((id) => opening.includes(`X-Server-From: ${id}\r\n`));
          return between.get(pair(dialer, member)) ?? 'open';
        }),
      ),
    );
    const everyone = links.map(({ url }, i) => `m${i}=${url}`).join(',');
    const processes = await Promise.all(
      ports.map((port, i) =>
        EtcdProcess.prepare({
          name: `m${i}`,
          flags: [
            `--listen-peer-urls=http://127.0.0.1:${port}`,
            `--initial-advertise-peer-urls=${links[i]!.url}`,
            `--initial-cluster=${everyone}`,
            '--heartbeat-interval=100',
            '--election-timeout=1000',
          ],
        }),
      ),
    );
    for (const process of processes) process.launch();
    await Promise.all(processes.map((process) => process.ready()));
    for (const { endpoint } of processes) ids.push((await status(endpoint)).id);
    return new Members(processes, links, ids, between);
  }

  /** The addresses of the members for one replica, over separate links. */
  async endpointsFor(replica: number): Promise<string> {
    const links = await Promise.all(
      this.processes.map(({ endpoint }, member) =>
        Link.start(Number(new URL(endpoint).port), () => this.#toReplicas.get(`${replica} ${member}`) ?? 'open'),
      ),
    );
    links.forEach((link, member) => void this.#clientLinks.push({ link, replica, member }));
    return links.map(({ url }) => url).join(',');
  }

  /** Sets the state of the links between two members. */
  setBetween(a: number, b: number, state: LinkState): void {
    this.#between.set(pair(a, b), state);
    for (const link of this.#peerLinks) link.update();
  }

  /** Sets the state of the links from a replica to a member. */
  setToReplica(replica: number, member: number, state: LinkState): void {
    this.#toReplicas.set(`${replica} ${member}`, state);
    for (const one of this.#clientLinks) if (one.replica === replica && one.member === member) one.link.update();
  }

  /** The leading member. It is the first one if no member names the leader. */
  async leader(): Promise<number> {
    for (const { endpoint } of this.processes) {
      const leader = await status(endpoint).then(
        (answer) => this.#ids.indexOf(answer.leader),
        () => -1,
      );
      if (leader >= 0) return leader;
    }
    return 0;
  }

  /** The highest revision that a member reports. Rejects if no member answers. */
  async revision(): Promise<number> {
    const said = await Promise.allSettled(this.processes.map(({ endpoint }) => status(endpoint)));
    const revisions = said.flatMap((one) => (one.status === 'fulfilled' ? [one.value.revision] : []));
    if (revisions.length === 0) throw new Error('no member of etcd answers');
    return Math.max(...revisions);
  }

  /** Removes history before a revision. Resolves to whether a member has done so. */
  async compact(revision: number): Promise<boolean> {
    for (const { endpoint } of this.processes) {
      const answer = await fetch(`${endpoint}/v3/kv/compaction`, {
        method: 'POST',
        body: JSON.stringify({ revision: String(revision) }),
        signal: AbortSignal.timeout(1000),
      }).catch(() => undefined);
      if (answer !== undefined) return answer.ok;
    }
    return false;
  }

  /** Stops the members. With `keepIn`, keeps the data of each in a folder there. */
  async stop(keepIn?: string): Promise<void> {
    await Promise.all(this.processes.map((process, i) => process.stop(keepIn && path.join(keepIn, `member-${i}`))));
    await Promise.all([...this.#peerLinks, ...this.#clientLinks.map(({ link }) => link)].map((link) => link.close()));
  }
}

function pair(a: number, b: number): string {
  return `${Math.min(a, b)} ${Math.max(a, b)}`;
}

/** Ids in the form that members write in their headers. */
async function status(
  endpoint: string,
): Promise<{ readonly id: string; readonly leader: string; readonly revision: number }> {
  const response = await fetch(`${endpoint}/v3/maintenance/status`, {
    method: 'POST',
    body: '{}',
    signal: AbortSignal.timeout(1000),
  });
  const answer = (await response.json()) as { header: { member_id: string; revision: string }; leader: string };
  const hex = (id: string) => BigInt(id).toString(16);
  const { member_id: id, revision } = answer.header;
  return { id: hex(id), leader: hex(answer.leader ?? '0'), revision: Number(revision) };
}
