import assert from 'node:assert/strict';
import { StatusError } from '#base/errors/status-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { defaultRelease, type Release, type ReleaseName, releaseOf } from '#base/release/release.ts';
import { checkedOptions, type RawOptions, requireReadable } from './delete-options.ts';

const naming = createNaming('orch');
const words = (release: Release = defaultRelease) => ({ naming, schema: { release } });
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
        messageOf(() => checkedOptions({ ...raw, [OPTION]: true }, words())),
        message,
      );
      assert.equal(
        messageOf(() => checkedOptions({ ...raw, [OPTION]: false }, words())),
        undefined,
      );
    });

  it('is refused for the deletion of collections', () => {
    const why = 'is not allowed with DELETECOLLECTION, try again after removing the option';
    assert.equal(
      messageOf(() => requireReadable(checkedOptions({ [OPTION]: true }, words()), naming)),
      `DeleteOptions.meta.orch.io "" is invalid: ${OPTION}: Invalid value: true: ${why}`,
    );
    assert.equal(
      messageOf(() => requireReadable(checkedOptions({}, words()), naming)),
      undefined,
    );
  });
});

describe('the refusal of a dry run of an unknown kind', () => {
  const rows: readonly (readonly [release: ReleaseName, shown: string])[] = [
    ['1.36', '[]string{"x", "All"}'],
    ['1.37', '["x","All"]'],
  ];
  for (const [release, shown] of rows)
    it(`shows the list as ${shown} in ${release}`, () => {
      assert.equal(
        messageOf(() => checkedOptions({ dryRun: ['x', 'All'] }, words(releaseOf(release)))),
        `DeleteOptions.meta.orch.io "" is invalid: dryRun: Unsupported value: ${shown}: supported values: "All"`,
      );
    });
});
