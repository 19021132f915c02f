const HOST = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?';

const COMPONENT = '[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*';

const TAG = '\\w[\\w.-]{0,127}';

const DIGEST = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9A-Fa-f]{32,}';

const REFERENCE = new RegExp(
  `^(?:${HOST}(?:\\.${HOST})*(?::[0-9]+)?/)?${COMPONENT}(?:/${COMPONENT})*(?::(${TAG}))?(?:@(${DIGEST}))?$`,
);

const BARE_IDENTIFIER = /^[0-9a-f]{64}$/;

/**
 * The default pull policy of an image: always if its tag is `latest` or if it has neither tag nor digest, otherwise
 * only if the node does not have it. A text that is not an image name has no tag.
 */
export function pullPolicyOf(image: string): 'Always' | 'IfNotPresent' {
  const match = BARE_IDENTIFIER.test(image) ? null : REFERENCE.exec(image);
  if (match === null) return 'IfNotPresent';
  const [, tag, digest] = match;
  return tag === 'latest' || (tag === undefined && digest === undefined) ? 'Always' : 'IfNotPresent';
}
