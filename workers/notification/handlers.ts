import type { InvalidRequest } from '../../shared/contract/json/request-contract.ts';
import {
  checkAttachments,
  checkEmailCommand,
  checkSmsCommand,
} from '../../shared/contract/notification/check-notification-command.ts';
import type { Handlers, RequestContext } from '../../shared/messaging/handler/handle-by-type.ts';
import type { LogMessage } from '../../shared/messaging/message.ts';
import { refused, type Outcome } from '../../shared/messaging/outcome.ts';
import type { Channel, EmailCommand, Outbound, SmsCommand } from '../../shared/notification/command.ts';
import { createProblem } from '../../shared/platform/problem.ts';
import { readCopy } from './state/command-copy.ts';
import type { CommandDelivery } from './delivery/command-delivery.ts';

/** Types of the commands by channel. */
export const COMMAND_TYPES = { sms: 'SendSmsCommand', email: 'SendEmailCommand' } as const;

/** What our own headers may add to a command on its way over tiers; with them it has to fit where it came from. */
const ROOM_FOR_HEADERS_BYTES = 64 * 1_024;
/** The largest record of our topics. */
const MAX_RECORD_BYTES = 8 * 1_024 * 1_024;

/** The handlers of one channel's commands: what is wrong with a command is refused, the rest delivered. */
export function createHandlers(channel: Channel, delivery: CommandDelivery): Handlers {
  if (channel === 'sms') {
    return {
      [COMMAND_TYPES.sms]: (payload, context) => {
        const command = payload as SmsCommand;
        const outbound = (id: string): Outbound => ({ ...command, channel: 'sms', id });
        return pass(checkSmsCommand(command), command, outbound, { delivery, context });
      },
    };
  }
  return {
    [COMMAND_TYPES.email]: async (payload, context) => {
      const command = payload as EmailCommand;
      const outbound = (id: string): Outbound => ({ ...command, channel: 'email', id });
      const faults = checkEmailCommand(command) ?? (await checkAttachments(command));
      return pass(faults, command, outbound, { delivery, context });
    },
  };
}

function pass(
  faults: InvalidRequest | undefined,
  { notificationId }: SmsCommand | EmailCommand,
  outbound: (id: string) => Outbound,
  { delivery, context }: { readonly delivery: CommandDelivery; readonly context: RequestContext },
): Outcome | Promise<Outcome> {
  if (faults !== undefined) return refused(createProblem(faults.problem, { errors: faults.faults }));
  const { message } = context;
  if (isTooLarge(message)) {
    return refused(
      createProblem('body-too-large', { detail: 'The command leaves no room for its retries.' }),
    );
  }
  const copy = readCopy(message, context.originTimestampMs, notificationId);
  return delivery.deliver(copy, outbound(copy.id), context);
}

function isTooLarge({ value, key }: LogMessage): boolean {
  return (value?.length ?? 0) + (key?.length ?? 0) > MAX_RECORD_BYTES - ROOM_FOR_HEADERS_BYTES;
}
