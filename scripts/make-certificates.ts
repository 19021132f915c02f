import { chownSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { settingOf } from './compose.ts';
import { LOAD_BALANCER, MEMBERS, REPLICAS } from './compose-services.ts';
import { makeDeploymentPki, portOf, writeComposeSettings } from './deployment-pki.ts';

const USAGE = `Makes the certificates and keys of a deployment, and renews those that end soon:
  make certificates [FLAGS='--folder=deploy --naming=orch --url=https://127.0.0.1:6443 --member=etcd1 ...
       --server-name=lb.example ... --owner=65532:65532']
  --folder       where pki/, data/ (for the members of etcd), log/ (for audit) and .env (for compose) go
  --member       name or address of a member of etcd; repeat it; by default those of compose.yaml
  --server-name  name or address that clients use for the replicas or the load balancer; repeat it
  --url          what connection files lead to; by default 127.0.0.1 with the PORT of .env, or 6443
  --owner        who the services run as; by default 65532:65532 when you are root, else you`;

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: 'deploy' },
    naming: { type: 'string', default: 'orch' },
    url: { type: 'string' },
    member: { type: 'string', multiple: true, default: [...MEMBERS] },
    'server-name': { type: 'string', multiple: true, default: [] },
    owner: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** The containers of compose.yaml, and the first address of the range that it gives to services. */
const COMPOSE_NAMES = [...REPLICAS, LOAD_BALANCER, '10.0.0.1'];

function readOwner(text: string | undefined): { uid: number; gid: number } | undefined {
  if (text === undefined) return process.getuid?.() === 0 ? { uid: 65532, gid: 65532 } : undefined;
  const [, uid, gid] = /^(\d+):(\d+)$/.exec(text) ?? [];
  if (uid === undefined) throw new Error(`--owner must be two numbers like 65532:65532, not ${JSON.stringify(text)}`);
  return { uid: Number(uid), gid: Number(gid) };
}

function main(): void {
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const profile = namingProfiles.find((known) => known === values.naming);
  if (profile === undefined) throw new Error(`--naming must be one of ${namingProfiles.join(', ')}`);
  const settings = path.join(values.folder, '.env');
  const deployment = {
    naming: createNaming(profile),
    members: values.member,
    serverNames: [...COMPOSE_NAMES, ...values['server-name']],
    url: values.url ?? portOf('https://127.0.0.1:6443', settingOf(settings, 'PORT')),
    owner: readOwner(values.owner),
  };
  const pki = path.join(values.folder, 'pki');
  const { certificates, files } = makeDeploymentPki(pki, deployment);
  const changed = [...certificates, ...files];
  const logs = COMPOSE_NAMES.filter((name) => name.startsWith('apiserver')).map((name) => path.join('log', name));
  for (const name of [...values.member.map((member) => path.join('data', member)), ...logs]) {
    const folder = path.join(values.folder, name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (deployment.owner !== undefined) chownSync(folder, deployment.owner.uid, deployment.owner.gid);
  }
  if (writeComposeSettings(settings, deployment)) changed.push('../.env');
  console.log(
    changed.length === 0 ? 'Everything is there and valid.' : `Made or changed ${changed.join(', ')} in ${pki}/.`,
  );
}

try {
  main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
