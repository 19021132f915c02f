import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { type Answers, type ChannelEnd, Link } from './link.ts';

/** Two ends of a channel whose messages have the form of JSON. */
function channel(): [ChannelEnd, ChannelEnd & { cut(): void }] {
  const ends = [new EventEmitter(), new EventEmitter()];
  let open = true;
  const send = (to: number) => (message: object, done: (error: Error | null) => void) => {
    setImmediate(() => {
      if (open) ends[to]!.emit('message', JSON.parse(JSON.stringify(message)));
      done(open ? null : new Error('cut'));
    });
    return true;
  };
  const cut = () => {
    open = false;
  };
  return [Object.assign(ends[0]!, { send: send(1) }), Object.assign(ends[1]!, { send: send(0), cut })];
}

function linked(answers: Answers): { link: Link; cut(): void } {
  const [here, there] = channel();
  new Link(there, answers);
  return { link: new Link(here, {}), cut: there.cut };
}

describe('Link between two processes', () => {
  it('returns the right answer to each question', async () => {
    const { link } = linked({
      ping: () => null,
      readyz: async () => ['etcd'],
      livez: () => [],
    });
    const answers = await Promise.all([link.ask('readyz', 1000), link.ask('ping', 1000), link.ask('livez', 1000)]);
    assert.deepEqual(answers, [['etcd'], null, []]);
  });

  const failures: { when: string; answers: Answers; cut?: true; says: RegExp }[] = [
    { when: 'the other side fails', answers: { metrics: () => Promise.reject(new Error('no')) }, says: /^Error: no$/ },
    { when: 'the other side does not know the question', answers: {}, says: /this process does not answer metrics/ },
    {
      when: 'there is no answer before the timeout',
      answers: { metrics: () => new Promise(() => {}) },
      says: /no answer within 50 ms/,
    },
    { when: 'the channel is closed', answers: {}, cut: true, says: /cut/ },
  ];
  for (const { when, answers, cut, says } of failures) {
    it(`fails when ${when}`, async () => {
      const side = linked(answers);
      if (cut) side.cut();
      await assert.rejects(side.link.ask('metrics', 50), says);
    });
  }
});
