import type { ProfileWords } from './profile-words.ts';
import { translateToKubernetes } from './translate-to-kubernetes.ts';

const keyDomain = 'kubernetes.io';
const groupDomain = 'k8s.io';

/** Subdomains whose keys are under the domain of groups. Two of them also hold keys of the other one: `exactKeys`. */
const keySubdomainsOfGroups = [
  'alpha.image-policy',
  'apiserver.latency',
  'audit',
  'authentication',
  'authorization',
  'autoscaling',
  'base64.binary',
  'base64.channel',
  'base64url.bearer.authorization',
  'binary',
  'channel',
  'client.authentication',
  'csi.storage',
  'customresourcecleanup.apiextensions',
  'endpointslice-controller',
  'endpointslicemirroring-controller',
  'image-policy',
  'leaderelection',
  'mutation.webhook.admission',
  'networking',
  'patch.webhook.admission',
  'podsecuritypolicy.admission',
  'portforward',
  'rbac.authorization',
  'storageclass.storage',
  'subjectaccessreviews.authorization',
  'tokenreviews.authentication',
  'v2.channel',
  'v3.channel',
  'v4.channel',
  'v5.channel',
  'validating.webhook.admission',
];

/** The upstream words, which grew two domains: one mostly for groups, one mostly for keys. */
export const kubernetesWords: ProfileWords = {
  profile: 'kubernetes',
  product: 'kubernetes',
  tracedApi: 'KubernetesAPI',
  commandLine: 'kubectl',
  prefix: 'kube-',
  groupDomain,
  groupsElsewhere: { 'abac.authorization': keyDomain },
  keyDomain,
  keyDomainsElsewhere: Object.fromEntries(keySubdomainsOfGroups.map((sub) => [sub, groupDomain])),
  exactKeys: {
    'apiserver-client': `${keyDomain}/kube-apiserver-client`,
    'apiserver-client-kubelet': `${keyDomain}/kube-apiserver-client-kubelet`,
    'controllermanager.config': `kubecontrollermanager.config.${groupDomain}`,
    'authentication/pod-name': `authentication.${keyDomain}/pod-name`,
    'authentication/pod-uid': `authentication.${keyDomain}/pod-uid`,
    deprecated: `${groupDomain}/deprecated`,
    'initial-events-end': `${groupDomain}/initial-events-end`,
    'rbac.authorization/autoupdate': `rbac.authorization.${keyDomain}/autoupdate`,
    'removed-release': `${groupDomain}/removed-release`,
  },
  componentDomains: { ctl: 'kubectl', adm: 'kubeadm', aggregator: 'kube-aggregator' },
  sealedWord: 'k8s',
  mediaTypeTree: 'application/vnd.kubernetes',
  headerPrefix: 'X-Kubernetes-',
  extensionPrefix: 'x-kubernetes-',
  execInfoVariable: 'KUBERNETES_EXEC_INFO',
  connectionVariable: 'KUBECONFIG',
  clientFolder: '.kube',
  translate: translateToKubernetes,
};
