import { expect, it } from 'vitest';
import { silentLog } from '../../shared/platform/log.ts';
import { openKafkaScope } from '../support/kafka/scope.ts';
import { kafkaOrSkip } from '../support/kafka/suite.ts';
import { measureUrgentLatencies, reportUrgentLatencies } from '../support/worlds/urgent-latency.ts';
import { createKafkaBroker } from '../support/kafka/broker.ts';

/** As in test/worker/notification/urgent-latency.test.ts. */
const QUEUED = Number(process.env['URGENT_QUEUED'] ?? 0);
/** Takes 50 s at the rate limit of the provider. */
const FEW = 5_000;
const LIMIT_MS = 300_000;

const { kafka, suite } = kafkaOrSkip();

const measure = async (given: { queued: number; rounds: number; perRound: number; settleMs: number }) => {
  const scope = await openKafkaScope(kafka.brokers);
  const broker = createKafkaBroker({ brokers: kafka.brokers, clientId: 'urgent-test', log: silentLog });
  try {
    return await measureUrgentLatencies({ broker, prefix: scope.prefix, pauseMs: 20, ...given });
  } finally {
    await broker.close();
    await scope.close();
  }
};

suite('urgent messages on Kafka', () => {
  it('are sent while normal messages wait for their provider', async () => {
    const { loaded, left } = await measure({ queued: FEW, rounds: 1, perRound: 10, settleMs: 500 });
    expect(loaded).toHaveLength(10);
    expect(left).toBeGreaterThan(FEW / 2);
  });

  it.each(QUEUED > 0 ? [QUEUED] : [])(
    'have twice the latency of an idle worker at most, while %i normal ones wait',
    async (queued) => {
      const found = await measure({ queued, rounds: 6, perRound: 100, settleMs: 3_000 });
      expect(reportUrgentLatencies('Kafka', found)).toBeLessThanOrEqual(2);
    },
    LIMIT_MS,
  );
});
