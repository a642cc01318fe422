import { describe, expect, test } from 'vitest';
import { CatchUp } from '../../../shared/messaging/kafka-catch-up.ts';
import { CatchUps } from '../../../shared/messaging/kafka-catch-ups.ts';
import { FetchRounds } from '../../../shared/messaging/kafka-fetch-rounds.ts';

const at = (partition: number, offset: number) => ({ topic: 't', partition, offset });
const BROKERS = new Set(['1', '2']);

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

  test('takes the rest for empty when three fetches of every broker have found nothing', async () => {
    const catchUp = new CatchUp([at(0, 5)], () => 4);
    for (const broker of ['1', '1', '1', '2', '2']) catchUp.emptyRound(broker, BROKERS);
    expect(await isReached(catchUp)).toBe(false);
    catchUp.emptyRound('2', BROKERS);
    expect(await isReached(catchUp)).toBe(true);
  });

  test('counts anew after progress and after a rejoin', async () => {
    const catchUp = new CatchUp([at(0, 5)], () => 0);
    const only = new Set(['1']);
    catchUp.emptyRound('1', only);
    catchUp.emptyRound('1', only);
    catchUp.moved(at(0, 4));
    catchUp.emptyRound('1', only);
    catchUp.emptyRound('1', only);
    catchUp.restarted();
    catchUp.emptyRound('1', only);
    catchUp.emptyRound('1', only);
    expect(await isReached(catchUp)).toBe(false);
    catchUp.emptyRound('1', only);
    expect(await isReached(catchUp)).toBe(true);
  });
});

describe('fetch rounds', () => {
  test('a fetch that lasted its waiting time found nothing', () => {
    const rounds = new FetchRounds(250);
    expect(rounds.started('1')).toBe('failed');
    rounds.ended('1', 249);
    expect(rounds.started('1')).toBe('empty');
  });

  test('a fetch that ended early without a batch had failed', () => {
    const rounds = new FetchRounds(250);
    rounds.started('1');
    rounds.ended('1', 3);
    expect(rounds.started('1')).toBe('failed');
  });

  test.each([3, 249])('a fetch that brought a batch after %i ms says nothing of other partitions', (ms) => {
    const rounds = new FetchRounds(250);
    rounds.started('1');
    rounds.ended('1', ms);
    rounds.batch();
    expect(rounds.started('1')).toBe('busy');
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
  const catchUps = new CatchUps(calls, 250);
  const fetch = (kind: 'busy' | 'empty') => {
    catchUps.fetchStarted('1');
    catchUps.fetchEnded('1', kind === 'busy' ? 5 : 250);
    if (kind === 'busy') catchUps.batch();
  };
  return { catchUps, fetch, held, catchUp: catchUps.begin([at(0, 5)]) };
}

describe('catching up under traffic', () => {
  test('other partitions never prove the missing one empty; they are held back until it is read', async () => {
    const { catchUps, fetch, held, catchUp } = setUp();
    for (let round = 0; round < 3; round += 1) fetch('busy');
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
    for (const kind of ['busy', 'busy', 'busy', 'busy', 'empty', 'empty', 'empty'] as const) fetch(kind);
    expect(await isReached(catchUp)).toBe(false);
    fetch('empty');
    expect(await isReached(catchUp)).toBe(true);
  });

  test('a consumer built anew holds nothing back, and nothing is let go that it does not hold', () => {
    const { catchUps, fetch, held, catchUp } = setUp();
    for (let round = 0; round < 4; round += 1) fetch('busy');
    catchUps.consumerEnded();
    catchUps.end(catchUp);
    expect(held).toEqual(['+1']);
  });
});
