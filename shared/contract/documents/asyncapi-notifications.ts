/** The notifications in the AsyncAPI document: commands that upstream systems may write, and the records about them. */

import { PROBLEM_TYPE } from '../../../schemas/messages.ts';
import { HEADER } from '../../messaging/header-names.ts';
import { topicName, type TopicKey } from '../../messaging/topics/topics.ts';
import { jsonSchemaOf } from '../json/json-schema.ts';
import { ACCEPTANCE_EXAMPLE, STATE_EXAMPLE } from '../notification/examples.ts';
import { acceptanceSchema, stateSchema } from '../notification/record-forms.ts';
import { NOTIFICATIONS, type NotificationContract } from '../notification/notifications.ts';
import { KAFKA_BINDING_VERSION, messageNames, type MessageKind } from './asyncapi-messages.ts';
import { CATALOGUE_MESSAGE_HEADERS, COMMAND_MESSAGE_HEADERS } from './headers.ts';

/** Records about notifications by their topics. */
const RECORDS: readonly { readonly topic: TopicKey; readonly kind: MessageKind; readonly about: string }[] = [
  {
    topic: 'notificationAcceptances',
    kind: {
      type: 'NotificationAcceptance',
      summary: 'What an ingress has accepted',
      headers: CATALOGUE_MESSAGE_HEADERS,
      jsonSchema: acceptanceSchema(),
      example: ACCEPTANCE_EXAMPLE,
    },
    about:
      'One record for each notification that came over HTTP, compacted, under its id. Written by the ingress.',
  },
  {
    topic: 'notificationOutcomes',
    kind: {
      type: 'NotificationState',
      summary: 'How far a notification has come',
      headers: CATALOGUE_MESSAGE_HEADERS,
      jsonSchema: stateSchema(),
      example: STATE_EXAMPLE,
    },
    about:
      'The latest state of each notification, compacted, under its id. Written by the notification worker.',
  },
];

/** The messages of the commands and of the records. */
export function notificationKinds(): readonly MessageKind[] {
  return [...NOTIFICATIONS.map(commandKind), ...RECORDS.map(({ kind }) => kind)];
}

function commandKind({ commandType, summary, commandShape, example }: NotificationContract): MessageKind {
  return {
    type: commandType,
    summary,
    headers: COMMAND_MESSAGE_HEADERS,
    jsonSchema: jsonSchemaOf(commandShape),
    example,
  };
}

export function notificationChannels(prefix: string): Record<string, object> {
  const commands = NOTIFICATIONS.map(({ topic, commandType, summary }) => [
    topic,
    channel(prefix, topic, { type: commandType, title: `${summary}: commands` }),
  ]);
  const records = RECORDS.map(({ topic, kind, about }) => [
    topic,
    { ...channel(prefix, topic, { type: kind.type, title: kind.summary }), description: about },
  ]);
  return Object.fromEntries([...commands, ...records]) as Record<string, object>;
}

function channel(prefix: string, topic: TopicKey, { type, title }: { type: string; title: string }): object {
  const address = topicName(prefix, topic);
  const names = messageNames(type);
  return {
    address,
    title,
    messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
    bindings: { kafka: { topic: address, bindingVersion: KAFKA_BINDING_VERSION } },
  };
}

/** A command is carried out without an answer; only one that is refused is answered where it names an address. */
export function notificationOperations(replies: string): [string, object][] {
  return NOTIFICATIONS.map(({ name, summary, description, topic, commandType }) => [
    name,
    {
      action: 'receive',
      summary,
      description: `${description} A command that is refused is answered with the problem; nothing else is answered.`,
      channel: { $ref: `#/channels/${topic}` },
      messages: messageNames(commandType).map((message) => ({
        $ref: `#/channels/${topic}/messages/${message}`,
      })),
      reply: {
        address: {
          location: `$message.header#/${HEADER.replyTopic}`,
          description: 'Chosen by the sender; without one a refused command becomes a dead letter.',
        },
        channel: { $ref: `#/channels/${replies}` },
        messages: messageNames(PROBLEM_TYPE).map((message) => ({
          $ref: `#/channels/${replies}/messages/${message}`,
        })),
      },
      bindings: { kafka: { bindingVersion: KAFKA_BINDING_VERSION } },
    },
  ]);
}
