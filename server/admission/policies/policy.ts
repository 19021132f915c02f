import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicy,
} from '#schema/generated/admissionregistration.v1.ts';
import { type Match, matchOf } from './match-resources.ts';

/** A policy of either kind, in a form in which it is cheap to check whether it applies to a request. */
export interface Policy {
  readonly name: string;
  readonly match: Match;
  readonly paramKind: ParamKind | undefined;
  /** Whether an evaluation error lets the request pass. */
  readonly failsOpen: boolean;
}

/** A binding of such a policy. */
export interface PolicyBinding {
  readonly name: string;
  readonly policy: string;
  readonly match: Match;
  readonly paramRef: ParamRef | undefined;
}

/** The common part of both kinds of policies, as stored. Missing fields are read as their defaults. */
export function readCommon({ metadata, spec }: MutatingAdmissionPolicy | ValidatingAdmissionPolicy): Policy {
  return {
    name: metadata.name ?? '',
    match: matchOf(spec?.matchConstraints),
    paramKind: spec?.paramKind ?? undefined,
    failsOpen: spec?.failurePolicy === 'Ignore',
  };
}

/** Reads a stored binding. */
export function readBinding({ metadata, spec }: MutatingAdmissionPolicyBinding): PolicyBinding {
  return {
    name: metadata.name ?? '',
    policy: spec?.policyName ?? '',
    match: matchOf(spec?.matchResources),
    paramRef: spec?.paramRef ?? undefined,
  };
}
