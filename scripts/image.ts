import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ensureTool } from './ensure-tool.ts';
import { makeLocalImage, replaceImage } from './local-image.ts';
import { stageDev } from './pack-dev.ts';

const root = path.resolve(import.meta.dirname, '..');

/** The content and the name of an image. */
export interface ImageOptions {
  /** The Docker daemon; by default the usual one. */
  readonly host?: string;
  readonly name: string;
  /** The base image; by default that of its Dockerfile. */
  readonly base?: string;
}

/** Built files that are not part of the server: source maps, cached code, and packages for others. */
const LEFT_OUT = /(\.map|\/\.compile-cache|\/dist\/(release|client|test-cluster|orch-dev|orchctl)|\.tgz)$/;

/**
 * Copies the parts of the built server into a folder: its code, which includes its packages and the descriptors of
 * kinds.
 */
function stage(folder: string): void {
  if (!existsSync(path.join(root, 'dist/server/main.js'))) throw new Error('dist/ is missing: run make build first.');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'LICENSE', 'dist'])
    cpSync(path.join(root, name), path.join(folder, name), {
      recursive: true,
      filter: (source) => !LEFT_OUT.test(source),
    });
}

/** Builds deploy/Dockerfile and returns the image's name. Needs `make build` to have been done. */
export function buildApiServerImage(options: ImageOptions): string {
  const context = path.join(root, '.run/image');
  stage(context);
  return buildImage('deploy/Dockerfile', context, options);
}

/**
 * Builds deploy/dev.Dockerfile, a cluster in one process; resolves with the image's name. Needs `make build` to have
 * been done.
 *
 * @throws Error with what Docker says
 */
export async function buildDevImage(options: ImageOptions): Promise<string> {
  const context = path.join(root, '.run/dev-image');
  await stageDev(root, context);
  return buildImage('deploy/dev.Dockerfile', context, options);
}

function buildImage(dockerfile: string, context: string, { host, name, base }: ImageOptions): string {
  const docker = ensureTool('docker', 'docker.io');
  const daemon = host === undefined ? [] : ['-H', host];
  const args = [...daemon, 'build', '-q', '-t', name, '-f', path.join(root, dockerfile)];
  if (base !== undefined) args.push('--build-arg', `BASE_IMAGE=${base}`);
  return replaceImage(host, name, () => {
    // Not every machine has the newer builder.
    for (const env of [process.env, { ...process.env, DOCKER_BUILDKIT: '0' }]) {
      const { status, stderr } = spawnSync(docker, [...args, context], { env, encoding: 'utf8' });
      if (status === 0) return;
      if (env !== process.env) throw new Error(`The image could not be built: ${stderr}`);
    }
  });
}

/** A base image of this machine's Node, without a registry. Returns its name. */
export function buildNodeImage(host: string): string {
  return makeLocalImage(host, {
    name: 'node-e2e:local',
    programs: { 'usr/local/bin/node': process.execPath },
    instructions: ['ENV PATH=/usr/local/bin'],
  });
}

if (import.meta.main) {
  try {
    const base = process.env['BASE_IMAGE'];
    const on = base ? { base } : {};
    console.log(buildApiServerImage({ name: process.env['IMAGE'] ?? 'orch-apiserver:local', ...on }));
    console.log(await buildDevImage({ name: process.env['DEV_IMAGE'] ?? 'orch-dev:local', ...on }));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
