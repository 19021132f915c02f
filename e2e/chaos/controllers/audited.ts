import { readFileSync, writeFileSync } from 'node:fs';
import type { Pki } from '#scripts/pki.ts';
import type { Write } from './check.ts';

/** Flags that make a replica record the changes of these users, and the file of the record. */
export function auditFlags(pki: Pki, replica: number, users: readonly string[]): { flags: string[]; file: string } {
  const policy = pki.file('audit-policy.json');
  const rules = [
    { level: 'RequestResponse', users, verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'] },
  ];
  const omitStages = ['RequestReceived'];
  writeFileSync(policy, JSON.stringify({ apiVersion: 'audit.orch.io/v1', kind: 'Policy', omitStages, rules }));
  const file = pki.file(`audit-${replica}.log`);
  return { flags: [`--audit-policy-file=${policy}`, `--audit-log-path=${file}`], file };
}

interface Recorded {
  readonly metadata?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly kind?: string;
  readonly spec?: { readonly holderIdentity?: string };
  readonly status?: { readonly certificate?: string };
}

interface AuditEvent {
  readonly user: { readonly username: string };
  readonly verb: string;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly objectRef?: {
    readonly resource: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly subresource?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestObject?: Recorded;
  readonly responseObject?: Recorded;
}

/** The writes that a replica has recorded so far, in the form that the laws read. */
export function readWrites(file: string): Write[] {
  // The text after the last line end is not complete yet.
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => toWrite(JSON.parse(line) as AuditEvent));
}

function toWrite({ user, verb, requestReceivedTimestamp, stageTimestamp, ...event }: AuditEvent): Write {
  const { objectRef, responseStatus, requestObject: asked, responseObject: answered } = event;
  const { resource = '', namespace = '', name = '', subresource } = objectRef ?? {};
  const uid = answered?.metadata?.uid;
  const bounds = [asked?.metadata, asked?.preconditions];
  const isRequest = resource === 'certificatesigningrequests' && subresource === 'status';
  return {
    by: user.username,
    at: Date.parse(requestReceivedTimestamp),
    verb,
    what: [resource, namespace, name, ...(subresource === undefined ? [] : [subresource])].join('/'),
    code: responseStatus?.code ?? 0,
    answered: Date.parse(stageTimestamp),
    bound: bounds.some((bound) => Boolean(bound?.uid || bound?.resourceVersion)),
    ...(isRequest && answered?.status?.certificate && uid ? { signs: uid } : {}),
    ...(resource === 'leases' && (name.endsWith('controller-manager') || name.endsWith('scheduler'))
      ? { holder: answered?.spec?.holderIdentity ?? '' }
      : {}),
  };
}
