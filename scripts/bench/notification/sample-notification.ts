import { smsCommandReader } from '../../../shared/contract/notification/commands.ts';
import type { KafkaCall } from '../calls/kafka-scenarios.ts';
import { benchCodec } from '../calls/sample-messages.ts';

/** A valid Romanian mobile number; the last digits tell the receivers apart. */
const FIRST_NUMBER = 40_722_100_000;

function smsTo(receiver: number): {
  readonly sender: string;
  readonly message: string;
  readonly receiver: string;
} {
  return {
    sender: 'YourBank',
    message: 'Your card ending in 1234 was used for 45.00 EUR. If it was not you, call us now.',
    receiver: `+${FIRST_NUMBER + receiver}`,
  };
}

/** An SMS that is accepted, each connection for a receiver of its own: its command and then the record of its acceptance. */
export const ACCEPT_CALL: KafkaCall = {
  scenario: 'Kafka: SMS accepted over HTTP',
  path: '/api/notifications/v1/sms/send',
  body: (slot) => JSON.stringify(smsTo(slot)),
  headers: ['X-Communication-Channel: 1', 'X-Sender-Id: platrealm'],
};

/** Sizes of the two messages of an accepted SMS, so that the raw round trip carries as much. */
export async function notificationMessageSizes(): Promise<{ requestBytes: number; replyBytes: number }> {
  const codec = benchCodec();
  const notificationId = '0b6f3c4e-2d1a-4f7b-9c8d-1e2f3a4b5c6d';
  const read = smsCommandReader.parse({ ...smsTo(0), notificationId }, { hasDefaultSender: true });
  if (read.kind !== 'valid') throw new Error('the sample is not valid');
  const acceptance = {
    notificationId,
    channel: 'sms',
    acceptedAt: Date.now(),
    owner: 'q83vEjRWeJCrze8S',
    bodyHash: '',
  };
  const [command, record] = await Promise.all([
    codec.encode('SendSmsCommand', read.payload, 'avro'),
    codec.encode('NotificationAcceptance', acceptance, 'avro'),
  ]);
  return { requestBytes: command.value.length, replyBytes: record.value.length };
}
