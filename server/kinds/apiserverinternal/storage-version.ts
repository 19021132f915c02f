import { type FieldError, FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import type { ServerStorageVersion, StorageVersionStatus } from '#schema/generated/internal.apiserver.v1alpha1.ts';
import { invalidShown, shownList } from '#schema/validation/go-list.ts';
import { age } from '#schema/validation/human-duration.ts';
import { dns1035Label, dns1123Subdomain, patternMessage, qualifiedName } from '#schema/validation/names.ts';
import { validateText } from '#schema/validation/reference.ts';
import { defineKind } from '../define-kind.ts';
import { keepAllButStatus, METADATA_AND_SPEC } from '../status-view.ts';

const STATUS = new FieldPath('status');
const EMPTY = 'must be non-empty';
const SHOWN = 3;

const tooManyParts = `an apiVersion is ${patternMessage(
  "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  '[a-z]([-a-z0-9]*[a-z0-9])?',
  'my-name',
  'abc-123',
)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')`;

/** Validates a name of the form `<group>.<resource>`. */
function storageVersionName(name: string): string[] {
  const dot = name.lastIndexOf('.');
  if (dot < 0) return ['name must be in the form of <group>.<resource>'];
  return [
    ...dns1123Subdomain(name.slice(0, dot)).map((problem) => `the group segment ${problem}`),
    ...dns1035Label(name.slice(dot + 1)).map((problem) => `the resource segment ${problem}`),
  ];
}

/** Validates a version of the form `v1` or `example.com/v1`. */
function apiVersion(text: string): string[] {
  const parts = text.split('/');
  if (parts.length > 2) return [tooManyParts];
  const version = parts.pop() ?? '';
  return [
    ...parts
      .flatMap((prefix) => (prefix === '' ? [EMPTY] : dns1123Subdomain(prefix)))
      .map((one) => `prefix part ${one}`),
    ...(version === '' ? [EMPTY] : dns1035Label(version)).map((one) => `version part ${one}`),
  ];
}

function validateServer(server: ServerStorageVersion, path: FieldPath): FieldError[] {
  const { encodingVersion = '', decodableVersions = [] } = server;
  const decodable = path.child('decodableVersions');
  const errors = [
    ...validateText(server.apiServerID, dns1123Subdomain, path.child('apiServerID')),
    ...validateText(encodingVersion, apiVersion, path.child('encodingVersion')),
    ...decodableVersions.flatMap((version, i) => validateText(version, apiVersion, decodable.index(i))),
  ];
  if (!decodableVersions.includes(encodingVersion)) {
    const detail = `decodableVersions must include encodingVersion ${encodingVersion}`;
    errors.push(invalidShown(decodable, shownList('string', decodableVersions), detail));
  }
  return errors;
}

/** The common encoding version of all servers, if they agree on one. */
function validateCommon({ storageVersions = [], commonEncodingVersion: common }: StorageVersionStatus): FieldError[] {
  const [first] = storageVersions;
  const agreed = storageVersions.every((one) => one.encodingVersion === first?.encodingVersion);
  const actual = first !== undefined && agreed ? (first.encodingVersion ?? '') : undefined;
  if (common === actual) return [];
  const path = STATUS.child('commonEncodingVersion');
  if (actual === undefined) {
    const detail =
      'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet';
    return [invalidValue(path, common, detail)];
  }
  const known = common === undefined ? 'the common encoding version' : 'the actual common encoding version';
  return [invalidValue(path, common, `${known} is ${actual}`)];
}

function validateConditions({ conditions = [] }: StorageVersionStatus): FieldError[] {
  const places = new Map<string, number>();
  return conditions.flatMap((condition, i) => {
    const path = STATUS.index(i);
    const before = places.get(condition.type) ?? i;
    places.set(condition.type, before);
    const again = `the type of the condition is not unique, it also appears in conditions[${before}]`;
    return [
      ...(before < i ? [invalidValue(path.child('type'), condition.type, again)] : []),
      ...validateText(condition.type, qualifiedName, path.child('type')),
      ...validateText(condition.status, qualifiedName, path.child('status')),
      ...(condition.reason ? [] : [required(path.child('reason'), 'reason cannot be empty')]),
      ...(condition.message ? [] : [required(path.child('message'), 'message cannot be empty')]),
    ];
  });
}

/** A text such as `server=v1`, for at most three servers. */
function serversText(servers: readonly ServerStorageVersion[]): string {
  const shown = servers
    .slice(0, SHOWN)
    .map(({ apiServerID = '', encodingVersion = '' }) => `${apiServerID}=${encodingVersion}`);
  const more = servers.length - shown.length;
  return more > 0 ? `${shown.join(',')} + ${more} more...` : shown.join(',') || '<unset>';
}

/**
 * The kind of records about storage versions. The servers themselves write in which versions they store and read a
 * resource.
 */
export const storageVersion = defineKind('internal.apiserver/storageversions', {
  validateName: storageVersionName,
  ignoresMetadataChange: true,
  prepareForCreate(object) {
    object.status = {};
  },
  statusResets: METADATA_AND_SPEC,
  cells: ({ metadata, status }, { now }) => [
    metadata.name ?? '',
    status.commonEncodingVersion ?? '<unset>',
    serversText(status.storageVersions ?? []),
    age(metadata.creationTimestamp, now),
  ],
  subresources: {
    status: {
      prepareForUpdate: keepAllButStatus,
      ignoresMetadataChange: true,
      validateUpdate: ({ status = {} }) => [
        ...(status.storageVersions ?? []).flatMap((server, i) =>
          validateServer(server, STATUS.child('storageVersions').index(i)),
        ),
        ...validateCommon(status),
        ...validateConditions(status),
      ],
    },
  },
});
