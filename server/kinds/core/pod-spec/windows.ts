import { type FieldError, type FieldPath, forbiddenField, invalidValue } from '#base/errors/field-error.ts';
import type { PodSpec, WindowsSecurityContextOptions } from '#schema/generated/core.v1.ts';
import { bounds } from '#schema/validation/bounds.ts';
import { dns1123Subdomain } from '#schema/validation/names.ts';
import type { PodSpecContext } from './context.ts';
import { visitContainers } from './visit-containers.ts';

const MAX_CREDENTIAL_BYTES = bounds['core.v1.WindowsSecurityContextOptions'].gmsaCredentialSpec.maxLength;
const MAX_DOMAIN = 256;
const MAX_USER = 104;
const CONTROL = /\p{Cc}/u;
const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_DOMAIN =
  /^(([A-Za-z0-9][A-Za-z0-9-]{0,61}[A-Za-z0-9]|[A-Za-z0-9])\.)*([A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9-]{0,61}[A-Za-z0-9])$/;
const BAD_USER_CHARACTERS = /["/\\[\]:;|=,+*?<>@]/;

/** Validates settings that exist only for containers on Windows. */
export function validateWindowsOptions(
  options: WindowsSecurityContextOptions | null | undefined,
  path: FieldPath,
): FieldError[] {
  if (options == null) return [];
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  const errors: FieldError[] = [];
  const refuse = (field: string, value: string, detail: string) =>
    errors.push(invalidValue(path.child(field), value, detail));
  if (gmsaCredentialSpecName != null) {
    for (const problem of dns1123Subdomain(gmsaCredentialSpecName)) {
      refuse('gmsaCredentialSpecName', gmsaCredentialSpecName, problem);
    }
  }
  if (gmsaCredentialSpec === '') {
    refuse('gmsaCredentialSpec', gmsaCredentialSpec, 'gmsaCredentialSpec cannot be an empty string');
  } else if (gmsaCredentialSpec != null && Buffer.byteLength(gmsaCredentialSpec) > MAX_CREDENTIAL_BYTES) {
    const detail = `gmsaCredentialSpec size must be under ${MAX_CREDENTIAL_BYTES} bytes`;
    refuse('gmsaCredentialSpec', gmsaCredentialSpec, detail);
  }
  if (runAsUserName != null) {
    for (const problem of userNameProblems(runAsUserName)) refuse('runAsUserName', runAsUserName, problem);
  }
  return errors;
}

/** Problems of a user name: `user` or `domain\user`. */
function userNameProblems(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (CONTROL.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const user = parts.pop() ?? '';
  const problems = parts.flatMap((domain) => {
    if (domain.length >= MAX_DOMAIN) {
      return [`runAsUserName's Domain length must be under ${MAX_DOMAIN} characters`];
    }
    const known = NETBIOS.test(domain) || DNS_DOMAIN.test(domain);
    return known ? [] : ["runAsUserName's Domain doesn't match the NetBios nor the DNS format"];
  });
  if (user === '') return [...problems, "runAsUserName's User cannot be empty"];
  if (user.length > MAX_USER) {
    problems.push(`runAsUserName's User length must not be longer than ${MAX_USER} characters`);
  }
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (BAD_USER_CHARACTERS.test(user)) {
    problems.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  }
  return problems;
}

/**
 * Validates containers that run as processes of the host. Either all containers of a pod do or none, and they use the
 * host's network.
 */
export function validateHostProcesses(
  spec: PodSpec,
  path: FieldPath,
  { allowPrivileged }: Pick<PodSpecContext, 'allowPrivileged'>,
): FieldError[] {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const errors: FieldError[] = [];
  let containers = 0;
  let processes = 0;
  for (const { container, path: at } of visitContainers(spec, path)) {
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (ofPod != null && own != null && ofPod !== own) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      errors.push(invalidValue(at.child('securityContext', 'windowsOptions', 'hostProcess'), own, detail));
    }
    containers++;
    if (own ?? ofPod) processes++;
  }
  if (processes === 0) return errors;
  if (processes !== containers) {
    const detail = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    errors.push(invalidValue(path, '', detail));
  }
  if (spec.hostNetwork !== true) {
    const detail = 'hostNetwork must be true if pod contains any hostProcess containers';
    errors.push(invalidValue(path.child('hostNetwork'), false, detail));
  }
  if (allowPrivileged === false) {
    errors.push(forbiddenField(path, 'hostProcess containers are disallowed by cluster policy'));
  }
  return errors;
}
