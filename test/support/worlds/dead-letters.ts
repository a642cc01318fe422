import { HEADER } from '../../../shared/messaging/headers.ts';
import type { LogMessage } from '../../../shared/messaging/message.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { readDeadLetter, type DeadLetter } from '../../../shared/dead-letters/read-dead-letter.ts';

export const LETTER_AT_MS = Date.UTC(2026, 4, 1, 10);

export function deadLetterMessage(
  headers: LogMessage['headers'] = {},
  more: Partial<LogMessage> = {},
): LogMessage {
  return {
    topic: TOPIC.notificationDeadLetters,
    partition: 4,
    offset: 17,
    key: Buffer.from('ab'.repeat(32)),
    value: Buffer.from('{"receiver":"+40722123456","message":"hello"}'),
    timestampMs: LETTER_AT_MS + 5,
    ...more,
    headers: {
      [HEADER.messageType]: 'SendSmsCommand',
      [HEADER.notificationId]: '0c6a9f5e-1d5c-4b9e-8f7a-3f1f3a0f2b11',
      [HEADER.attempt]: '3',
      [HEADER.originTimestamp]: '1777600000000',
      [HEADER.deadLetterTopic]: TOPIC.smsCommands,
      [HEADER.deadLetterPartition]: '4',
      [HEADER.deadLetterOffset]: '912',
      [HEADER.deadLetterTimestamp]: '1777600000000',
      [HEADER.deadLetterGroup]: 'plat.notification.sms',
      [HEADER.deadLetterCode]: 'smtp-550-5.1.1',
      [HEADER.deadLetterReason]: 'the provider refused it',
      [HEADER.deadLetterAttempts]: '1',
      [HEADER.deadLetterAt]: String(LETTER_AT_MS),
      ...headers,
    },
  };
}

export function deadLetter(headers: LogMessage['headers'] = {}, more: Partial<DeadLetter> = {}): DeadLetter {
  return { ...readDeadLetter(deadLetterMessage(headers)), ...more };
}
