import path from 'node:path';
import { ensureDocker } from './docker.ts';
import { e2eStages } from './e2e-stages.ts';
import { buildEtcdImage } from './etcd-image.ts';
import { findEtcd } from './find-etcd.ts';
import { runTests } from './run-tests.ts';

// `make e2e`: the tests of whole systems, with etcd in containers. Arguments go to mocha; files among them are tested
// instead of all. A test that depends on how busy the machine is may fail once; the reporter names it.

const docker = await ensureDocker('.run/docker');
try {
  const image = process.env['E2E_ETCD_IMAGE'] ?? buildEtcdImage(docker.host);
  const common = [
    '--no-config',
    '--exit',
    '--timeout=180000',
    '--retries=1',
    `--reporter=${path.resolve('scripts/second-tries.ts')}`,
  ];
  const given = process.argv.slice(2);
  const stages = given.some((one) => one.endsWith('.ts')) ? [[[]]] : e2eStages();
  const env = {
    ...process.env,
    DOCKER_HOST: docker.host,
    E2E_ETCD_IMAGE: image,
    ETCD: findEtcd(),
    THOROUGH: '1',
    // The helper that removes containers of killed runs would have to come from a registry.
    TESTCONTAINERS_RYUK_DISABLED: 'true',
  };
  const runs = stages.map((stage) => stage.map((files) => [...common, ...given, ...files]));
  process.exitCode = await runTests(runs, env, common);
} finally {
  await docker.stop();
}
