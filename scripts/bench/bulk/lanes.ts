/**
 * Measures the gain of the key-ordered executor: many keys compared with one, on one partition with a waiting handler.
 */

import { median } from '../load.ts';
import { askChild, startChild } from '../processes.ts';
import {
  atLeast,
  type BenchOptions,
  compareRates,
  inTurns,
  type PartResults,
  type Ratio,
} from '../rounds.ts';
import type { KafkaUnderTest } from '../system.ts';
import { ratioTable, table, thousands } from '../tables.ts';
import type { LaneWords } from './lane-consumer.ts';

/** The number of keys, and of messages per round. */
const ONE_KEY: LaneWords = { keys: 1, messages: 300 };
const MANY_KEYS: LaneWords = { keys: 20, messages: 6_000 };
const WARM_UP: LaneWords = { keys: 20, messages: 2_000 };
const AIM_SPEED_UP = 14;
const ANSWER_LIMIT_MS = 90_000;

/** Messages of one partition handled per second. */
interface LaneRate {
  readonly broker: 'embedded' | 'Kafka';
  readonly keys: number;
  readonly rounds: readonly number[];
}

interface LaneFigures {
  readonly rates: readonly LaneRate[];
  readonly ratios: readonly Ratio[];
}

/** Measures one key and many keys alternately, with a consumer process for each broker. */
export async function benchLanes(
  options: Pick<BenchOptions, 'rounds' | 'progress'>,
  kafka: KafkaUnderTest,
): Promise<PartResults<LaneFigures>> {
  const rates: LaneRate[] = [];
  const ratios: Ratio[] = [];
  for (const [broker, brokers] of [['embedded', ''] as const, ['Kafka', kafka.brokers.join(',')] as const]) {
    const [one = [], many = []] = await ratesOf(broker, brokers, options);
    rates.push({ broker, keys: ONE_KEY.keys, rounds: one }, { broker, keys: MANY_KEYS.keys, rounds: many });
    const name = `${MANY_KEYS.keys} keys / one key on one partition, handler of 5 ms: ${broker}`;
    ratios.push(atLeast(name, compareRates(many, one), AIM_SPEED_UP));
  }
  return { figures: { rates, ratios }, tables: [rateTable(rates), ratioTable(ratios)] };
}

async function ratesOf(
  broker: string,
  brokers: string,
  options: Pick<BenchOptions, 'rounds' | 'progress'>,
): Promise<readonly (readonly number[])[]> {
  const consumer = await startChild([
    'scripts/bench/bulk/lane-consumer.ts',
    brokers,
    `bench-${process.pid}.`,
  ]);
  const ask = (words: LaneWords): Promise<number> =>
    askChild<number>(consumer, { ...words }, ANSWER_LIMIT_MS);
  try {
    await ask(WARM_UP);
    const scenarios = [ONE_KEY, MANY_KEYS].map((words) => ({ words, name: `${broker}, ${words.keys} keys` }));
    return await inTurns(options, scenarios, ({ words }) => ask(words));
  } finally {
    await consumer.stop();
  }
}

function rateTable(rates: readonly LaneRate[]): string {
  const rows = rates.map(({ broker, keys, rounds }) => [
    broker,
    String(keys),
    thousands(median(rounds)),
    thousands(Math.max(...rounds)),
  ]);
  return table(['one partition, handler of 5 ms', 'keys', 'messages per second', 'fastest round'], rows);
}
