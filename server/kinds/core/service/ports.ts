import { append } from '#base/collections/append.ts';
import { duplicate, type FieldError, type FieldPath, forbiddenField, required } from '#base/errors/field-error.ts';
import type { ServicePort, ServiceSpec } from '#schema/generated/core.v1.ts';
import { bounds, validateBound } from '#schema/validation/bounds.ts';
import { dns1123Label, qualifiedName } from '#schema/validation/names.ts';
import { validatePortNumberOrName, validateProtocol } from '#schema/validation/ports.ts';
import { validateText } from '#schema/validation/reference.ts';

/** Validates each port separately, and that several ports have different names. */
export function validateServicePorts(ports: readonly ServicePort[], path: FieldPath): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, i) => {
    const at = path.index(i);
    const { name = '', appProtocol } = port;
    const errors: FieldError[] = [];
    if (name !== '') {
      append(errors, validateText(name, dns1123Label, at.child('name')));
      if (names.has(name)) errors.push(duplicate(at.child('name'), name));
      names.add(name);
    } else if (ports.length > 1) errors.push(required(at.child('name')));
    append(
      errors,
      validateBound(port.port ?? 0, bounds['core.v1.ServicePort'].port, at.child('port')),
      validateProtocol(port.protocol, at.child('protocol')),
      validatePortNumberOrName(port.targetPort, at.child('targetPort')),
    );
    if (appProtocol !== undefined) append(errors, validateText(appProtocol, qualifiedName, at.child('appProtocol')));
    return errors;
  });
}

/**
 * Validates node ports. They are for services that are reached from outside. A protocol may have each number only once.
 */
export function validateNodePorts({ type, ports = [] }: ServiceSpec, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  if (type === 'ClusterIP') {
    ports.forEach(({ nodePort = 0 }, i) => {
      if (nodePort === 0) return;
      errors.push(forbiddenField(path.index(i).child('nodePort'), "may not be used when `type` is 'ClusterIP'"));
    });
  }
  ports.forEach(({ nodePort = 0, protocol = '' }, i) => {
    const key = `${protocol}/${nodePort}`;
    if (nodePort !== 0 && seen.has(key)) errors.push(duplicate(path.index(i).child('nodePort'), nodePort));
    seen.add(key);
  });
  return errors;
}

/** Validates that a protocol has each port only once. */
export function validateUniquePorts(ports: readonly ServicePort[], path: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap(({ port, protocol = '' }, i) => {
    const key = `${protocol}/${port}`;
    const repeated = seen.has(key);
    seen.add(key);
    return repeated ? [duplicatePort(port, protocol, path.index(i))] : [];
  });
}

/**
 * The error about a repeated port. Clients know it with the port and protocol as an object in the notation of another
 * language.
 */
function duplicatePort(port: number, protocol: string, path: FieldPath): FieldError {
  const shown = `core.ServicePort{Name:"", Protocol:${JSON.stringify(protocol)}, AppProtocol:(*string)(nil), Port:${port}, TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:""}, NodePort:0}`;
  const json = `{"Name":"","Protocol":${JSON.stringify(protocol)},"AppProtocol":null,"Port":${port},"TargetPort":0,"NodePort":0}`;
  const error = duplicate(path, '');
  const body = `Duplicate value: ${shown}`;
  return { ...error, body, text: `${error.field}: ${body}`, later: `Duplicate value: ${json}` };
}
