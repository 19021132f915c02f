// The exports that a program outside of this project imports as `@orch/client/testing`.

export { type FakeHandler, FakeServer, type RecordedWrite } from './fake-server.ts';
export { waitUntil } from './wait-until.ts';
