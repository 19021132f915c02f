import { ensureTool } from './ensure-tool.ts';
import { makeLocalImage } from './local-image.ts';

/** Makes a container image of this machine's HAProxy, started as the official one is. Returns its name. */
export function buildHaproxyImage(host: string): string {
  return makeLocalImage(host, {
    name: 'haproxy-e2e:local',
    programs: {
      'usr/local/sbin/haproxy': ensureTool('haproxy', 'haproxy'),
      'bin/bash': ensureTool('bash', 'bash'),
    },
    instructions: [
      'ENV PATH=/usr/local/sbin:/bin',
      'ENTRYPOINT ["haproxy"]',
      'CMD ["-f", "/usr/local/etc/haproxy/haproxy.cfg"]',
    ],
  });
}
