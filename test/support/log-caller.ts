import { expect, onTestFinished } from 'vitest';
import { HEADER } from '../../shared/messaging/headers.ts';
import type { LogMessage, MessageHeaders } from '../../shared/messaging/message.ts';
import type { Broker } from '../../shared/messaging/ports.ts';

const REPLY_TOPIC = 'an.upstream.system.replies';
/** On a busy machine a calculation thread takes seconds to start. */
const REPLY_LIMIT_MS = 30_000;

/** One request as an upstream system puts it onto the log. */
export interface LogCall {
  readonly topic: string;
  readonly value: Buffer;
  readonly headers: MessageHeaders;
  readonly timestampMs?: number;
}

/**
 * An upstream system that sends a request over the log, with the correlation id `loan-4711`, and waits for the reply on
 * its own topic.
 */
export async function createLogCaller(broker: Broker): Promise<(call: LogCall) => Promise<LogMessage>> {
  await broker.admin.createTopics([{ topic: REPLY_TOPIC, partitions: 1 }]);
  const replies: LogMessage[] = [];
  const tail = broker.createTail({ clientId: 'test', topics: [REPLY_TOPIC], from: 'earliest' });
  await tail.start((message) => replies.push(message));
  const publisher = broker.createPublisher({ clientId: 'upstream' });
  await publisher.start();
  onTestFinished(() => publisher.stop());
  return async (call) => {
    const own = { [HEADER.replyTopic]: REPLY_TOPIC, [HEADER.correlationId]: 'loan-4711' };
    const before = replies.length;
    await publisher.publish([{ ...call, key: 'contract-1', headers: { ...call.headers, ...own } }]);
    await expect.poll(() => replies.length, { timeout: REPLY_LIMIT_MS }).toBe(before + 1);
    const reply = replies.at(-1);
    if (reply === undefined) throw new Error('no reply');
    return reply;
  };
}
