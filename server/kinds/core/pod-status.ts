import { append } from '#base/collections/append.ts';
import { askedBefore } from '#base/collections/asked-before.ts';
import {
  duplicate,
  type FieldError,
  FieldPath,
  fieldError,
  forbiddenField,
  invalidValue,
} from '#base/errors/field-error.ts';
import type { ContainerStatus, Pod, PodIP } from '#schema/generated/core.v1.ts';
import { familyOfText, ipText } from '#schema/validation/ip.ts';
import { dns1123Subdomain, qualifiedName } from '#schema/validation/names.ts';
import { validateText } from '#schema/validation/reference.ts';

const STATUS = new FieldPath('status');
const CONDITIONS = new FieldPath('metadata').child('conditions');
const OWN_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized'];

/** Validates a new status, and its change from the old one. */
export function validatePodStatusUpdate(pod: Pod, old: Pod): FieldError[] {
  const status = pod.status ?? {};
  const before = old.status ?? {};
  const errors = (status.conditions ?? []).flatMap(({ type = '' }, i) =>
    OWN_CONDITIONS.includes(type) ? [] : validateText(type, qualifiedName, CONDITIONS.index(i).child('Type')),
  );
  const node = status.nominatedNodeName;
  if (node && node !== before.nominatedNodeName) {
    append(errors, validateText(node, dns1123Subdomain, STATUS.child('nominatedNodeName')));
  }
  const policy = old.spec?.restartPolicy ?? '';
  for (const [list, restart] of [
    ['containerStatuses', policy],
    ['initContainerStatuses', policy],
    ['ephemeralContainerStatuses', 'Never'],
  ] as const) {
    append(errors, validateTransitions(status[list], before[list], restart, STATUS.child(list)));
  }
  const generation = Number(status.observedGeneration ?? 0);
  if (generation < 0)
    errors.push(invalidValue(STATUS.child('observedGeneration'), generation, 'must be a non-negative integer'));
  return [...errors, ...validateAddresses(status.podIPs ?? [], STATUS.child('podIPs'))];
}

/** Validates that a container does not run again if it has ended and the node does not restart it. */
function validateTransitions(
  statuses: readonly ContainerStatus[] | null | undefined,
  old: readonly ContainerStatus[] | null | undefined,
  restartPolicy: string,
  path: FieldPath,
): FieldError[] {
  if (restartPolicy === 'Always') return [];
  const running = new Set((statuses ?? []).filter(({ state }) => state?.terminated == null).map(({ name }) => name));
  return (old ?? []).flatMap(({ name, state }, i) => {
    const ended = state?.terminated;
    if (ended == null || (ended.exitCode !== 0 && restartPolicy === 'OnFailure')) return [];
    const detail = 'may not be transitioned to non-terminated state';
    return running.has(name) ? [forbiddenField(path.index(i).child('state'), detail)] : [];
  });
}

function validateAddresses(addresses: readonly PodIP[], path: FieldPath): FieldError[] {
  const texts = addresses.map(({ ip = '' }) => ip);
  const errors = texts.flatMap((ip, i) => ipText(ip).map((problem) => invalidValue(path.index(i), ip, problem)));
  if (texts.length < 2) return errors;
  const wrong = texts.find((text) => familyOfText(text) === undefined);
  if (wrong !== undefined) {
    const why = 'failed to check for dual stack with error:ip <nil> is invalid';
    errors.push(fieldError('InternalError', path, `Internal error: ${why}`));
  }
  const families = wrong === undefined ? new Set(texts.map(familyOfText)) : new Set();
  if (texts.length > 2 || families.size < 2) {
    errors.push(invalidValue(path, addresses, 'may specify no more than one IP for each IP family'));
  }
  const again = askedBefore<string>();
  texts.forEach((ip, i) => {
    if (again(ip)) errors.push(duplicate(path.index(i), ip));
  });
  return errors;
}
