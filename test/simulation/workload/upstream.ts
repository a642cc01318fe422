import { HEADER } from '../../../shared/messaging/headers.ts';
import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import { REQUEST_BATCH } from '../../../shared/messaging/codec/request-batch.ts';
import { retryTopicName, TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { errorText } from '../../../shared/platform/errors.ts';
import { sleep } from '../../../shared/platform/system-ports.ts';
import type { UpstreamMessage } from '../check/history.ts';
import { digest } from '../check/journal.ts';
import { receiverOf } from './callers.ts';
import { actionOf, expectedAnswer } from './expected-answers.ts';
import type { PoisonMessage, UpstreamCommand, UpstreamRequest } from './plan.ts';
import type { World } from './world.ts';

/** An upstream system repeats a publish that was not acknowledged after this pause. */
const REPEAT_MS = 1_000;
const UUID_TAIL = 12;
const SHORTEST_TIER_MS = 5_000;
/** A copy on a retry tier that names a partition which its command topic does not have. */
const NO_ORIGIN = { [HEADER.retryTopic]: TOPIC.smsCommands, [HEADER.retryPartition]: '999' };

type Item = UpstreamRequest['items'][number];

export async function writeRequest(world: World, activity: UpstreamRequest): Promise<void> {
  const { id, topic, key, replyTopic, isBatch, items, copies } = activity;
  const encoded = await (isBatch ? encodeBatch(world, activity) : encodeItem(world, activity, items[0]));
  const reply = { [HEADER.correlationId]: id, [HEADER.replyTopic]: replyTopic };
  const headers = { ...encoded.headers, ...reply };
  const message: OutgoingMessage = { topic: TOPIC[topic], key, value: encoded.value, headers };
  const nowMs = world.system.clock.now();
  const expected = items.map(({ requestType, body }) => expectedAnswer(actionOf(requestType), body, nowMs));
  await write(world, { id, activity, expected }, [message], copies);
}

export async function writeCommand(world: World, activity: UpstreamCommand): Promise<void> {
  const { channel, receiver, isUrgent, format, copies, clockErrorMs } = activity;
  const type = channel === 'sms' ? 'SendSmsCommand' : 'SendEmailCommand';
  const notificationId = commandId(activity.id);
  const common = {
    notificationId,
    receiver: receiverOf(channel, receiver),
    message: `text of ${activity.id}.`,
  };
  const mail = { cc: [], bcc: [], contentType: 'text/plain', attachments: [] };
  const json = channel === 'sms' ? common : { ...common, subject: 'News' };
  const command = { sender: undefined, ...json, ...(channel === 'sms' ? {} : mail) };
  const encoded =
    format === 'avro'
      ? await world.codec.encode(type, command, 'avro')
      : { value: Buffer.from(JSON.stringify(json)), headers: { [HEADER.messageType]: type } };
  const message: OutgoingMessage = {
    topic: TOPIC[`${channel}${isUrgent ? 'Urgent' : ''}Commands`],
    key: `upstream-${channel}-${receiver}`,
    value: encoded.value,
    headers: encoded.headers,
    timestampMs: world.system.clock.now() + clockErrorMs,
  };
  await write(world, { id: activity.id, activity, expected: [] }, [message], copies);
}

/** The notification id of a command: a UUID that ends in digits of the activity. */
export function commandId(activityId: string): string {
  const tail = Buffer.from(activityId).toString('hex').slice(-UUID_TAIL).padStart(UUID_TAIL, '0');
  return `c0000000-0000-4000-8000-${tail}`;
}

export async function writePoison(world: World, activity: PoisonMessage): Promise<void> {
  const { topic, fault, key, id, count } = activity;
  const valid = Buffer.from(JSON.stringify({ jsonParam: { Amount: 1 } }));
  const types: Readonly<Record<string, string>> = {
    simulationRequests: 'SimulateRequest',
    productRequests: 'GetBankingProductDetailsRequest',
  };
  const type = types[topic] ?? 'CalculatePMTRequest';
  const headers = {
    [HEADER.correlationId]: id,
    ...(fault === 'no-type' || fault === 'garbage' ? {} : { [HEADER.messageType]: type }),
    ...(fault === 'unknown-reply-topic' ? { [HEADER.replyTopic]: 'no.such.topic' } : {}),
  };
  const value = fault === 'garbage' ? Buffer.from(`garbage of ${id}`) : valid;
  const messages = Array.from({ length: count }, (_, index): OutgoingMessage =>
    topic === 'retryTier'
      ? { topic: retryTopicName('', SHORTEST_TIER_MS), key, value, headers: { ...headers, ...NO_ORIGIN } }
      : { topic: TOPIC[topic], key: index === 0 ? key : `${key}-${index}`, value, headers },
  );
  await write(world, { id, activity, expected: [] }, messages, 1);
}

async function encodeItem(world: World, { format }: UpstreamRequest, item: Item | undefined) {
  if (item === undefined) throw new Error('a request without an item');
  const { requestType, body } = item;
  const read = actionOf(requestType).read(body);
  if (format === 'avro' && read.kind === 'valid')
    return world.codec.encode(requestType, read.payload, 'avro');
  return { value: Buffer.from(JSON.stringify(body)), headers: { [HEADER.messageType]: requestType } };
}

async function encodeBatch(world: World, activity: UpstreamRequest) {
  const { format, items } = activity;
  if (format === 'json') {
    const bodies = items.map(({ body }, index) => ({ id: itemId(index), ...body }));
    const value = Buffer.from(JSON.stringify(bodies));
    return { value, headers: { [HEADER.messageType]: items[0]?.requestType ?? '' } };
  }
  const values = await Promise.all(items.map((item) => encodeItem(world, activity, item)));
  const batch = { items: values.map(({ value }, index) => ({ id: itemId(index), value })) };
  return world.codec.encode(REQUEST_BATCH, batch, 'avro');
}

function itemId(index: number): string {
  return `item-${index + 1}`;
}

async function write(
  world: World,
  upstream: UpstreamMessage,
  messages: readonly OutgoingMessage[],
  copies: number,
): Promise<void> {
  const { history, journal, system } = world;
  const { id } = upstream;
  history.upstream.push(upstream);
  const client = `upstream ${id}`;
  const publisher = world.startClient(client).broker.createPublisher({ clientId: client });
  const [first] = messages;
  const where = `${messages.length} to ${first?.topic} key ${String(first?.key)} ${digest(first?.value ?? '')}`;
  const start = publisher.start().catch(() => undefined);
  for (let copy = 1; copy <= copies;) {
    journal.note('upstream', `publishes ${where}`, id);
    try {
      await publisher.publish(messages);
      journal.note('upstream', 'has the acknowledgement', id);
      upstream.acknowledgedAtMs ??= system.monotonic.elapsedMs();
      copy += 1;
    } catch (error) {
      upstream.wasRefused = true;
      journal.note('upstream', `has no acknowledgement: ${errorText(error)}`, id);
      if (world.isOver()) break;
      await sleep(system.timers, REPEAT_MS);
    }
  }
  await start;
  await publisher.stop();
}
