import { MESSAGE_FORMS } from '../../../shared/contract/actions/message-forms.ts';
import { createMessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import type { Broker } from '../../../shared/messaging/ports.ts';
import { systemPorts } from '../../../shared/platform/system-ports.ts';
import { readDeadLettersArguments } from '../../../scripts/dead-letters/arguments.ts';
import { runDeadLettersCommand, type CommandReport } from '../../../scripts/dead-letters/command.ts';
import { brokerLetterLog, type LetterLog } from '../../../shared/dead-letters/letter-log.ts';
import { letterTopics, type LetterContext } from '../../../shared/dead-letters/letter-context.ts';

/** Shared by all tests, because it takes 0.3 s to create. */
const CODEC = createMessageCodec({ shapes: MESSAGE_FORMS, clock: systemPorts.clock });

/** The context of a command over the log of a test. */
export function commandContext(log: LetterLog, more: Partial<LetterContext> = {}): LetterContext {
  return {
    log,
    ...systemPorts,
    codec: CODEC,
    proofs: undefined,
    actor: { operator: 'olga', run: 'run-1', reason: undefined },
    topics: letterTopics(''),
    maxAuditRecords: 1_000_000,
    onProgress: () => undefined,
    signal: new AbortController().signal,
    ...more,
  };
}

type RunLine = (...args: string[]) => Promise<CommandReport>;

/** Runs command lines of `npm run dead-letters` over a log. */
export function deadLettersWith(log: LetterLog, more: Partial<LetterContext> = {}): RunLine {
  return async (...args) => {
    const read = readDeadLettersArguments(args, Date.now());
    if (read === undefined) throw new Error('--help does not print a report');
    const world = commandContext(log, more);
    const operator = read.operator ?? world.actor.operator;
    return runDeadLettersCommand(read.command, {
      ...world,
      actor: { ...world.actor, operator, reason: read.reason },
    });
  };
}

/** Runs command lines over a broker, which stays open. */
export async function deadLettersOver(broker: Broker, more: Partial<LetterContext> = {}): Promise<RunLine> {
  return deadLettersWith(await brokerLetterLog(broker), more);
}
