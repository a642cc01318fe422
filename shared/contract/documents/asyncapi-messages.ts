/** The messages of the AsyncAPI document: every message type in both of its formats. */

import { messageDefinition, PROBLEM_TYPE } from '../../../schemas/messages.ts';
import { readSchema } from '../../../schemas/schema-files.ts';
import { createProblem } from '../../platform/problem.ts';
import { CATALOGUE_RECORD } from '../catalogue-files/catalogue-message.ts';
import type { Action } from '../json/action.ts';
import { CATALOGUE_RECORD_EXAMPLE, catalogueRecordSchema } from '../catalogue-files/json-form.ts';
import { jsonSchemaOf } from '../json/json-schema.ts';
import {
  CATALOGUE_MESSAGE_HEADERS,
  ERROR_MESSAGE_HEADERS,
  headersSchema,
  replyMessageHeaders,
  REQUEST_MESSAGE_HEADERS,
  type MessageHeader,
} from './headers.ts';
import { HEADER } from '../../messaging/header-names.ts';
import { problemSchema } from '../json/problem.ts';

export const KAFKA_BINDING_VERSION = '0.5.0';
const AVRO_FORMAT = 'application/vnd.apache.avro;version=1.9.0';
const JSON_FORMAT = 'application/schema+json;version=draft-07';

export interface MessageKind {
  readonly type: string;
  readonly summary: string;
  readonly headers: readonly MessageHeader[];
  readonly jsonSchema: object;
  readonly example: unknown;
}

/** Names of the two messages of a type. */
export function messageNames(type: string): readonly [avro: string, json: string] {
  return [`${type}.avro`, `${type}.json`];
}

/** All messages of the actions, the error reply, the catalogue's and the others, by name. */
export function asyncApiMessages(
  actions: readonly Action[],
  others: readonly MessageKind[],
): Record<string, object> {
  const kinds = [...actions.flatMap(kindsOfAction), problemKind(), catalogueKind(), ...others];
  return Object.fromEntries(
    kinds.flatMap((kind) => {
      const [avro, json] = messageNames(kind.type);
      return [
        [avro, avroMessage(kind)],
        [json, jsonMessage(kind)],
      ];
    }),
  );
}

function kindsOfAction(action: Action): MessageKind[] {
  const [example] = action.examples;
  return [
    {
      type: action.requestType,
      summary: action.summary,
      headers: REQUEST_MESSAGE_HEADERS,
      jsonSchema: jsonSchemaOf(action.requestShape),
      example: example.request,
    },
    {
      type: action.replyType,
      summary: `Answer of ${action.name}`,
      headers: replyMessageHeaders(action.answerHeaders),
      jsonSchema: jsonSchemaOf(action.replyShape),
      example: example.reply,
    },
  ];
}

function problemKind(): MessageKind {
  return {
    type: PROBLEM_TYPE,
    summary: 'Answer to a request that was refused or failed',
    headers: ERROR_MESSAGE_HEADERS,
    jsonSchema: problemSchema(),
    example: createProblem('not-computable'),
  };
}

function catalogueKind(): MessageKind {
  return {
    type: CATALOGUE_RECORD,
    summary: 'A version of a record of the product catalogue',
    headers: CATALOGUE_MESSAGE_HEADERS,
    jsonSchema: catalogueRecordSchema(),
    example: CATALOGUE_RECORD_EXAMPLE,
  };
}

function avroMessage(kind: MessageKind): object {
  const definition = messageDefinition(kind.type);
  if (definition === undefined) throw new Error(`the catalogue of messages has no ${kind.type}`);
  const schema: unknown = JSON.parse(readSchema(definition));
  return {
    ...message(kind),
    title: `${kind.type} in Avro`,
    contentType: 'application/vnd.apache.avro',
    payload: { schemaFormat: AVRO_FORMAT, schema },
    /** What stands in the wire format's four bytes where no schema registry is used. */
    'x-schema-id-without-registry': definition.localSchemaId,
    bindings: {
      kafka: {
        schemaIdLocation: 'payload',
        schemaIdPayloadEncoding: 'confluent',
        schemaLookupStrategy: 'RecordNameStrategy',
        bindingVersion: KAFKA_BINDING_VERSION,
      },
    },
  };
}

function jsonMessage(kind: MessageKind): object {
  return {
    ...message(kind),
    title: `${kind.type} in JSON`,
    contentType: 'application/json',
    payload: { schemaFormat: JSON_FORMAT, schema: kind.jsonSchema },
    bindings: { kafka: { bindingVersion: KAFKA_BINDING_VERSION } },
    examples: [{ name: kind.type, summary: kind.summary, payload: kind.example }],
  };
}

function message({ type, summary, headers }: MessageKind): object {
  const isCorrelated = headers.some(({ name }) => name === HEADER.correlationId);
  return {
    name: type,
    summary,
    headers: headersSchema(headers),
    ...(isCorrelated ? { correlationId: { location: `$message.header#/${HEADER.correlationId}` } } : {}),
  };
}
