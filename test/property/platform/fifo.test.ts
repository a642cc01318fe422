import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fifo } from '../../../shared/platform/fifo.ts';

test('behaves like an array over any pushes and shifts', () => {
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constant('push' as const), times: fc.integer({ min: 1, max: 900 }) }),
    },
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constant('shift' as const), times: fc.integer({ min: 1, max: 900 }) }),
    },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const fifo = new Fifo<number>();
      const model: number[] = [];
      const operations = {
        push: (item: number) => [fifo.push(item), model.push(item)],
        shift: () => expect(fifo.shift()).toBe(model.shift()),
      };
      for (const { do: what, times } of steps) {
        for (let count = 0; count < times; count += 1) operations[what](count);
        expect(fifo.length).toBe(model.length);
        expect(fifo.first).toBe(model[0]);
      }
    }),
  );
});
