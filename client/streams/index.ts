// The exports that programs outside of this project import as `@orch/client/streams`.

export { openPortForward, type PortForward } from './port-forward.ts';
export { type ProcessEnd, type ProcessStreams, remoteCommand, type TerminalSize } from './remote-command.ts';
export type { StreamCall, StreamCaller } from './upgrade.ts';
