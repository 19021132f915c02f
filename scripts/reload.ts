import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Compose, patiently } from './compose.ts';
import { LOAD_BALANCER, MANAGERS, MEMBERS, REPLICAS, SCHEDULERS } from './compose-services.ts';
import { followSettings } from './deployment-pki.ts';
import { replicasReady } from './load-balancer-status.ts';

const USAGE = `Brings settings of deploy/.env, deploy/compose.override.yaml and new images to the containers that run:
  make reload
One container at a time is made again, and only where something has changed for it. The next one waits until the last one
is ready and has its connections. Where a container does not get ready, the others stay as they are.
  --restart  make all containers of replicas and controller managers again, as after a change of a file that they read`;

const OTHERS = ['prometheus', 'grafana'];

/** How long a container may take to be ready, in seconds. */
const PATIENCE = 120;

const { values } = parseArgs({
  options: { restart: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});

async function main(): Promise<void> {
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const compose = new Compose();
  const pki = path.join(compose.state, 'pki');
  if (!existsSync(pki)) throw new Error(`${pki} is missing: run make certificates first.`);
  const wrote = followSettings(pki, compose.setting('PORT'));
  if (wrote.length > 0) console.log(`Wrote ${wrote.join(', ')}.`);
  const running = compose.services();
  if (running.size === 0) throw new Error('Nothing runs here: docker compose up -d in deploy/ starts everything.');
  let changed = 0;
  for (const service of [...MEMBERS, ...REPLICAS, LOAD_BALANCER, ...MANAGERS, ...SCHEDULERS, ...OTHERS]) {
    if (!running.has(service)) continue;
    const again =
      values.restart && [...REPLICAS, ...MANAGERS, ...SCHEDULERS].includes(service) ? ['--force-recreate'] : [];
    compose.run('up', '-d', '--no-deps', ...again, service);
    if (compose.container(service) === running.get(service)) continue;
    changed += 1;
    await isReady(compose, service);
    console.log(`${service} runs with the new settings.`);
  }
  console.log(changed === 0 ? 'Everything runs with these settings already.' : 'Everything runs with these settings.');
}

/** Resolves when a container does its work, so that the next one may be stopped. */
async function isReady(compose: Compose, service: string): Promise<void> {
  if (OTHERS.includes(service)) return;
  if ([...MANAGERS, ...SCHEDULERS].includes(service)) return compose.healthy([service], PATIENCE);
  if (service !== LOAD_BALANCER) await patiently(`${service} is ready`, PATIENCE, () => compose.serves(service));
  if (!MEMBERS.includes(service)) await replicasReady(compose, REPLICAS.length);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
