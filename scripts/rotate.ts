import path from 'node:path';
import { parseArgs } from 'node:util';
import { Authority, authorityNames } from './authorities.ts';
import { Compose, patiently } from './compose.ts';
import { LOAD_BALANCER, MANAGERS, MEMBERS, REPLICAS, SCHEDULERS } from './compose-services.ts';
import { makeDeploymentPki, readDeployment } from './deployment-pki.ts';
import { loadBalancerUptime, replicasReady } from './load-balancer-status.ts';
import { checkForgotten, checkSigned, checkTrusted, type Place, type Places } from './rotation-checks.ts';

const USAGE = `Replaces an authority of a deployment while it serves:
  make rotate AUTHORITY=ca|etcd-ca|front-ca|signing-ca [FLAGS=…]
In deploy/compose.yaml everything is done and checked, one step after the other; a second call goes on where the first one
stopped. On machines of their own:
  make rotate AUTHORITY=… FLAGS='--folder=FOLDER --step=trust|sign|forget --replica=HOST[:PORT] … --member=HOST[:PORT] …'
  --folder   what make certificates was given as --folder
  --step     trust: the next authority is trusted beside the current one
             sign: the next authority signs everything again
             forget: the former authority is trusted no more
             Each makes files to be brought to the machines, after it has checked that the step before has reached them.
             check: whether the last step has reached them
  --replica, --member   where replicas and members of etcd are asked (ports 6443 and 2379); repeat them`;

/** How long something may take to be ready again, in seconds. */
const PATIENCE = 90;

const steps = ['trust', 'sign', 'forget'] as const;
type Step = (typeof steps)[number];

const { values } = parseArgs({
  options: {
    authority: { type: 'string' },
    folder: { type: 'string' },
    step: { type: 'string' },
    replica: { type: 'string', multiple: true, default: [] },
    member: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const name = authorityNames.find((known) => known === values.authority);
  if (name === undefined) {
    const given = values.authority === undefined ? 'is missing' : `is not ${values.authority}`;
    console.error(`AUTHORITY ${given}: it is one of ${authorityNames.join(', ')}.\n\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  if (values.step === undefined) await rotateCompose(new Compose(), name);
  else await oneStep(path.join(values.folder ?? 'deploy', 'pki'), name, values.step);
}

/** Makes the files of a step. The next call completes a step that was interrupted. */
function make(directory: string, authority: Authority, step: Step): void {
  const { phase } = authority;
  if (step === 'trust' && phase === 'settled') authority.begin();
  if (step === 'sign' && phase === 'trusted') authority.change();
  if (step === 'forget' && phase === 'signed') authority.end();
  makeDeploymentPki(directory, readDeployment(directory));
}

/** Resolves when a step has reached everything. */
async function check(directory: string, authority: Authority, step: Step, places: Places): Promise<void> {
  if (step === 'trust') await checkTrusted(directory, authority, places);
  if (step === 'sign') await checkSigned(directory, authority, places);
  if (step === 'forget') {
    await checkForgotten(directory, authority, places);
    authority.forget();
  }
}

/** One step for deployments on separate machines. */
async function oneStep(directory: string, name: (typeof authorityNames)[number], wanted: string): Promise<void> {
  const authority = new Authority(directory, name);
  const places: Places = {
    replicas: values.replica.map((text) => placeOf(text, 6443)),
    members: values.member.map((text) => placeOf(text, 2379)),
  };
  const asked = name === 'etcd-ca' ? places.members : places.replicas;
  if (asked.length === 0)
    throw new Error(`Name all of them with ${name === 'etcd-ca' ? '--member' : '--replica'}=HOST.`);
  const last: Step | undefined = { settled: 'forget', trusted: 'trust', signed: 'sign' }[authority.phase] as Step;
  if (wanted === 'check') {
    await check(directory, authority, last, places);
    console.log(`The step ${last} of ${name} has reached everything that was asked.`);
    return;
  }
  const step = steps.find((known) => known === wanted);
  if (step === undefined) throw new Error(`--step must be one of ${steps.join(', ')} or check, not ${wanted}.`);
  const before = { trust: 'forget', sign: 'trust', forget: 'sign' }[step];
  if (before !== last) throw new Error(`The last step of ${name} was ${last}; the next one is ${following(last)}.`);
  if (step !== 'trust') await check(directory, authority, last, places);
  make(directory, authority, step);
  console.log(`Bring the folders in ${directory} to their machines, then: ${APPLY[name][step]}`);
}

function following(step: Step): Step {
  return steps[(steps.indexOf(step) + 1) % steps.length]!;
}

/** The manual work after a step, without compose. */
const APPLY: Readonly<Record<(typeof authorityNames)[number], Readonly<Record<Step, string>>>> = {
  ca: {
    trust:
      'systemctl reload haproxy on each load balancer and restart the controller managers; replicas take it up within seconds.',
    sign: 'restart the controller managers; replicas take it up within seconds. Give people their new connection files.',
    forget:
      'systemctl reload haproxy on each load balancer and restart the controller managers; replicas take it up within seconds.',
  },
  'etcd-ca': {
    trust: 'restart the members of etcd one by one; replicas take it up with the next connection.',
    sign: 'nothing; members and replicas take it up with the next connection.',
    forget: 'restart the members of etcd one by one; replicas take it up with the next connection.',
  },
  'front-ca': {
    trust: 'nothing; replicas take it up within seconds.',
    sign: 'make the certificates of front proxies with the new authority.',
    forget: 'nothing; replicas take it up within seconds.',
  },
  'signing-ca': {
    trust: 'nothing; replicas take it up within seconds.',
    sign: 'nothing; controller managers take it up with the next request. Have nodes and users ask for new certificates.',
    forget: 'nothing; replicas take it up within seconds.',
  },
};

function placeOf(text: string, port: number): Place {
  const [, host = text, given] = /^(.*?)(?::(\d+))?$/.exec(text) ?? [];
  return { name: text, host, port: given === undefined ? port : Number(given) };
}

/** All steps that are left, in the deployment of compose.yaml. */
async function rotateCompose(compose: Compose, name: (typeof authorityNames)[number]): Promise<void> {
  const directory = path.join(compose.state, 'pki');
  const authority = new Authority(directory, name);
  const left = { settled: steps, trusted: steps, signed: steps.slice(1) }[authority.phase];
  for (const step of left) {
    make(directory, authority, step);
    if (name === 'etcd-ca' && step !== 'sign') for (const member of MEMBERS) await restartMember(compose, member);
    if (name === 'ca' && step !== 'sign') await reloadLoadBalancer(compose);
    await check(directory, authority, step, placesOf(compose));
    // Their connection file contains the authority and their certificate. Restarts one after the other, so that another
    // instance works in the meantime.
    if (name === 'ca') for (const service of [...MANAGERS, ...SCHEDULERS]) await restartOne(compose, service);
    console.log(`${name}: ${DONE[step]}`);
  }
}

const DONE: Readonly<Record<Step, string>> = {
  trust: 'the next authority is trusted everywhere.',
  sign: 'everything is signed by it.',
  forget: 'the former authority is trusted by nothing any more.',
};

function placesOf(compose: Compose): Places {
  const place = (port: number) => (name: string) => ({ name, host: compose.address(name), port });
  return { replicas: REPLICAS.map(place(6443)), members: MEMBERS.map(place(2379)) };
}

/** Restarts a member and waits until it has rejoined: the other two continue to work. */
async function restartMember(compose: Compose, member: string): Promise<void> {
  compose.docker('restart', member, '--time=30');
  await patiently(`${member} is healthy`, PATIENCE, () => compose.serves(member));
}

/** Restarts a controller manager, if there is one, and waits until it is ready to act. */
async function restartOne(compose: Compose, service: string): Promise<void> {
  if (compose.container(service) === '') return;
  compose.docker('restart', service, '--time=20');
  await compose.healthy([service], PATIENCE);
}

/** Makes HAProxy start a new worker with the current files; connections of the old worker stay. */
async function reloadLoadBalancer(compose: Compose): Promise<void> {
  const before = await loadBalancerUptime(compose);
  compose.docker('kill', LOAD_BALANCER, '--signal=SIGUSR2');
  await patiently('the load balancer is reloaded', PATIENCE, async () => (await loadBalancerUptime(compose)) < before);
  await replicasReady(compose, REPLICAS.length);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
