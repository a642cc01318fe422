import { describe, expect, test } from 'vitest';
import { CatchUp, CatchUps } from '../../../../../../shared/messaging/kafka/kafkajs/consuming/catch-up.ts';
import type { FetchAnswer } from '../../../../../../shared/messaging/kafka/kafkajs/patches/fetch-messages.ts';

const at = (partition: number, offset: number) => ({ topic: 't', partition, offset });

/** A fetch response: the requested offset and last stable offset of each partition, and whether it has records. */
function answer(
  ...list: readonly { partition: number; from: number; stableEnd: number; hasRecords?: boolean }[]
): FetchAnswer {
  const partitions = list.map(({ partition, from, stableEnd, hasRecords = false }) => ({
    topic: 't',
    partition,
    from,
    stableEnd,
    isEmpty: !hasRecords,
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

describe('CatchUp', () => {
  test('resolves immediately if all ends are reached', async () => {
    expect(await isReached(new CatchUp([at(0, 5)], () => 5))).toBe(true);
  });

  test('resolves when every partition has reached its end', async () => {
    const catchUp = new CatchUp([at(0, 5), at(1, 3)], () => 0);
    catchUp.moved(at(0, 5));
    catchUp.moved(at(1, 2));
    expect(await isReached(catchUp)).toBe(false);
    catchUp.moved(at(1, 3));
    expect(await isReached(catchUp)).toBe(true);
  });

  test('resolves when empty responses cover all offsets up to the ends', async () => {
    const catchUp = new CatchUp([at(0, 5), at(1, 3)], () => 2);
    catchUp.answered(answer({ partition: 0, from: 2, stableEnd: 5 }));
    expect(await isReached(catchUp)).toBe(false);
    catchUp.answered(answer({ partition: 1, from: 2, stableEnd: 7 }));
    expect(await isReached(catchUp)).toBe(true);
  });

  test('stays pending after any number of empty responses while a transaction is open below the end', async () => {
    const catchUp = new CatchUp([at(0, 5)], () => 4);
    for (let round = 0; round < 100; round += 1) {
      catchUp.answered(answer({ partition: 0, from: 4, stableEnd: 4 }));
    }
    expect(await isReached(catchUp)).toBe(false);
    catchUp.moved(at(0, 5));
    expect(await isReached(catchUp)).toBe(true);
  });

  test('resolves when the consumer fetches from the end of the log, beyond control records', async () => {
    const catchUp = new CatchUp([at(0, 5)], () => 3);
    catchUp.answered(answer({ partition: 0, from: 5, stableEnd: 5 }));
    expect(await isReached(catchUp)).toBe(true);
  });

  test('stays pending while responses omit a partition without a leader', async () => {
    const catchUp = new CatchUp([at(0, 5)], () => 4);
    for (let round = 0; round < 100; round += 1) catchUp.answered(answer());
    catchUp.answered(answer({ partition: 1, from: 9, stableEnd: 9 }));
    expect(await isReached(catchUp)).toBe(false);
  });

  test('stays pending while responses only have records of other partitions', async () => {
    const catchUp = new CatchUp([at(0, 5)], () => 4);
    for (let round = 0; round < 100; round += 1) {
      catchUp.answered(
        answer(
          { partition: 0, from: 4, stableEnd: 5 },
          { partition: 1, from: round, stableEnd: 200, hasRecords: true },
        ),
      );
    }
    expect(await isReached(catchUp)).toBe(false);
  });
});

/** A pending call for partition 0, while partition 1 has continuous traffic. */
function setUp() {
  const calledFor: string[] = [];
  const calls = {
    partitions: () => [at(0, 0), at(1, 0)],
    position: () => 0,
    pause: (list: readonly { partition: number }[]) =>
      calledFor.push(...list.map((one) => `+${one.partition}`)),
    resume: (list: readonly { partition: number }[]) =>
      calledFor.push(...list.map((one) => `-${one.partition}`)),
  };
  const catchUps = new CatchUps(calls);
  const fetch = (kind: 'busy' | 'empty') => {
    const missing = { partition: 0, from: 4, stableEnd: 5 };
    if (kind === 'empty') catchUps.answered(answer(missing));
    else catchUps.answered(answer(missing, { partition: 1, from: 8, stableEnd: 9, hasRecords: true }));
  };
  return { catchUps, fetch, calledFor, catchUp: catchUps.begin([at(0, 5)]) };
}

describe('CatchUps under traffic', () => {
  test('pauses other partitions after three busy responses and resumes them at the end', async () => {
    const { catchUps, fetch, calledFor, catchUp } = setUp();
    for (let round = 0; round < 2; round += 1) fetch('busy');
    expect(calledFor).toEqual([]);
    fetch('busy');
    expect(calledFor).toEqual(['+1']);
    expect(await isReached(catchUp)).toBe(false);
    catchUps.moved(at(0, 5));
    expect(await isReached(catchUp)).toBe(true);
    catchUps.end(catchUp);
    expect(calledFor).toEqual(['+1', '-1']);
  });

  test('resolves at an end without records once the other partitions are paused', async () => {
    const { fetch, catchUp } = setUp();
    for (const kind of ['busy', 'busy', 'busy'] as const) fetch(kind);
    expect(await isReached(catchUp)).toBe(false);
    fetch('empty');
    expect(await isReached(catchUp)).toBe(true);
  });

  test('does not resume partitions of a consumer that has ended', () => {
    const { catchUps, fetch, calledFor, catchUp } = setUp();
    for (let round = 0; round < 3; round += 1) fetch('busy');
    catchUps.consumerEnded();
    catchUps.end(catchUp);
    expect(calledFor).toEqual(['+1']);
  });
});
