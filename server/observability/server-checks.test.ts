import assert from 'node:assert/strict';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { defaultRelease, type ReleaseName, releaseOf } from '#base/release/release.ts';
import type { HealthPath } from './health-check.ts';
import { type CheckedServer, serverChecks } from './server-checks.ts';
import { StartHooks, type StartPart } from './start-hooks.ts';

const PATHS: readonly HealthPath[] = ['healthz', 'livez', 'readyz'];

/** Names of the failing checks of each path. */
async function failing(server: Partial<CheckedServer>, later = (): void => {}): Promise<Record<string, string[]>> {
  const checks = serverChecks({
    store: { full: false, health: async () => undefined },
    cache: { ready: true, unconfirmedMs: 0 },
    draining: () => false,
    hooks: hooks(true),
    graceMs: 0,
    storeTimeoutMs: { health: 50, readiness: 50 },
    stalls: { within: () => 0 },
    ...server,
  });
  later();
  const result: Record<string, string[]> = {};
  for (const path of PATHS) {
    result[path] = [];
    for (const check of checks)
      if (check.paths.includes(path) && (await check.check(path)) !== undefined) result[path].push(check.name);
  }
  return result;
}

const ETCD = { healthz: ['etcd'], livez: ['etcd'], readyz: ['etcd', 'etcd-readiness'] };
const HOOK = 'poststarthook/rbac/bootstrap-roles';

/** Hooks for which everything is done, except perhaps the policy. */
function hooks(policy: boolean): StartHooks {
  const all = new StartHooks(createNaming('orch'), defaultRelease);
  for (const { part } of all.all) if (policy || part !== 'policy') all.complete(part);
  return all;
}

describe('health checks of a server', () => {
  const cases: readonly [what: string, server: Partial<CheckedServer>, failing: Record<string, string[]>][] = [
    ['pass if everything works', {}, { healthz: [], livez: [], readyz: [] }],
    [
      'fail if etcd returns an error',
      { store: { full: false, health: () => Promise.reject(new Error('down')) } },
      ETCD,
    ],
    ['fail if etcd does not answer', { store: { full: false, health: () => new Promise(() => {}) } }, ETCD],
    [
      'fail for readiness while the cache is filled',
      { cache: { ready: false, unconfirmedMs: 0 } },
      { healthz: [], livez: [], readyz: ['informer-sync'] },
    ],
    [
      'fail for readiness if the cache is not confirmed',
      { cache: { ready: true, unconfirmedMs: 60_000 } },
      { healthz: [], livez: [], readyz: ['informer-sync'] },
    ],
    [
      'fail for readiness while the server shuts down',
      { draining: () => true },
      { healthz: [], livez: [], readyz: ['shutdown'] },
    ],
    [
      'fail if a start hook has not finished',
      { hooks: hooks(false) },
      { healthz: [HOOK], livez: [HOOK], readyz: [HOOK] },
    ],
  ];
  for (const [what, server, expected] of cases) {
    it(what, async () => assert.deepEqual(await failing(server), expected));
  }

  it('do not count the time for which the event loop was blocked', async () => {
    const stoodStill = { within: (ms: number) => Math.min(ms, 8_000) };
    const confirmed = { ready: true, unconfirmedMs: 17_000 };
    assert.deepEqual((await failing({ cache: confirmed, stalls: stoodStill })).readyz, []);
    assert.deepEqual((await failing({ cache: confirmed })).readyz, ['informer-sync']);
    const never = { ready: true, unconfirmedMs: Number.POSITIVE_INFINITY };
    assert.deepEqual((await failing({ cache: never, stalls: stoodStill })).readyz, ['informer-sync']);
    let asked = 0;
    const store = {
      full: false,
      health: async () => {
        // Its deadline passed while nothing could be read.
        if (++asked % 2 === 1) throw new Error('no answer within 50 ms');
      },
    };
    const standing = { within: (ms: number) => ms + 200 };
    assert.deepEqual(await failing({ store, stalls: standing }), { healthz: [], livez: [], readyz: [] });
    const gone = { full: false, health: () => Promise.reject(new Error('refused')) };
    assert.deepEqual(await failing({ store: gone, stalls: standing }), ETCD);
  });

  it('wait for an answer that arrived while the event loop was blocked', async () => {
    const stall = (ms: number) => {
      for (const end = performance.now() + ms; performance.now() < end; );
    };
    const health = async () => {
      for (let i = 0; i < 2; i++) {
        await new Promise((resolve) => setImmediate(resolve));
        stall(150);
      }
    };
    const storeTimeoutMs = { health: 100, readiness: 100 };
    assert.deepEqual(await failing({ store: { full: false, health }, storeTimeoutMs }), {
      healthz: [],
      livez: [],
      readyz: [],
    });
  });

  it('pass if the store is full, and report that it is full', async () => {
    const full = { full: true, health: async () => undefined };
    assert.deepEqual(await failing({ store: full }), { healthz: [], livez: [], readyz: [] });
  });

  it('allow start hooks a grace period, for /livez only', async () => {
    let now = 1_000_000;
    const server = { hooks: hooks(false), graceMs: 5_000, now: () => now };
    const early = await failing(server, () => (now += 4_999));
    assert.deepEqual(early, { healthz: [HOOK], livez: [], readyz: [HOOK] });
    const late = await failing(server, () => (now += 5_000));
    assert.deepEqual(late, { healthz: [HOOK], livez: [HOOK], readyz: [HOOK] });
  });

  it('use a separate timeout for readiness', async () => {
    const asked: number[] = [];
    const store = { full: false, health: async (timeoutMs: number) => asked.push(timeoutMs) };
    await failing({ store, storeTimeoutMs: { health: 1_000, readiness: 2_000 } });
    assert.deepEqual(asked, [1_000, 1_000, 1_000, 2_000]);
  });

  it('ask etcd once for simultaneous requests', async () => {
    let asked = 0;
    const checks = serverChecks({
      store: { full: false, health: async () => void asked++ },
      cache: { ready: true, unconfirmedMs: 0 },
      draining: () => false,
      hooks: hooks(true),
      graceMs: 0,
      storeTimeoutMs: { health: 50, readiness: 50 },
    });
    const ask = () => checks.find(({ name }) => name === 'etcd')!.check('livez');
    for (const round of [1, 2]) {
      assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [undefined, undefined, undefined]);
      assert.equal(asked, round);
    }
  });
});

describe('checks of start hooks', () => {
  for (const profile of namingProfiles) {
    it(`are named with the prefix of ${profile}`, () => {
      const naming = createNaming(profile);
      const names = new StartHooks(naming, defaultRelease).all.map(({ name }) => name);
      assert.ok(names.includes(`poststarthook/${naming.prefixed('apiserver-autoregistration')}`), String(names));
    });
  }

  const later: readonly (readonly [release: ReleaseName, names: readonly string[]])[] = [
    ['1.25', ['apiservice-status-available-controller']],
    ['1.26', ['apiservice-status-available-controller', 'apiservice-discovery-controller']],
    [
      '1.33',
      [
        'start-system-namespaces-controller',
        'start-orch-service-cidr-controller',
        'start-service-ip-repair-controllers',
        'apiservice-status-local-available-controller',
        'apiservice-status-remote-available-controller',
        'apiservice-discovery-controller',
      ],
    ],
  ];
  for (const [release, names] of later)
    it(`are those of release ${release}`, () => {
      const shown = new StartHooks(createNaming('orch'), releaseOf(release)).all
        .map(({ name }) => name.replace('poststarthook/', ''))
        .filter((name) => /^(start-s|start-orch-service|apiservice-(status|discovery))/.test(name));
      assert.deepEqual(shown, names);
    });

  it('name the active request filter, and always the priority levels', () => {
    const shown = (without: StartPart) =>
      new StartHooks(createNaming('orch'), defaultRelease, [without]).all
        .map(({ name }) => name.replace('poststarthook/', ''))
        .filter((name) => /^(priority-and-fairness|max-in-flight)/.test(name));
    assert.deepEqual(shown('in-flight'), [
      'priority-and-fairness-config-consumer',
      'priority-and-fairness-filter',
      'priority-and-fairness-config-producer',
    ]);
    assert.deepEqual(shown('flow-control'), ['max-in-flight-filter', 'priority-and-fairness-config-producer']);
  });
});
