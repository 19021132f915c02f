import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Command, Invocation } from '../../command-line/command.ts';
import { CommandError, throwAll, together } from '../../framework/errors.ts';
import { fieldManagerFlag, fileFlags } from '../../resources/flags.ts';
import { type Found, found } from '../../resources/found.ts';
import { select } from '../../resources/selection.ts';
import { asTyped, declaredKind } from '../../typed/typed-object.ts';
import { recorded, recordFlag } from '../../write/change-cause.ts';
import { dryRunOf } from '../../write/dry-run.ts';
import { lastApplied, typedConfigurationOf } from '../../write/last-applied.ts';
import { overriddenObject, overrideFlags } from '../../write/overrides.ts';
import { reporter } from '../../write/report.ts';
import { writeOptions } from '../../write/write-options.ts';
import { createFlags } from '../create/generator.ts';
import { serviceFor } from './service.ts';

const text = (name: string, help: string) => ({ name, type: 'string', help }) as const;

export const expose: Command = {
  name: 'expose',
  short: 'Take a replication controller, service, deployment or pod and expose it as a new service',
  long: 'Creates a service for the pods of a deployment, replica set, replication controller or service, or for one pod. The object provides what flags do not set: its selector chooses the pods, its containers the ports.',
  examples: [
    '# Forward port 80 of a service to port 8080 of the pods of a deployment',
    '{} expose deployment web --port=80 --target-port=8080',
    '',
    '# A service with another name for the labels of a pod',
    '{} expose pod web --port=444 --name=frontend',
  ].join('\n'),
  usage:
    '(-f FILENAME | TYPE NAME) [--port=port] [--protocol=TCP|UDP|SCTP] [--target-port=number-or-name] [--name=name] [--external-ip=external-ip-of-service] [--type=type]',
  flags: [
    text('cluster-ip', 'Cluster IP of the service, or None; by default the server chooses an address'),
    text('external-ip', 'Additional IP address at which nodes accept connections to the service'),
    ...fileFlags,
    { ...text('labels', 'Labels of the service; by default the labels of the object'), short: 'l' },
    text('load-balancer-ip', 'IP address of the load balancer, if the cloud provider allows a choice'),
    text('name', 'Name of the service; by default the name of the object'),
    ...overrideFlags,
    recordFlag,
    text('port', 'Ports of the service; by default the ports of the object'),
    text('protocol', 'Protocol of all ports; by default the protocol of the port in the object, or TCP'),
    text('selector', 'Selector of the service: labels of the pods, as key=value pairs'),
    text('session-affinity', 'Session affinity of the service: None or ClientIP'),
    text('target-port', 'Name or number of the port of the pods; by default the same as --port'),
    text('type', 'Type of the service: ClusterIP, NodePort, LoadBalancer or ExternalName'),
    ...createFlags
      .filter(({ name }) => name !== 'validate')
      .map((flag) => (flag.name === 'field-manager' ? fieldManagerFlag('orchctl-expose') : flag)),
  ],
  run,
};

async function run(invocation: Invocation): Promise<undefined> {
  const { flags, args, session, io } = invocation;
  const dryRun = dryRunOf(invocation);
  const report = await reporter(invocation, dryRun, true);
  // The flag sets the selector of the service. It does not select the objects to expose.
  const selection = await select(session, flags.without(['selector']), {
    args,
    nothing: () => new CommandError(NOTHING_NAMED),
  });
  const errors: unknown[] = [];
  const chosen: Found[] = [];
  for (const target of selection.targets)
    if (target.object !== undefined) chosen.push({ type: target.type, object: target.object, target });
  const named = { ...selection, targets: selection.targets.filter(({ object }) => object === undefined) };
  const services = await session.typeOf('v1', 'Service');
  const exposeOne = async ({ type, object, target }: Found) => {
    let service = serviceFor({ ...object, kind: type.kind }, type.group, flags);
    const declared = await declaredKind(session, service);
    if (declared === undefined || services === undefined) throw new CommandError('the server has no services');
    service = await recorded(invocation, service);
    service = overriddenObject(asTyped(service, declared), declared, flags);
    if (dryRun !== 'client') {
      if (flags.bool('save-config')) {
        const { namespace: _, ...metadata } = service.metadata;
        service = await lastApplied(session).put(service, typedConfigurationOf({ ...service, metadata }));
      }
      const options = await writeOptions(invocation, '-expose', dryRun);
      const resource = (await session.client()).resource(services).in(target.namespace);
      service = asTyped((await resource.create(service, options)) as ApiObject, declared);
    }
    report(service, services, 'exposed');
  };
  const attempt = (one: Found) =>
    exposeOne(one).catch((error: unknown) => {
      io.signal.throwIfAborted();
      errors.push(error);
    });
  for (const one of chosen) await attempt(one);
  for await (const one of found(session, named, (error) => errors.push(error))) await attempt(one);
  throwAll([...errors, ...together(selection.errors)]);
  return undefined;
}

const NOTHING_NAMED =
  "You must provide one or more resources by argument or filename.\nExample resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'";
