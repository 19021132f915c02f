import { type FieldError, type FieldPath, invalidValue, notSupported, required } from '#base/errors/field-error.ts';
import type { IntOrString } from '../values/int-or-string.ts';
import { portName } from './names.ts';
import { rangeMessage } from './numbers.ts';

/** Protocols of ports, in the order of messages. */
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'] as const;

/** Problems of a port number: 1 to 65535. */
export function portNumber(port: number): string[] {
  return port >= 1 && port <= 65535 ? [] : [rangeMessage(1, 65535)];
}

function validatePortNumber(port: number | undefined, path: FieldPath): FieldError[] {
  return portNumber(port ?? 0).map((problem) => invalidValue(path, port ?? 0, problem));
}

export function validatePortName(name: string, path: FieldPath): FieldError[] {
  return portName(name).map((problem) => invalidValue(path, name, problem));
}

/** Validates a port: its number, or the name that a container gives it. */
export function validatePortNumberOrName(port: IntOrString | undefined, path: FieldPath): FieldError[] {
  return typeof port === 'string' ? validatePortName(port, path) : validatePortNumber(port, path);
}

/** Validates a protocol. It is required and must be one of {@link PROTOCOLS}. */
export function validateProtocol(protocol: string | undefined, path: FieldPath): FieldError[] {
  if (!protocol) return [required(path)];
  return (PROTOCOLS as readonly string[]).includes(protocol) ? [] : [notSupported(path, protocol, PROTOCOLS)];
}
