import { CONSUMER_DEFAULTS, type RuntimeOptions } from './consumer-options.ts';
import type { GroupSource } from '../ports.ts';

/** What a consumer does again and again while it reads a source: commit, and keep its membership alive. */
export function startConsumerTimers(
  options: RuntimeOptions,
  source: Pick<GroupSource, 'heartbeat'>,
  tick: () => void,
): readonly NodeJS.Timeout[] {
  const { commitIntervalMs, heartbeatIntervalMs } = { ...CONSUMER_DEFAULTS, ...options };
  const beat = () => {
    source.heartbeat().catch((error: unknown) => {
      options.log.warn({ err: error }, 'a heartbeat failed');
    });
  };
  return [setInterval(tick, commitIntervalMs), setInterval(beat, heartbeatIntervalMs)];
}
