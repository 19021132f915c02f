import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { tries } from '#scripts/tries.ts';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica } from '#server/testing/replica.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const CHANGES = tries(10_000);
const WRITERS = 16;
/** The number of restarts of replicas or etcd. Each of the three restarts at least once. */
const FAULTS = 4;

/**
 * A reflector in the form of client libraries. It lists, watches from there, resumes from the last version, and lists
 * again after 410.
 */
class Reflector {
  readonly store = new Map<string, string>();
  /** The versions and objects of all events, in the order of their arrival. */
  readonly versions: number[] = [];
  relists = 0;
  #version = '';
  #stopped = false;

  async run(replica: () => TestReplica): Promise<void> {
    while (!this.#stopped) {
      try {
        if (this.#version === '') await this.#list(replica());
        await this.#watch(replica());
      } catch {
        await sleep(20);
      }
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  async #list(replica: TestReplica): Promise<void> {
    const { status, json } = await replica.call('GET', MAPS);
    if (status !== 200) throw new Error(`list: ${status}`);
    this.relists++;
    this.store.clear();
    for (const item of json.items) this.store.set(item.metadata.name, item.metadata.resourceVersion);
    this.#version = json.metadata.resourceVersion;
  }

  async #watch(replica: TestReplica): Promise<void> {
    const target = `${MAPS}?watch=1&allowWatchBookmarks=true&timeoutSeconds=5&resourceVersion=${this.#version}`;
    const watch = await replica.watch(target, ({ type, object }) => {
      if (type === 'ERROR') {
        this.#version = '';
        return;
      }
      this.#version = object.metadata.resourceVersion;
      if (type === 'BOOKMARK') return;
      this.versions.push(Number(this.#version));
      if (type === 'DELETED') this.store.delete(object.metadata.name);
      else this.store.set(object.metadata.name, this.#version);
    });
    while (!this.#stopped && (await Promise.race([watch.ended.then(() => false), sleep(50, true)]))) {
      // The stream continues.
    }
    watch.close();
  }
}

describe('a reflector', function () {
  this.timeout(180_000);

  it(`misses and repeats no event in ${CHANGES} changes while replicas and etcd restart`, async () => {
    const etcd = await startBootstrappedEtcd();
    const replicas = [await startReplica(etcd.endpoint), await startReplica(etcd.endpoint)];
    const reflector = new Reflector();
    let turn = 0;
    const running = reflector.run(() => replicas[turn++ % 2]!);
    for (let n = 0; n < 100 && reflector.relists === 0; n++) await sleep(50);

    const written: number[] = [];
    let done = 0;
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; done < CHANGES; n++) {
        const name = `w${writer}-${n % 20}`;
        const replica = replicas[n % 2]!;
        try {
          const body = { metadata: { name }, data: { n: String(n) } };
          let answer = await replica.call('PUT', `${MAPS}/${name}`, { body });
          if (answer.status === 404) answer = await replica.call('POST', MAPS, { body });
          if (answer.status > 201) {
            await sleep(20);
            continue;
          }
          written.push(Number(answer.json.metadata.resourceVersion));
          done++;
        } catch {
          await sleep(20);
        }
      }
    };
    const writers = Promise.all(Array.from({ length: WRITERS }, (_, n) => write(n)));
    const faults = (async () => {
      for (let round = 0; round < FAULTS; round++) {
        while (done < (CHANGES * (round + 1)) / (FAULTS + 1)) await sleep(5);
        if (round % 3 === 2) {
          await etcd.kill();
          await sleep(300);
          await etcd.restart();
        } else {
          const victim = round % 2;
          const stopped = replicas[victim]!;
          replicas[victim] = await startReplica(etcd.endpoint);
          await stopped.stop();
        }
      }
    })();
    await Promise.all([writers, faults]);

    const last = Math.max(...written);
    for (let n = 0; n < 200 && (reflector.versions.at(-1) ?? 0) < last; n++) await sleep(50);
    reflector.stop();
    await running;

    assert.equal(reflector.relists, 1, 'it never had to list again');
    const sorted = [...reflector.versions].sort((x, y) => x - y);
    assert.deepEqual(reflector.versions, sorted, 'events come in order');
    assert.equal(new Set(reflector.versions).size, reflector.versions.length, 'no event comes twice');
    const seen = new Set(reflector.versions);
    assert.deepEqual(
      written.filter((version) => !seen.has(version)),
      [],
      'every acknowledged change was seen',
    );

    const { json } = await replicas[0]!.call('GET', MAPS);
    const listed = new Map(
      json.items.map((item: { metadata: { name: string; resourceVersion: string } }) => [
        item.metadata.name,
        item.metadata.resourceVersion,
      ]),
    );
    for (const [name, version] of listed) assert.equal(reflector.store.get(name as string), version);

    await Promise.all(replicas.map((replica) => replica.stop()));
    await etcd.stop();
  });
});
