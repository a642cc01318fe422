import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { writeJsonReplyBatch } from '../../../../shared/messaging/codec/json-message.ts';
import {
  type BatchItemId,
  type EncodedBatch,
  type ReplyBatch,
  REQUEST_BATCH,
  type RequestBatch,
} from '../../../../shared/messaging/codec/request-batch.ts';
import { atOnce, codecOf, itemsOf, payloadOf } from '../../../support/builders/codec-calls.ts';
import { REQUEST, smallRequest } from '../../../support/builders/codec-fixture.ts';

const codec = codecOf();
const RUNS = { numRuns: 300 };
const small = atOnce(codec.encode(REQUEST, smallRequest, 'avro')).value;
const smallJson = JSON.parse(String(atOnce(codec.encode(REQUEST, smallRequest, 'json')).value)) as object;

const ids = fc.option(
  fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
    fc.integer({ min: -(2 ** 53) + 1, max: 2 ** 53 - 1 }),
  ),
  { nil: undefined },
);
const replies = fc.array(
  fc.record({
    id: ids,
    status: fc.constantFrom(200, 400, 422, 500),
    value: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    warnings: fc.option(fc.string(), { nil: undefined }),
    holidayCalendar: fc.option(fc.string(), { nil: undefined }),
  }),
  { maxLength: 30 },
);
const asText = (id: BatchItemId | undefined) => (id === undefined ? undefined : String(id));
const JSON_HEADERS = { 'plat-message-type': REQUEST };

it('reads back every batch of requests in Avro, with its ids as strings', () => {
  fc.assert(
    fc.property(fc.array(ids, { minLength: 1, maxLength: 30 }), (all) => {
      const batch: RequestBatch = { items: all.map((id) => ({ id, value: small })) };
      const withTexts = batch.items.map((one) => ({ ...one, id: asText(one.id) }));
      expect(codec.faultsOf(REQUEST_BATCH, { items: withTexts })).toEqual([]);
      const { value } = atOnce(codec.encode(REQUEST_BATCH, batch, 'avro'));
      const items = itemsOf(codec.decode({ value, headers: {} }));
      expect(items.map(({ id }) => id)).toEqual(all.map(asText));
      for (const item of items) expect(item.decode()).toMatchObject({ type: REQUEST, payload: smallRequest });
    }),
    RUNS,
  );
});

it('reads back every batch of requests in JSON with any indentation', () => {
  const indents = fc.constantFrom(undefined, 1, '\t');
  fc.assert(
    fc.property(fc.array(ids, { minLength: 1, maxLength: 30 }), indents, (all, indent) => {
      const sent = all.map((id) => ({ id, ...smallJson }));
      const value = Buffer.from(JSON.stringify(sent, undefined, indent));
      const items = itemsOf(codec.decode({ value, headers: JSON_HEADERS }));
      expect(items.map(({ id }) => id)).toEqual(all);
      for (const item of items) expect(item.decode()).toMatchObject({ type: REQUEST, payload: smallRequest });
    }),
    RUNS,
  );
});

it('writes id, status, headers and body of every reply of a batch in JSON', () => {
  fc.assert(
    fc.property(replies, (items) => {
      const batch: ReplyBatch = {
        items: items.map((item, index) => ({ ...item, value: Buffer.from(`[${index}, "é"]`) })),
      };
      const expected = items.map(({ id, status, warnings, holidayCalendar }, index) => {
        const hasHeaders = warnings !== undefined || holidayCalendar !== undefined;
        const headers = { 'plat-warnings': warnings, 'plat-holiday-calendar': holidayCalendar };
        return { id, status, headers: hasHeaders ? headers : undefined, body: [index, 'é'] };
      });
      const written: unknown = JSON.parse(writeJsonReplyBatch(batch).toString('utf8'));
      expect(written).toEqual(JSON.parse(JSON.stringify(expected)));
    }),
    RUNS,
  );
});

it('never throws on arbitrary bytes instead of a batch or its items', () => {
  const json = fc.constantFrom('{', '}', '[', ']', ',', '"', '\\', ' ', '1', '"id":', '"jsonParam":', 'é');
  fc.assert(
    fc.property(fc.array(json, { maxLength: 40 }), (parts) => {
      const decoded = codec.decode({ value: Buffer.from(`[${parts.join('')}`), headers: JSON_HEADERS });
      const opened = (payloadOf(decoded) as EncodedBatch).open();
      const found =
        opened.kind === 'invalid'
          ? [opened.problem.code]
          : opened.items.map((item) => atOnce(item.decode()).kind);
      const expected = new Set(['malformed-json', 'invalid-request', 'decoded', 'undecodable']);
      expect(found.filter((one) => !expected.has(one))).toEqual([]);
    }),
    { numRuns: 3_000 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const head = atOnce(codec.encode(REQUEST_BATCH, { items: [] }, 'avro')).value.subarray(0, 5);
      const decoded = codec.decode({ value: Buffer.concat([head, Buffer.from(bytes)]), headers: {} });
      expect(['items', 'invalid']).toContain((payloadOf(decoded) as EncodedBatch).open().kind);
    }),
    { numRuns: 3_000 },
  );
});
