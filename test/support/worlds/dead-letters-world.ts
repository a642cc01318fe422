import { MESSAGE_FORMS } from '../../../shared/api/actions/message-forms.ts';
import { createMessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { createCommandProofs } from '../../../shared/notification/command-proof.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';
import { readDeadLettersArguments } from '../../../scripts/dead-letters/dead-letters-arguments.ts';
import {
  runDeadLettersCommand,
  type CommandReport,
  createDeadLetterApi,
} from '../../../scripts/dead-letters/run-dead-letters.ts';
import {
  type DeadLetterLog,
  deadLetterTopics,
  type DeadLetterContext,
} from '../../../shared/dead-letters/dead-letter-log.ts';
import { openNotificationIngress } from './ingress-fixture.ts';

/** Shared by all tests, because it takes 0.3 s to create. */
const CODEC = createMessageCodec({ shapes: MESSAGE_FORMS, clock: systemPorts.clock });

export function callContext(log: DeadLetterLog, more: Partial<DeadLetterContext> = {}): DeadLetterContext {
  return {
    log,
    ...systemPorts,
    codec: CODEC,
    proofs: createCommandProofs('a secret of tests'),
    actor: { operator: 'olga', run: 'run-1', reason: undefined },
    topics: deadLetterTopics(''),
    maxAuditRecords: 1_000_000,
    signal: new AbortController().signal,
    ...more,
  };
}

type RunLine = (...args: string[]) => Promise<CommandReport>;

/** Runs command lines of `npm run dead-letters` by calls of an ingress. Actions get a reason if they have none. */
export function deadLettersAt(url: string, token?: string): RunLine {
  return async (...args) => {
    const isRead = args[0] === 'list' || args[0] === 'show';
    const reason = isRead || args.includes('--reason') ? [] : ['--reason', 'a test'];
    const read = readDeadLettersArguments([...args, ...reason], Date.now());
    if (read === undefined) throw new Error('--help does not print a report');
    return runDeadLettersCommand(read, {
      api: createDeadLetterApi(url, token),
      onProgress: () => undefined,
      signal: new AbortController().signal,
    });
  };
}

/** Runs command lines by calls of an ingress of its own over a broker. */
export async function deadLettersOver(broker: Broker, resultSecret?: string): Promise<RunLine> {
  const settings = resultSecret === undefined ? {} : { resultSecret };
  const { url } = await openNotificationIngress({ broker, ...settings });
  return deadLettersAt(url);
}
