import type { Naming } from '#base/naming/naming.ts';
import { randomSuffix } from '#base/text/random-suffix.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { CommandError, throwAll } from '../../framework/errors.ts';
import { type Found, found } from '../../resources/found.ts';
import { select } from '../../resources/selection.ts';
import type { Described, Generator } from './generator.ts';

/**
 * The container name for an image: the last part of the path, without tag and digest. A name that had to be changed
 * ends with random letters, because another image may have the same changed name.
 */
function containerName(image: string): string {
  const [last = ''] = image.split('/').at(-1)!.split(/[:@]/);
  return /[_.]/.test(last) ? `${last.replaceAll(/[_.]/g, '-')}-${randomSuffix()}` : last;
}

const imageFlag = { name: 'image', type: 'string', help: 'Image of the container' } as const;

const NO_TIME = { creationTimestamp: null };

export const deployment: Generator = {
  ...{ name: 'deployment', aliases: ['deploy'], short: 'Create a deployment with the specified name' },
  usage: '--image=image',
  examples:
    '# A deployment with three replicas\n{} create deployment web --image=nginx --replicas=3\n\n# A deployment whose container runs another command\n{} create deployment job --image=busybox -- date',
  flags: [
    { name: 'image', type: 'strings', help: 'Images, one for each container' },
    {
      name: 'port',
      type: 'int',
      bits: 32,
      default: -1,
      help: 'Port that the first container listens on; a negative value sets none',
    },
    { name: 'replicas', short: 'r', type: 'int', bits: 32, default: 1, help: 'Number of replicas' },
  ],
  required: ['image'],
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', namespaced: true, takesCommand: true },
  failure: 'failed to create deployment:',
  describe: (name, { flags }, command) => {
    const images = flags.list('image');
    if (images.length > 1 && command.length > 0)
      throw new CommandError('cannot specify multiple --image options and command');
    const port = flags.int('port');
    const labels = { app: name };
    const containers = images.map((image, n) => ({
      ...{ image, name: containerName(image), resources: {} },
      ...(command.length === 0 ? {} : { command }),
      ...(n === 0 && port >= 0 ? { ports: [{ containerPort: port }] } : {}),
    }));
    return {
      metadata: { labels },
      spec: {
        replicas: flags.int('replicas'),
        selector: { matchLabels: labels },
        strategy: {},
        template: { metadata: { ...NO_TIME, labels }, spec: { containers } },
      },
      status: {},
    };
  },
};

function podOf(name: string, image: string, command: readonly string[], restartPolicy: string): object {
  const own = command.length === 0 ? {} : { command };
  return {
    metadata: NO_TIME,
    spec: { containers: [{ ...own, image, name, resources: {} }], restartPolicy },
  };
}

export const job: Generator = {
  ...{ name: 'job', short: 'Create a job with the specified name' },
  usage: '--image=image [--from=cronjob/name]',
  examples:
    '# A job that runs a container once\n{} create job once --image=busybox -- date\n\n# Run the job of a cron job now\n{} create job now --from=cronjob/nightly',
  flags: [{ name: 'from', type: 'string', help: 'Cron job whose job template to use: cronjob/NAME' }, imageFlag],
  ...{ apiVersion: 'batch/v1', kind: 'Job', namespaced: true, takesCommand: true },
  failure: 'failed to create job:',
  async describe(name, { flags, session }, command) {
    const [from, image] = [flags.text('from'), flags.text('image')];
    if (from === '' && image === '') throw new CommandError('either --image or --from must be specified');
    if (from !== '' && image !== '') throw new CommandError('either --image or --from must be specified');
    if (from !== '' && command.length > 0) throw new CommandError('cannot specify --from and command');
    if (from === '') return { spec: { template: podOf(name, image, command, 'Never') }, status: {} };
    const selection = await select(session, flags.without(['filename', 'kustomize', 'selector']), { args: [from] });
    const errors: unknown[] = [...selection.errors];
    const sources: Found[] = [];
    for await (const one of found(session, selection, (error) => errors.push(error))) sources.push(one);
    throwAll(errors);
    const [source] = sources;
    if (source === undefined || sources.length > 1) throw new CommandError('from must be an existing cronjob');
    const { kind, version } = source.type;
    if (kind !== 'CronJob') throw new CommandError(`unknown object type *${version}.${kind}`);
    return fromCronJob(source.object, await session.naming());
  },
};

interface CronJobSpec {
  readonly jobTemplate: { readonly metadata?: ApiObject['metadata']; readonly spec: unknown };
}

function fromCronJob(source: ApiObject, naming: Naming): Described {
  const { jobTemplate } = source['spec'] as CronJobSpec;
  const { annotations, labels } = jobTemplate.metadata ?? {};
  const owner = { apiVersion: source.apiVersion, controller: true, kind: 'CronJob' };
  return {
    metadata: {
      annotations: { ...annotations, [naming.key('cronjob/instantiate')]: 'manual' },
      ...(labels === undefined ? {} : { labels }),
      ownerReferences: [{ ...owner, name: source.metadata.name, uid: source.metadata.uid }],
    } as unknown as ApiObject['metadata'],
    spec: jobTemplate.spec,
    status: {},
  };
}

export const cronJob: Generator = {
  ...{ name: 'cronjob', aliases: ['cj'], short: 'Create a cron job with the specified name' },
  usage: "--image=image --schedule='0/5 * * * ?'",
  examples:
    "# A cron job that runs each night at two o'clock\n{} create cronjob nightly --image=busybox --schedule='0 2 * * *' -- date",
  flags: [
    imageFlag,
    { name: 'restart', type: 'string', help: 'Restart policy of the pods: OnFailure or Never' },
    { name: 'schedule', type: 'string', help: "Schedule of the jobs in cron format, such as '0 3 * * *'" },
  ],
  required: ['image', 'schedule'],
  ...{ apiVersion: 'batch/v1', kind: 'CronJob', namespaced: true, takesCommand: true },
  failure: 'failed to create cronjob:',
  describe: (name, { flags }, command) => {
    const template = podOf(name, flags.text('image'), command, flags.text('restart') || 'OnFailure');
    return {
      spec: {
        jobTemplate: { metadata: { ...NO_TIME, name }, spec: { template } },
        schedule: flags.text('schedule'),
      },
      status: {},
    };
  },
};
