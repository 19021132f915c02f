import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ensureTool } from '#scripts/ensure-tool.ts';
import { EtcdProcess, freePort, type MutualTls } from '#storage-etcd/testing/etcd-process.ts';

const run = promisify(execFile);

export interface ClusterOptions {
  /** Additional flags of each member. */
  readonly flags?: readonly string[];
  /** The files with which members serve clients over TLS, and accept only clients with a certificate. */
  readonly tls?: MutualTls;
  /** The folder for the data of each member. By default, it is the folder for temporary files. */
  readonly disks?: readonly string[];
}

interface Place {
  readonly name: string;
  readonly clientPort: number;
  readonly peerUrl: string;
  readonly disk: string | undefined;
}

/** Three members of etcd on this machine whose disks can fail, and the actions of operators in that case. */
export class Cluster {
  readonly #options: ClusterOptions;
  readonly #places: readonly Place[];
  readonly #members: EtcdProcess[] = [];
  #restores = 0;

  private constructor(places: readonly Place[], options: ClusterOptions) {
    this.#places = places;
    this.#options = options;
  }

  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const places: Place[] = [];
    for (const i of [0, 1, 2])
      places.push({
        name: `m${i}`,
        clientPort: await freePort(),
        peerUrl: `http://127.0.0.1:${await freePort()}`,
        disk: options.disks?.[i],
      });
    const cluster = new Cluster(places, options);
    for (const place of places) cluster.#members.push(await cluster.#prepare(place, cluster.#everyone, 'new'));
    await cluster.launch();
    return cluster;
  }

  /** The value of `--etcd-servers`. */
  get endpoints(): string {
    return this.#members.map(({ endpoint }) => endpoint).join(',');
  }

  member(index: number): EtcdProcess {
    return this.#members[index]!;
  }

  /** Starts all members with their present data. */
  async launch(): Promise<void> {
    for (const member of this.#members) member.launch();
    await Promise.all(this.#members.map((member) => member.ready()));
  }

  async kill(...which: readonly number[]): Promise<void> {
    await Promise.all(which.map((i) => this.member(i).kill()));
  }

  /** The number of the leading member. */
  async leader(): Promise<number> {
    for (const [i, { endpoint }] of this.#members.entries()) {
      const { header, leader } = await this.#status(endpoint);
      if (header.member_id === leader) return i;
    }
    throw new Error('no member leads');
  }

  /** The highest revision of a running member. */
  async revision(): Promise<number> {
    const said = await Promise.allSettled(this.#members.map(({ endpoint }) => this.#status(endpoint)));
    return Math.max(...said.map((one) => (one.status === 'fulfilled' ? Number(one.value.header.revision) : 0)));
  }

  /**
   * Removes a member whose disk is lost and adds it again with an empty disk. Resolves when it has all data of the
   * other members.
   */
  async replace(index: number): Promise<void> {
    const { name, peerUrl } = this.#places[index]!;
    const listed = await this.control('member', 'list', '--write-out=json');
    const { members } = JSON.parse(listed) as { members: { ID: number; name: string }[] };
    const id = /^([0-9a-f]+), [^,]+, m/m;
    const lines = (await this.control('member', 'list')).split('\n');
    const gone = id.exec(lines.find((line) => line.includes(`, ${name}, `)) ?? '')?.[1];
    if (gone === undefined) throw new Error(`${name} is not among ${members.length} members`);
    await this.control('member', 'remove', gone);
    await this.control('member', 'add', name, `--peer-urls=${peerUrl}`);
    await this.member(index).stop();
    this.#members[index] = await this.#prepare(this.#places[index]!, this.#everyone, 'existing');
    await this.member(index).restart();
    const wanted = await this.revision();
    while (Number((await this.#status(this.member(index).endpoint)).header.revision) < wanted) await sleep(20);
  }

  /** Creates new data for all members from a snapshot, in place of the old data. The members must not run. */
  async restore(snapshot: string): Promise<void> {
    const token = `restored-${++this.#restores}`;
    for (const [i, { name, peerUrl }] of this.#places.entries())
      await this.member(i).remake((directory) =>
        this.control(
          ...['snapshot', 'restore', snapshot, `--data-dir=${directory}`, `--name=${name}`],
          ...[`--initial-cluster=${this.#everyone}`, `--initial-cluster-token=${token}`],
          `--initial-advertise-peer-urls=${peerUrl}`,
        ),
      );
  }

  /** Makes all members start without data. They must not run. */
  async empty(): Promise<void> {
    for (const member of this.#members) await member.remake();
  }

  /** Runs etcdctl against the running members. */
  async control(...args: string[]): Promise<string> {
    const alive = await Promise.all(
      this.#members.map(({ endpoint }) =>
        this.#status(endpoint).then(
          () => endpoint,
          () => '',
        ),
      ),
    );
    const endpoints = alive.filter((one) => one !== '').join(',') || this.member(0).endpoint;
    const { stdout } = await run(ensureTool('etcdctl', 'etcd-client'), args, {
      env: { PATH: process.env['PATH'], HOME: '/', ETCDCTL_API: '3', ETCDCTL_ENDPOINTS: endpoints },
    });
    return stdout;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.stop()));
  }

  get #everyone(): string {
    return this.#places.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(',');
  }

  #prepare(
    { name, clientPort, peerUrl, disk }: Place,
    everyone: string,
    state: 'new' | 'existing',
  ): Promise<EtcdProcess> {
    const { flags = [], tls } = this.#options;
    const peers = [`--listen-peer-urls=${peerUrl}`, `--initial-advertise-peer-urls=${peerUrl}`];
    return EtcdProcess.prepare({
      name,
      clientPort,
      ...(tls && { tls }),
      ...(disk === undefined ? {} : { disk }),
      flags: [...peers, `--initial-cluster=${everyone}`, `--initial-cluster-state=${state}`, ...flags],
    });
  }

  async #status(endpoint: string) {
    const asked = { method: 'POST', body: '{}', signal: AbortSignal.timeout(2000) };
    const response = await fetch(`${endpoint}/v3/maintenance/status`, asked);
    return (await response.json()) as { header: { member_id: string; revision: string }; leader?: string };
  }
}
