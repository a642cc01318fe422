import { limitCodes, type Metrics } from '../../platform/metrics.ts';
import type { Consumer } from '../consumer/consumer.ts';
import type { BatchCounts } from './batch-handler.ts';
import type { Handled } from './request-handling.ts';

export type ConsumerMetrics = ReturnType<typeof consumerMetrics>;

export function consumerMetrics(metrics: Metrics, worker: string) {
  const durations = metrics.duration('plat_handler_duration_seconds');
  const deadLetters = metrics.counter('plat_dead_letters_total');
  const limited = limitCodes();
  const batchItems = metrics.counter('plat_batch_items_total');
  const lag = metrics.gauge('plat_consumer_lag_messages');
  const states = metrics.gauge('plat_consumer_state');
  return {
    onHandled: ({ type, result, durationMs }: Handled): void =>
      durations.observe({ worker, type, result }, durationMs / 1_000),
    onBatchItems: (counts: BatchCounts): void => {
      for (const [result, items] of Object.entries(counts)) batchItems.inc({ worker, result }, items);
    },
    onDeadLetter: (code: string): void => deadLetters.inc({ worker, code: limited(code) }),
    follow: (consumer: Pick<Consumer, 'lag' | 'stats'>): void => {
      metrics.onScrape(() => {
        for (const { topic, partition, lag: messages } of consumer.lag())
          lag.set({ worker, topic, partition }, messages);
        for (const [figure, value] of Object.entries(consumer.stats()))
          if (figure !== 'partitions') states.set({ worker, figure }, value);
      });
    },
  };
}
