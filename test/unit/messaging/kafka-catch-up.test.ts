import { describe, expect, test } from 'vitest';
import { CatchUp } from '../../../shared/messaging/kafka-catch-up.ts';
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

  test('takes the rest for empty when every broker has answered three fetches without anything of it', async () => {
    const catchUp = new CatchUp([at(0, 5)], () => 4);
    for (const broker of ['1', '1', '1', '2', '2']) catchUp.roundEnded(broker, BROKERS);
    expect(await isReached(catchUp)).toBe(false);
    catchUp.roundEnded('2', BROKERS);
    expect(await isReached(catchUp)).toBe(true);
  });

  test('counts anew after progress and after a rejoin', async () => {
    const catchUp = new CatchUp([at(0, 5)], () => 0);
    const only = new Set(['1']);
    catchUp.roundEnded('1', only);
    catchUp.roundEnded('1', only);
    catchUp.moved(at(0, 4));
    catchUp.roundEnded('1', only);
    catchUp.roundEnded('1', only);
    catchUp.restarted();
    catchUp.roundEnded('1', only);
    catchUp.roundEnded('1', only);
    expect(await isReached(catchUp)).toBe(false);
    catchUp.roundEnded('1', only);
    expect(await isReached(catchUp)).toBe(true);
  });
});

describe('fetch rounds', () => {
  test('a fetch that lasted its waiting time was answered', () => {
    const rounds = new FetchRounds(250);
    expect(rounds.started('1')).toBe(false);
    rounds.ended('1', 249);
    expect(rounds.started('1')).toBe(true);
  });

  test('a fetch that ended early without a batch had failed', () => {
    const rounds = new FetchRounds(250);
    rounds.started('1');
    rounds.ended('1', 3);
    expect(rounds.started('1')).toBe(false);
  });

  test('a fetch that ended early with a batch was answered', () => {
    const rounds = new FetchRounds(250);
    rounds.started('1');
    rounds.ended('1', 3);
    rounds.batch();
    expect(rounds.started('1')).toBe(true);
  });
});
