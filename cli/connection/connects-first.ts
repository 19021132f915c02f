/** Commands that connect before they need a namespace, each with its subcommands that do not connect first. */
const CONNECT_FIRST: ReadonlyMap<string, readonly string[]> = new Map([
  ['api-resources', []],
  ['api-versions', []],
  ['apply', ['edit-last-applied', 'set-last-applied', 'view-last-applied']],
  ['auth', ['reconcile']],
  ['autoscale', []],
  ['certificate', []],
  ['cluster-info', []],
  ['cordon', []],
  ['create', ['token']],
  ['diff', []],
  ['drain', []],
  ['explain', []],
  ['expose', []],
  ['proxy', []],
  ['replace', []],
  ['run', []],
  ['set', ['image', 'resources', 'selector', 'serviceaccount', 'subject']],
  ['top', ['pod']],
  ['uncordon', []],
  ['version', []],
  ['wait', []],
]);

/**
 * Whether a command connects before it needs a namespace. An error in a context then has other words, as in the field's
 * client.
 * @param path the words of the command, with the program's name
 */
export function connectsFirst(path: string, isRaw: boolean): boolean {
  const [, command = '', subcommand = ''] = path.split(' ');
  if (command === 'get') return isRaw;
  return CONNECT_FIRST.get(command)?.includes(subcommand) === false;
}
