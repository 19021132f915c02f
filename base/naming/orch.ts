import type { ProfileWords } from './profile-words.ts';

const domain = 'orch.io';

/** The words of the interface's own description: one domain for everything. */
export const orchWords: ProfileWords = {
  profile: 'orch',
  product: 'orch',
  tracedApi: 'OrchAPI',
  commandLine: 'orchctl',
  prefix: 'orch-',
  groupDomain: domain,
  groupsElsewhere: {},
  keyDomain: domain,
  keyDomainsElsewhere: {},
  exactKeys: { 'controllermanager.config': `orchcontrollermanager.config.${domain}` },
  componentDomains: { ctl: 'orchctl', adm: 'orchadm', aggregator: 'orch-aggregator' },
  sealedWord: 'orch',
  mediaTypeTree: 'application/vnd.orch',
  headerPrefix: 'X-Orch-',
  extensionPrefix: 'x-orch-',
  formatPrefix: 'orch-',
  signsWithWholeTokens: true,
  execInfoVariable: 'ORCH_EXEC_INFO',
  connectionVariable: 'ORCHCONFIG',
  editorVariable: 'ORCH_EDITOR',
  diffVariable: 'ORCHCTL_EXTERNAL_DIFF',
  clientFolder: '.orch',
  preferences: { file: 'orchrc', variable: 'ORCHRC', group: 'orchctl.config.orch.io' },
};
