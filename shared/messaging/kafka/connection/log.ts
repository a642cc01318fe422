import type { logCreator } from 'kafkajs';
import type { Log } from '../../../platform/log.ts';

/** Fields that are passed on; none of them carries payloads, keys or credentials. */
const FIELDS = ['broker', 'groupId', 'error', 'retryCount', 'apiName'] as const;

/**
 * kafkajs' own log lines in our log, as debug lines whatever level it gives them: it logs each refused answer and each
 * failed attempt as an error, also those that belong to normal life (a rebalance, a topic that is asked for and not
 * there). The adapters report what matters, once.
 */
export function toKafkajsLog(log: Log): logCreator {
  return () =>
    ({ namespace, log: line }) => {
      const fields: Record<string, unknown> = { kafkajs: namespace };
      for (const name of FIELDS) {
        const value: unknown = line[name];
        if (typeof value === 'string' || typeof value === 'number') fields[name] = value;
      }
      log.debug(fields, line.message);
    };
}
