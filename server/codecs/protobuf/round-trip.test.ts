import assert from 'node:assert/strict';
import fc from 'fast-check';
import { loadSchema } from '#schema/descriptors/load.ts';
import { arbitraryObject } from './arbitrary-object.test.ts';
import { decodeMessage } from './decode.ts';
import { encodeMessage } from './encode.ts';

describe('protobuf round trip', () => {
  for (const { resources } of loadSchema().groupVersions) {
    for (const { message } of resources) {
      it(`restores every ${message.name}`, () => {
        fc.assert(
          fc.property(arbitraryObject(message), (object) => {
            const bytes = encodeMessage(message, object);
            assert.deepEqual(decodeMessage(message, bytes), object);
            assert.deepEqual(encodeMessage(message, decodeMessage(message, bytes)), bytes);
          }),
          { numRuns: 25 },
        );
      });
    }
  }
});
