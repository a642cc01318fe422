import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { ACTIONS } from '../../../../shared/api/actions/actions.ts';
import { MESSAGE_FORMS } from '../../../../shared/api/actions/message-forms.ts';
import { examplesOf } from '../../../support/builders/action-examples.ts';
import { HEADER, headerText } from '../../../../shared/messaging/headers.ts';
import { createMessageCodec } from '../../../../shared/messaging/codec/message-codec.ts';
import type { LogMessage, MessageHeaders } from '../../../../shared/messaging/message.ts';
import { TOPIC } from '../../../../shared/messaging/topics/topic-list.ts';
import { startIngressWorker } from '../../../../workers/ingress/main.ts';
import { EXAMPLE_TIME_MS } from '../../../support/builders/example-catalogue.ts';
import { createSharedBroker, startOn } from '../../../support/worlds/ingress-system.ts';
import { createLogCaller } from '../../../support/log-caller.ts';
import { startOverLog, startWithExamples } from '../../../support/worlds/product-worker.ts';
import { post } from '../../../support/builders/schedule-call.ts';

const PREFIX = '/platapi/automation-processors/actions/';
const codec = createMessageCodec({ shapes: MESSAGE_FORMS, clock: { now: () => 0 } });

/** Starts a product worker; returns a function that sends it a record and waits for the reply. */
async function startCaller() {
  const broker = await createSharedBroker(2);
  await startOn(broker, startWithExamples);
  const send = await createLogCaller(broker);
  return (value: Buffer, headers: MessageHeaders, timestampMs = EXAMPLE_TIME_MS) =>
    send({ topic: TOPIC.productRequests, value, headers, timestampMs });
}

const jsonOf = (body: object) => Buffer.from(JSON.stringify(body));
const ofType = (type: string) => ({ [HEADER.messageType]: type });
const bodyOf = (reply: LogMessage) => JSON.parse(reply.value?.toString('utf8') ?? '') as unknown;

const EXAMPLES = [
  ['GetBankingProductByCode', examplesOf('plat_bp_getbankingproductbycode')],
  ['GetBankingProductDetails', examplesOf('plat_bp_getbankingproductdetails')],
  ['GetProductInsuranceList', examplesOf('PLAT_BP_GetProductInsuranceList')],
  ['GetProductDocuments', examplesOf('plat_bp_getproductdocuments')],
] as const;

it.each(EXAMPLES)('%s replies in JSON to a request in JSON', async (type, examples) => {
  const send = await startCaller();
  for (const { request, reply } of examples) {
    const answer = await send(jsonOf(request), ofType(`${type}Request`));
    expect(bodyOf(answer)).toEqual(reply);
    expect(headerText(answer.headers, HEADER.messageType)).toBe(`${type}Reply`);
    expect(headerText(answer.headers, HEADER.correlationId)).toBe('loan-4711');
  }
});

it.each([
  [
    'GetBankingProductByCode',
    { BankingProductCode: 'TL-PERSONAL', displayBPAvailability: true, displayMandatoryRoles: true },
    { json: JSON.stringify(examplesOf('plat_bp_getbankingproductbycode')[0].reply) },
  ],
  [
    'GetBankingProductDetails',
    { productCode: 'tl-personal' },
    examplesOf('plat_bp_getbankingproductdetails')[0].reply,
  ],
  [
    'GetProductInsuranceList',
    { productCode: 'MG-HOME', filterList: [{ name: 'Amount', value: new Decimal(150_000) }] },
    { ...(examplesOf('PLAT_BP_GetProductInsuranceList')[0].reply as object), warnings: [] },
  ],
  [
    'GetProductDocuments',
    { productCode: 'TL-PERSONAL' },
    { documents: examplesOf('plat_bp_getproductdocuments')[0].reply },
  ],
])('%s replies in Avro to a request in Avro', async (type, request, payload) => {
  const send = await startCaller();
  const { value, headers } = await codec.encode(`${type}Request`, request, 'avro');
  const reply = await send(value, headers);
  const decoded = await codec.decode({ value: reply.value, headers: reply.headers });
  expect(decoded).toEqual({ kind: 'decoded', type: `${type}Reply`, format: 'avro', payload });
});

it('selects the version by the day of the message, so that a repetition gives the same reply (L1)', async () => {
  const send = await startCaller();
  const body = jsonOf({ BankingProductCode: 'TL-PERSONAL' });
  const type = ofType('GetBankingProductByCodeRequest');
  const lastOfOld = await send(body, type, Date.UTC(2023, 11, 31, 23, 59, 59, 999));
  expect(bodyOf(lastOfOld)).toMatchObject({ BankingProduct: { EndDate: '2023-12-31T00:00:00' } });
  const firstOfNew = await send(body, type, Date.UTC(2024, 0, 1));
  expect(bodyOf(firstOfNew)).toMatchObject({ BankingProduct: { StartDate: '2024-01-01T00:00:00' } });
});

it('replies with 404 for an unknown product and 400 for a contradictory request, in both formats', async () => {
  const send = await startCaller();
  const unknown = await send(jsonOf({ productCode: 'NOTHING' }), ofType('GetProductDocumentsRequest'));
  expect(bodyOf(unknown)).toMatchObject({
    code: 'unknown-product',
    status: 404,
    correlationId: 'loan-4711',
    errors: [{ path: 'productCode', code: 'unknown-product' }],
  });
  expect(headerText(unknown.headers, HEADER.errorCode)).toBe('unknown-product');

  const contradicting = { productCode: 'TL-PERSONAL', productId: '0ea28468-eabf-59d0-a3c0-ef7ba75a2d13' };
  const { value, headers } = await codec.encode('GetBankingProductDetailsRequest', contradicting, 'avro');
  const refused = await send(value, headers);
  const decoded = await codec.decode({ value: refused.value, headers: refused.headers });
  expect(decoded).toMatchObject({
    type: 'ProblemReply',
    payload: { code: 'invalid-request', errors: [{ path: 'productId', code: 'exclusive' }] },
  });
});

it('applies the limits of JSON requests to Avro requests', async () => {
  const send = await startCaller();
  const { value, headers } = await codec.encode('GetProductInsuranceListRequest', { productId: 'x' }, 'avro');
  const reply = await send(value, headers);
  expect(headerText(reply.headers, HEADER.errorCode)).toBe('invalid-request');
});

it('reads the catalogue from the topic before the first look-up, and both body forms on any case of its path (E2, E4)', async () => {
  const broker = await createSharedBroker(1);
  const worker = await startOverLog(broker);
  await expect.poll(() => worker.health()).toEqual({ status: 'ready' });
  const { url } = await startOn(broker, startIngressWorker);
  for (const [name, [{ request, reply }]] of EXAMPLES) {
    const action = ACTIONS.find(({ requestType }) => requestType === `${name}Request`);
    const direct = await post(url, request, { path: PREFIX + action?.name });
    expect(await direct.json()).toEqual(reply);
    const generic = { user_name: 'u', Data: JSON.stringify(request) };
    const other = await post(url, generic, { path: PREFIX + action?.name.toUpperCase() });
    expect(await other.json()).toEqual(reply);
  }
});
