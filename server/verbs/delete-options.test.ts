import assert from 'node:assert/strict';
import { StatusError } from '#base/errors/status-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { checkedOptions, type RawOptions, requireReadable } from './delete-options.ts';

const naming = createNaming('orch');
const OPTION = 'ignoreStoreReadErrorWithClusterBreakingPotential';

function messageOf(run: () => unknown): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof StatusError && error.code === 422);
    return error.message;
  }
}

describe('the delete option to ignore read errors of the store', () => {
  const refused = (...names: string[]) => {
    const texts = names.map((name) => `${OPTION}: Invalid value: true: cannot be set together with .${name}`);
    return `DeleteOptions.meta.orch.io "" is invalid: ${texts.length > 1 ? `[${texts.join(', ')}]` : texts[0]}`;
  };
  const cases: [raw: RawOptions, message: string | undefined][] = [
    [{}, undefined],
    [{ gracePeriodSeconds: 1 }, refused('gracePeriodSeconds')],
    [{ dryRun: ['All'], propagationPolicy: 'Orphan' }, refused('dryRun', 'propagationPolicy')],
    [{ preconditions: { uid: 'a' } }, refused('preconditions')],
  ];
  for (const [raw, message] of cases)
    it(`is ${message === undefined ? 'accepted' : 'refused'} together with ${JSON.stringify(raw)}`, () => {
      assert.equal(
        messageOf(() => checkedOptions({ ...raw, [OPTION]: true }, naming)),
        message,
      );
      assert.equal(
        messageOf(() => checkedOptions({ ...raw, [OPTION]: false }, naming)),
        undefined,
      );
    });

  it('is refused for the deletion of collections', () => {
    const why = 'is not allowed with DELETECOLLECTION, try again after removing the option';
    assert.equal(
      messageOf(() => requireReadable(checkedOptions({ [OPTION]: true }, naming), naming)),
      `DeleteOptions.meta.orch.io "" is invalid: ${OPTION}: Invalid value: true: ${why}`,
    );
    assert.equal(
      messageOf(() => requireReadable(checkedOptions({}, naming), naming)),
      undefined,
    );
  });
});
