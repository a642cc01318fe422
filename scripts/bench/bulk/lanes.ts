/** What lanes by key are worth: one partition, a handler that waits, many keys beside one. */

import { askChild, startChild } from '../child-process.ts';
import { median } from '../closed-loop.ts';
import { atLeast } from '../interleaved.ts';
import type { LaneWords } from './lane-consumer.ts';
import type { Ratio } from '../measurement.ts';

/** The consumer of both: keys of the messages, and how many of those make a round. */
const ONE_KEY: LaneWords = { keys: 1, messages: 300 };
const MANY_KEYS: LaneWords = { keys: 20, messages: 6_000 };
const WARM_UP: LaneWords = { keys: 20, messages: 2_000 };
const AIM_SPEED_UP = 14;
const ANSWER_LIMIT_MS = 90_000;

/** Messages of one partition handled in a second. */
export interface LaneRate {
  readonly broker: 'embedded' | 'Kafka';
  readonly keys: number;
  readonly rounds: readonly number[];
}

/** Figures of the lanes. */
export interface LaneResults {
  readonly rates: readonly LaneRate[];
  readonly ratios: readonly Ratio[];
}

/** A consumer process for each broker; one key and many keys in turns. */
export async function benchLanes(options: {
  readonly brokers: readonly string[];
  readonly rounds: number;
  readonly progress: (text: string) => void;
}): Promise<LaneResults> {
  const rates = [
    ...(await ratesOf('embedded', '', options)),
    ...(await ratesOf('Kafka', options.brokers.join(','), options)),
  ];
  const ratios = (['embedded', 'Kafka'] as const).flatMap((broker) => {
    const [one, many] = rates.filter((rate) => rate.broker === broker);
    return one === undefined || many === undefined ? [] : [speedUp(one, many)];
  });
  return { rates, ratios };
}

async function ratesOf(
  broker: LaneRate['broker'],
  brokers: string,
  { rounds, progress }: { readonly rounds: number; readonly progress: (text: string) => void },
): Promise<readonly LaneRate[]> {
  const args = ['scripts/bench/bulk/lane-consumer.ts', brokers, `bench-${process.pid}.`];
  const consumer = await startChild(args, /READY/);
  try {
    await askChild<number>(consumer, WARM_UP, ANSWER_LIMIT_MS);
    const one: number[] = [];
    const many: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      progress(`round ${round}/${rounds}: lanes by key, ${broker}`);
      one.push(await askChild<number>(consumer, ONE_KEY, ANSWER_LIMIT_MS));
      many.push(await askChild<number>(consumer, MANY_KEYS, ANSWER_LIMIT_MS));
    }
    return [
      { broker, keys: ONE_KEY.keys, rounds: one },
      { broker, keys: MANY_KEYS.keys, rounds: many },
    ];
  } finally {
    await consumer.stop();
  }
}

function speedUp(one: LaneRate, many: LaneRate): Ratio {
  const measured = {
    value: median(many.rounds.map((rate, round) => rate / (one.rounds[round] ?? Number.NaN))),
    byFastest: Math.max(...many.rounds) / Math.max(...one.rounds),
  };
  return atLeast(
    `${many.keys} keys / one key on one partition, handler of 5 ms: ${many.broker}`,
    measured,
    AIM_SPEED_UP,
  );
}
