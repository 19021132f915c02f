import type { Container, ContainerPort, EphemeralContainer, LifecycleHandler, Probe } from '../../generated/core.v1.ts';
import { pullPolicyOf } from './image-name.ts';

/** Fills in the missing fields of a container. An ephemeral container is a container with fewer features. */
export function defaultContainer(container: Container | EphemeralContainer): void {
  container.imagePullPolicy ||= pullPolicyOf(container.image ?? '');
  container.terminationMessagePath ||= '/dev/termination-log';
  container.terminationMessagePolicy ||= 'File';
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.fieldRef != null) valueFrom.fieldRef.apiVersion ||= 'v1';
  }
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (probe != null) defaultProbe(probe);
  }
  defaultHandler(container.lifecycle?.postStart);
  defaultHandler(container.lifecycle?.preStop);
}

function defaultProbe(probe: Probe): void {
  probe.timeoutSeconds ||= 1;
  probe.periodSeconds ||= 10;
  probe.successThreshold ||= 1;
  probe.failureThreshold ||= 3;
  defaultHandler(probe);
}

function defaultHandler(handler: LifecycleHandler | undefined): void {
  if (handler?.httpGet == null) return;
  handler.httpGet.path ||= '/';
  handler.httpGet.scheme ||= 'HTTP';
}

/** On the host's network, a port of a container is the same port of the host. */
export function defaultHostPorts(containers: readonly { ports?: ContainerPort[] }[] | null | undefined): void {
  for (const container of containers ?? []) {
    for (const port of container.ports ?? []) if (!port.hostPort) port.hostPort = port.containerPort;
  }
}

/** A resource with a limit and without a request gets a request equal to its limit. */
export function requestLimits(containers: readonly Container[] | null | undefined): void {
  for (const { resources } of containers ?? []) {
    if (resources?.limits === undefined) continue;
    resources.requests = { ...resources.limits, ...resources.requests };
  }
}
