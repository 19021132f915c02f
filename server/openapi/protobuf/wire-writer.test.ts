import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Writer } from 'protobufjs';
import { WireWriter } from './wire-writer.ts';

type Step =
  | { readonly write: 'string'; readonly value: string }
  | { readonly write: 'uint32' | 'int64' | 'double'; readonly value: number }
  | { readonly write: 'bool'; readonly value: boolean }
  | { readonly inside: readonly Step[] };

function write(writer: Writer | WireWriter, steps: readonly Step[]): void {
  for (const step of steps) {
    if ('inside' in step) {
      writer.fork();
      write(writer, step.inside);
      writer.ldelim();
    } else (writer[step.write] as (value: Step['value' & keyof Step]) => unknown).call(writer, step.value as never);
  }
}

describe('WireWriter', () => {
  it('writes the same bytes as the Protobuf library', function () {
    this.timeout(60_000);
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ minLength: 1 }).map((one) => one.repeat(2_000)),
    );
    const { steps } = fc.letrec<{ steps: Step[]; step: Step }>((tie) => ({
      steps: fc.array(tie('step'), { maxLength: 6 }),
      step: fc.oneof(
        { depthSize: 'small' },
        fc.record({ write: fc.constant('string' as const), value: text }),
        fc.record({ write: fc.constant('uint32' as const), value: fc.nat(2 ** 31 - 1) }),
        fc.record({ write: fc.constant('int64' as const), value: fc.maxSafeInteger() }),
        fc.record({ write: fc.constant('double' as const), value: fc.double() }),
        fc.record({ write: fc.constant('bool' as const), value: fc.boolean() }),
        fc.record({ inside: tie('steps') }),
      ),
    }));
    fc.assert(
      fc.property(steps, (all) => {
        const [own, other] = [new WireWriter(), Writer.create()];
        write(own, all);
        write(other, all);
        assert.equal(own.finish().toString('hex'), Buffer.from(other.finish()).toString('hex'));
      }),
      { interruptAfterTimeLimit: 5_000 },
    );
  });
});
