import { ensureDocker } from './docker.ts';
import { buildEtcdImage } from './etcd-image.ts';
import { buildHaproxyImage } from './haproxy-image.ts';
import { buildApiServerImage, buildNodeImage } from './image.ts';

// `make images-offline` creates all images of deploy/compose.yaml from this machine's programs, without a registry. If
// no daemon runs, it starts one for this purpose. The images are then in .run/docker, where `make e2e` finds them.

try {
  const docker = await ensureDocker('.run/docker');
  try {
    const images = {
      ETCD_IMAGE: buildEtcdImage(docker.host),
      HAPROXY_IMAGE: buildHaproxyImage(docker.host),
      APISERVER_IMAGE: buildApiServerImage({
        host: docker.host,
        name: process.env['IMAGE'] ?? 'orch-apiserver:local',
        base: buildNodeImage(docker.host),
      }),
    };
    console.log('The images are made. These lines of deploy/.env have compose take them:');
    for (const [name, image] of Object.entries(images)) console.log(`${name}=${image}`);
  } finally {
    await docker.stop();
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
