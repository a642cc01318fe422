import { describe, expect, test } from 'vitest';
import { CatchUp, CatchUps } from '../../../../../shared/messaging/kafka/consuming/catch-up.ts';
import type { FetchAnswer } from '../../../../../shared/messaging/kafka/kafkajs/unreadable-batches.ts';

const at = (partition: number, offset: number) => ({ topic: 't', partition, offset });

/** An answer about partitions: where each was asked from, its last stable offset, and whether it brought anything. */
function answer(
  ...list: readonly { partition: number; from: number; stableEnd: number; brings?: boolean }[]
): FetchAnswer {
  const partitions = list.map(({ partition, from, stableEnd, brings = false }) => ({
    topic: 't',
    partition,
    from,
    stableEnd,
    isEmpty: !brings,
    unreadable: [],
  }));
  return { isEmpty: partitions.every(({ isEmpty }) => isEmpty), partitions };
}

function isReached(catchUp: CatchUp): Promise<boolean> {
  return Promise.race([
    catchUp.reached.then(() => true),
    new Promise<boolean>((resolve) => {
      setImmediate(() => resolve(false));
    }),
  ]);
}

describe('catching up of a tail', () => {
  test('is over at once when all ends are reached already', async () => {
    expect(await isReached(new CatchUp([at(0, 5)], () => 5))).toBe(true);
  });

  test('is over when each partition has reached its end, not before', async () => {
    const catchUp = new CatchUp([at(0, 5), at(1, 3)], () => 0);
    catchUp.moved(at(0, 5));
    catchUp.moved(at(1, 2));
    expect(await isReached(catchUp)).toBe(false);
    catchUp.moved(at(1, 3));
    expect(await isReached(catchUp)).toBe(true);
  });

  test('takes the rest for empty when a broker has nothing up to the end', async () => {
    const catchUp = new CatchUp([at(0, 5), at(1, 3)], () => 2);
    catchUp.answered(answer({ partition: 0, from: 2, stableEnd: 5 }));
    expect(await isReached(catchUp)).toBe(false);
    catchUp.answered(answer({ partition: 1, from: 2, stableEnd: 7 }));
    expect(await isReached(catchUp)).toBe(true);
  });

  test('empty answers prove nothing while a transaction hides what is below the end, however many come', async () => {
    const catchUp = new CatchUp([at(0, 5)], () => 4);
    for (let round = 0; round < 100; round += 1) {
      catchUp.answered(answer({ partition: 0, from: 4, stableEnd: 4 }));
    }
    expect(await isReached(catchUp)).toBe(false);
    catchUp.moved(at(0, 5));
    expect(await isReached(catchUp)).toBe(true);
  });

  test('a consumer that asks from the end on has read up to it, over control records too', async () => {
    const catchUp = new CatchUp([at(0, 5)], () => 3);
    catchUp.answered(answer({ partition: 0, from: 5, stableEnd: 5 }));
    expect(await isReached(catchUp)).toBe(true);
  });

  test('answers that say nothing of a partition, which has no leader for a while, prove nothing of it', async () => {
    const catchUp = new CatchUp([at(0, 5)], () => 4);
    for (let round = 0; round < 100; round += 1) catchUp.answered(answer());
    catchUp.answered(answer({ partition: 1, from: 9, stableEnd: 9 }));
    expect(await isReached(catchUp)).toBe(false);
  });

  test('what an answer with other partitions leaves out is not taken for empty', async () => {
    const catchUp = new CatchUp([at(0, 5)], () => 4);
    for (let round = 0; round < 100; round += 1) {
      catchUp.answered(
        answer(
          { partition: 0, from: 4, stableEnd: 5 },
          { partition: 1, from: round, stableEnd: 200, brings: true },
        ),
      );
    }
    expect(await isReached(catchUp)).toBe(false);
  });
});

/** Partition 0 is to be caught up with, partition 1 has traffic that never ends. */
function setUp() {
  const held: string[] = [];
  const calls = {
    partitions: () => [at(0, 0), at(1, 0)],
    position: () => 0,
    pause: (list: readonly { partition: number }[]) => held.push(...list.map((one) => `+${one.partition}`)),
    resume: (list: readonly { partition: number }[]) => held.push(...list.map((one) => `-${one.partition}`)),
  };
  const catchUps = new CatchUps(calls);
  const fetch = (kind: 'busy' | 'empty') => {
    const missing = { partition: 0, from: 4, stableEnd: 5 };
    if (kind === 'empty') catchUps.answered(answer(missing));
    else catchUps.answered(answer(missing, { partition: 1, from: 8, stableEnd: 9, brings: true }));
  };
  return { catchUps, fetch, held, catchUp: catchUps.begin([at(0, 5)]) };
}

describe('catching up under traffic', () => {
  test('other partitions never prove the missing one empty; they are held back until it is read', async () => {
    const { catchUps, fetch, held, catchUp } = setUp();
    for (let round = 0; round < 2; round += 1) fetch('busy');
    expect(held).toEqual([]);
    fetch('busy');
    expect(held).toEqual(['+1']);
    expect(await isReached(catchUp)).toBe(false);
    catchUps.moved(at(0, 5));
    expect(await isReached(catchUp)).toBe(true);
    catchUps.end(catchUp);
    expect(held).toEqual(['+1', '-1']);
  });

  test('an end without records is found once the others are held back', async () => {
    const { fetch, catchUp } = setUp();
    for (const kind of ['busy', 'busy', 'busy'] as const) fetch(kind);
    expect(await isReached(catchUp)).toBe(false);
    fetch('empty');
    expect(await isReached(catchUp)).toBe(true);
  });

  test('a consumer built anew holds nothing back, and nothing is let go that it does not hold', () => {
    const { catchUps, fetch, held, catchUp } = setUp();
    for (let round = 0; round < 3; round += 1) fetch('busy');
    catchUps.consumerEnded();
    catchUps.end(catchUp);
    expect(held).toEqual(['+1']);
  });
});
