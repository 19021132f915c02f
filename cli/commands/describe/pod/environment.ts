import type { Container, EnvVar, Pod, ResourceFieldSelector } from '#schema/generated/core.v1.ts';
import { parseQuantity } from '#schema/values/quantity.ts';
import type { DescriptionWriter } from '../writer.ts';

/** Describes the variables of a container's environment and their sources. `pod` is undefined in templates. */
export function describeEnvironment(writer: DescriptionWriter, container: Container, pod: Pod | undefined): void {
  const { envFrom, env } = container;
  if (envFrom?.length) {
    writer.line(2, 'Environment Variables from:');
    for (const { prefix, configMapRef, secretRef } of envFrom) {
      const source = configMapRef ? 'ConfigMap' : secretRef ? 'Secret' : '';
      const { name = '', optional = false } = configMapRef ?? secretRef ?? {};
      writer.line(3, `${name}\t${source}${prefix ? ` with prefix '${prefix}'` : ''}\tOptional: ${optional}`);
    }
  }
  if (!env?.length) {
    writer.line(2, 'Environment:\t<none>');
    return;
  }
  writer.line(2, 'Environment:');
  for (const variable of env) {
    const [first, ...more] = textOf(variable, container, pod).split('\n');
    writer.field(3, variable.name, first);
    for (const line of more) writer.line(3, `\t${line}`);
  }
}

function textOf({ value = '', valueFrom }: EnvVar, container: Container, pod: Pod | undefined): string {
  if (!valueFrom) return value;
  const { fieldRef, resourceFieldRef, secretKeyRef, configMapKeyRef } = valueFrom;
  if (fieldRef) return `${fieldOf(pod, fieldRef.fieldPath)} (${fieldRef.apiVersion ?? ''}:${fieldRef.fieldPath})`;
  if (resourceFieldRef) return `${amountOf(container, resourceFieldRef)} (${resourceFieldRef.resource})`;
  if (secretKeyRef) {
    const { key, name = '', optional = false } = secretKeyRef;
    return `<set to the key '${key}' in secret '${name}'>\tOptional: ${optional}`;
  }
  if (configMapKeyRef) {
    const { key, name = '', optional = false } = configMapKeyRef;
    return `<set to the key '${key}' of config map '${name}'>\tOptional: ${optional}`;
  }
  return '';
}

/** The value of a field that is known before the pod runs. */
function fieldOf(pod: Pod | undefined, path: string): string {
  const { name = '', namespace = '' } = pod?.metadata ?? {};
  return { 'metadata.name': name, 'metadata.namespace': namespace }[path] ?? '';
}

/** A container's limit or request, divided by the divisor and rounded up. */
function amountOf({ resources }: Container, { resource, divisor }: ResourceFieldSelector): string {
  const [, side, name] = /^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.*)$/.exec(resource) ?? [];
  if (name === undefined) return '';
  const amounts = side === 'limits' ? resources?.limits : resources?.requests;
  const amount = parseQuantity(amounts?.[name] ?? '0');
  const given = parseQuantity(divisor ?? '0');
  const unit = given.isZero ? parseQuantity('1') : given;
  const [whole, part] = name === 'cpu' ? [amount.milliValue(), unit.milliValue()] : [amount.value(), unit.value()];
  const count = (whole + part - 1n) / part;
  return count === 0n && side === 'limits' && (name === 'cpu' || name === 'memory') ? 'node allocatable' : `${count}`;
}
