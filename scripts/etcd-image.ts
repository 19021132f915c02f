import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { ensureTool } from './ensure-tool.ts';
import { findEtcd } from './find-etcd.ts';
import { makeLocalImage } from './local-image.ts';

/**
 * Makes a container image of this machine's etcd and etcdctl, without a registry.
 * @param host the Docker daemon
 * @returns the image's name
 */
export function buildEtcdImage(host: string): string {
  const etcd = realpathSync(findEtcd());
  const beside = path.join(path.dirname(etcd), 'etcdctl');
  return makeLocalImage(host, {
    name: 'etcd-e2e:local',
    programs: {
      'usr/local/bin/etcd': etcd,
      'usr/local/bin/etcdctl': existsSync(beside) ? beside : ensureTool('etcdctl', 'etcd-client'),
    },
    instructions: ['ENV PATH=/usr/local/bin', 'ENTRYPOINT ["/usr/local/bin/etcd"]'],
  });
}
