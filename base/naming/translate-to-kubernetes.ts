import type { Naming } from './naming.ts';
import { foreignGroups, ownGroups, plainGroups } from './profile-words.ts';

/**
 * Rewrites the neutral words in a text into the upstream ones: names of bootstrap objects, OpenAPI and protobuf names,
 * metric names, paths. A domain that a name follows is read as a key. A domain alone, or before a version, is read as a
 * group.
 */
export function translateToKubernetes(text: string, naming: Naming): string {
  if (!/orch/i.test(text)) return text;
  let result = text.replace(domainName, (_, sub: string, rest: string | undefined) =>
    translateDomain(sub.slice(0, -1), rest, naming),
  );
  for (const [pattern, replacement] of rules) result = result.replace(pattern, replacement);
  return result;
}

const domainName = /((?:[A-Za-z0-9-]+\.)*)orch\.io(?![\w-])(\/[\w.-]*)?/g;

/**
 * The words are replaced in this order, after the domains. No upstream word contains a neutral one, so no text is
 * replaced twice.
 */
const rules: readonly (readonly [RegExp, string])[] = [
  [/(?<![\w.])orch\.apimachinery\./g, 'k8s.io.apimachinery.pkg.'],
  [/(?<![\w.])orch\.api\.apiextensions\./g, 'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.'],
  [/(?<![\w.])orch\.api\.apiregistration\./g, 'k8s.io.kube_aggregator.pkg.apis.apiregistration.'],
  [/(?<![\w.])orch\.api\.audit\./g, 'k8s.io.apiserver.pkg.apis.audit.'],
  [/(?<![\w.])orch\.api\./g, 'k8s.io.api.'],
  [/(?<![\w.])io\.orch\./g, 'io.k8s.'],
  [
    /(?<![A-Za-z0-9])orch-(?=(?:system|public|node-lease|root-ca|api-access|controller-manager|scheduler|proxy|apiserver|dns|aggregator)(?![a-z]))/g,
    'kube-',
  ],
  [/(?<![A-Za-z0-9])orch(?=ctl|adm)/g, 'kube'],
  [/(?<![a-z])orch(?=_(?:apiserver|aggregator))/g, 'kube'],
  [/(?<![a-z])orch(?=_build_info|-service-node-port)/g, 'kubernetes'],
  [/(?<=\bvnd\.)orch(?=\.)|(?<=\bx-)orch(?=-)/g, 'kubernetes'],
  [/(?<=\bX-)Orch(?=-)|\bOrch(?=API)/g, 'Kubernetes'],
  [/\bORCH(?=_EXEC_INFO\b)/g, 'KUBERNETES'],
  [/(?<![\w.-])orch(?=\.default\b)/g, 'kubernetes'],
  [/(?<![\w.-])orch(?![\w-]|\.\w)/g, 'kubernetes'],
];

function translateDomain(domain: string, rest: string | undefined, naming: Naming): string {
  const sub = domain.replace(/^orch(?:-(?=aggregator$)|(?=ctl$|adm$))/, '');
  const group = groupsWithDomain.has(sub);
  if (rest === undefined) return group ? naming.group(sub) : naming.domain(sub);
  if (group && (/^\/v\d/.test(rest) || !groupsWithKeys.has(sub))) return naming.group(sub) + rest;
  return naming.key(sub === '' ? rest.slice(1) : sub + rest);
}

const groupsWithDomain: ReadonlySet<string> = new Set(
  [...ownGroups, ...foreignGroups].filter((short) => !plainGroups.includes(short)),
);

/** Groups whose names are also prefixes of keys. */
const groupsWithKeys: ReadonlySet<string> = new Set(['authentication', 'node', 'rbac.authorization']);
