// The exports that programs outside of this project import as `@orch/client/testing`.

export { type FakeHandler, FakeServer, type RecordedWrite } from './fake-server.ts';
export { waitUntil } from './wait-until.ts';
