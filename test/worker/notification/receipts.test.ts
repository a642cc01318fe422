import { expect, it } from 'vitest';
import { MESSAGE_FORMS } from '../../../shared/api/actions/message-forms.ts';
import { createMessageCodec } from '../../../shared/messaging/codec/message-codec.ts';
import { HEADER } from '../../../shared/messaging/headers.ts';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { RECEIPT_STATUSES } from '../../../shared/notification/notification-state.ts';
import { systemClock } from '../../../shared/platform/system-ports.ts';
import { EMAIL, failing, idOf, SMS } from '../../support/builders/notification-call.ts';
import { notificationState } from '../../support/builders/notification-state.ts';
import { postReport, sendgridReport, twilioReport } from '../../support/builders/provider-receipts.ts';
import { eventually } from '../../support/conformance/wait.ts';
import { unknown } from '../../support/fakes/scripted-providers.ts';
import { Picks } from '../../support/random/pick.ts';
import { metricsOf } from '../../support/worlds/ingress-fixture.ts';
import { PUBLIC_URL, reportingSystem } from '../../support/worlds/reporting-system.ts';
import { idOf as upstreamId, notificationWorld, redriven } from '../../support/worlds/notification-world.ts';

const END_MS = 15_000;

const eventOf = (id: string, event: string) => ({
  event,
  notification_id: id,
  email: 'ana@mail.example',
  sg_message_id: 'abc.filter1',
  timestamp: Math.floor(Date.now() / 1_000) - 1,
});
const NAMES = { dropped: 'undelivered', delivered: 'delivered', bounce: 'bounced', spamreport: 'complained' };
const EVENTS = Object.keys(NAMES) as (keyof typeof NAMES)[];

it('shows what a provider reports after it accepted a message, beside the attempts (N7)', async () => {
  const { standIn, receipts, send: sendTo, shown, timeline, url } = await reportingSystem();
  const id = await idOf(sendTo('sms', SMS));
  await eventually('the call', END_MS, () => standIn.requests.length === 1);
  const callback = new URLSearchParams(standIn.requests[0]?.body.toString()).get('StatusCallback');
  expect(callback).toBe(`${PUBLIC_URL}/api/notifications/v1/receipts/twilio?id=${id}`);
  await eventually('the end', END_MS, async () => (await shown(id))['status'] === 'sent');
  const [address = '', query] = (callback ?? '').split('?');
  const fields = { MessageSid: 'SM12', SmsStatus: 'delivered', To: SMS.receiver };
  const report = twilioReport(fields, address, `?${query}`);
  const posts = [
    postReport(`${receipts}/twilio`, report),
    postReport(`${receipts}/twilio`, { ...report, search: '?id=x' }),
    postReport(`${receipts}/other`, report),
    postReport(`${receipts}/sendgrid`, { ...sendgridReport([]), body: '[' }),
    postReport(`${receipts}/sendgrid`, sendgridReport([5 as never])),
    postReport(`${receipts}/sendgrid`, sendgridReport([eventOf(upstreamId(9), 'delivered')])),
  ];
  expect((await Promise.all(posts)).map(({ status }) => status)).toEqual([200, 401, 404, 401, 400, 200]);
  await eventually('the receipt', END_MS, async () => (await shown(id))['status'] === 'delivered');
  expect(await shown(id)).toMatchObject({ attempts: [{ result: 'sent' }], providerMessageId: 'SM12' });
  const { status, events } = await timeline(id);
  expect(status).toBe('delivered');
  expect(events.map(({ event }) => event)).toEqual(['accepted', 'attempt', 'sent', 'delivered']);
  expect(events.at(-1)).toMatchObject({ providerMessageId: 'SM12' });
  const metrics = await metricsOf({ url });
  expect(metrics).toContain('plat_ingress_receipts_total{provider="twilio",result="delivered"} 1');
  expect(metrics).toContain('plat_ingress_receipts_total{provider="sendgrid",result="unknown"} 1');
});

it('ends in the same states after receipts over HTTP in any order, twice each (N7)', async () => {
  const { receipts, send: sendTo, shown } = await reportingSystem();
  const ids = await Promise.all(
    // The reports name another receiver, so that none of these becomes suppressed before it is sent.
    Array.from({ length: 12 }, (_, index) =>
      idOf(sendTo('email', { ...EMAIL, receiver: `n${index}@mail.example` })),
    ),
  );
  const picks = new Picks(7);
  const chosen = ids.map((id) => ({ id, events: EVENTS.filter(() => picks.chance(60)) }));
  const all = chosen.flatMap(({ id, events }) => events.map((event) => eventOf(id, event)));
  const twice = [...all, ...all].map((event) => ({ event, place: picks.share() }));
  const ordered = twice.toSorted((one, other) => one.place - other.place).map(({ event }) => event);
  const lists = Array.from({ length: 8 }, (_, list) => ordered.filter((_event, at) => at % 8 === list));
  const answers = await Promise.all(
    lists.map((list) => postReport(`${receipts}/sendgrid`, sendgridReport(list))),
  );
  expect(answers.map(({ status }) => status)).toEqual(lists.map(() => 200));
  const expected = chosen.map(({ events }) => {
    const names = new Set<string>(events.map((event) => NAMES[event]));
    return RECEIPT_STATUSES.findLast((status) => names.has(status)) ?? 'sent';
  });
  const statuses = () => Promise.all(ids.map(async (id) => (await shown(id))['status']));
  await eventually(
    'the states',
    END_MS,
    async () => JSON.stringify(await statuses()) === JSON.stringify(expected),
  );
});

const attempt = (provider: string, result: 'sent' | 'transient' | 'unknown') =>
  ({ attempt: 1, at: Date.now(), provider, result, code: undefined }) as const;

it('a report about a message that its provider cannot have ends nothing (N7)', async () => {
  const { broker, receipts, url, shown } = await reportingSystem();
  const codec = createMessageCodec({ shapes: MESSAGE_FORMS, clock: systemClock });
  const publisher = broker.createPublisher({ clientId: 'test' });
  await publisher.start();
  const owned = { sender: 'x', channel: 'email' } as const;
  const cases = [
    [{ status: 'retrying', attempts: [attempt('sendgrid', 'transient')] }, false],
    [{ status: 'scheduled' }, false],
    [{ status: 'failed', attempts: [attempt('other', 'unknown')] }, false],
    [{ status: 'sending', providers: ['other'] }, false],
    [{ status: 'sent', channel: 'sms', attempts: [attempt('sendgrid', 'sent')] }, false],
    [{ status: 'sent', attempts: [attempt('other', 'sent')] }, false],
    [{ status: 'sending', providers: ['other', 'sendgrid'] }, true],
    [{ status: 'parked', attempts: [attempt('-', 'unknown')] }, true],
    [{ status: 'retrying', attempts: [attempt('sendgrid', 'unknown')] }, true],
    [{ status: 'sent', attempts: [attempt('sendgrid', 'sent')] }, true],
  ] as const;
  for (const [index, [state]] of cases.entries()) {
    const id = upstreamId(index + 20);
    const full = notificationState(id, { ...owned, ...state, updatedAt: Date.now() });
    const { value, headers } = await codec.encode('NotificationState', full, 'avro');
    await publisher.publish([{ topic: TOPIC.notificationOutcomes, key: id, value, headers }]);
  }
  const reports = cases.map((_, index) => eventOf(upstreamId(index + 20), 'dropped'));
  expect((await postReport(`${receipts}/sendgrid`, sendgridReport(reports))).status).toBe(200);
  const written = cases.map(([{ status }, isExpected]) =>
    isExpected ? 'undelivered' : status === 'sending' ? 'accepted' : status,
  );
  const statuses = () =>
    Promise.all(cases.map(async (_, index) => (await shown(upstreamId(index + 20)))['status']));
  await eventually('the receipts', END_MS, async () => (await statuses())[9] === 'undelivered');
  expect(await statuses()).toEqual(written);
  const metrics = await metricsOf({ url });
  expect(metrics).toContain('plat_ingress_receipts_total{provider="sendgrid",result="unexpected"} 6');
  expect(metrics).toContain('plat_ingress_receipts_total{provider="sendgrid",result="undelivered"} 4');
  await publisher.stop(0);
});

it('reads no large body before the signature, and limits attempts to forge one, but no reports (N7)', async () => {
  const { receipts } = await reportingSystem({ env: { RATE_LIMIT_PER_SECOND: '4' } });
  const reports = Array.from({ length: 6 }, () => sendgridReport([eventOf(upstreamId(9), 'delivered')]));
  for (const report of reports) expect((await postReport(`${receipts}/sendgrid`, report)).status).toBe(200);
  const body = 'a=&'.repeat(300_000);
  const { headers } = twilioReport({}, 'x');
  const forge = (sent: object, to = 'twilio') =>
    postReport(`${receipts}/${to}`, { headers: { ...headers, ...sent }, body }).then(({ status }) => status);
  const startedMs = performance.now();
  expect(await forge({})).toBe(413);
  expect(await forge({}, 'sendgrid')).toBe(401);
  expect(await forge(sendgridReport([]).headers, 'sendgrid')).toBe(401);
  expect(performance.now() - startedMs).toBeLessThan(1_000);
  await eventually('the limit', END_MS, async () => (await forge({})) === 429);
});

const isReceipt = (key: unknown) => String(key).includes('/');

it('answers 503 while receipts cannot be stored, so that the provider repeats them', async () => {
  let isAway = false;
  const {
    receipts,
    send: sendTo,
    shown,
  } = await reportingSystem({
    ingressBroker: (broker) =>
      failing(broker, (messages) => isAway && messages.some(({ key }) => isReceipt(key))),
  });
  const id = await idOf(sendTo('email', EMAIL));
  isAway = true;
  const report = () => postReport(`${receipts}/sendgrid`, sendgridReport([eventOf(id, 'bounce')]));
  expect((await report()).status).toBe(503);
  isAway = false;
  expect((await report()).status).toBe(200);
  await eventually('the receipt', END_MS, async () => (await shown(id))['status'] === 'bounced');
});

it('a receipt settles a parked notification, which is then never sent again', async () => {
  const world = await notificationWorld({ tiersMs: [20] });
  world.providers.add('only').answer = () => unknown();
  await world.worker();
  const [parked, other] = [upstreamId(1), upstreamId(2)];
  for (const id of [parked, other]) await world.sms({ id, key: id });
  const isParked = (id: string) => world.states.get(id)?.status === 'parked';
  await eventually('both are parked', END_MS, () => isParked(parked) && isParked(other));
  const receipt = notificationState(parked, { status: 'undelivered', updatedAt: Date.now() });
  const { value, headers } = await world.codec.encode('NotificationState', receipt, 'avro');
  await world.publish(TOPIC.notificationOutcomes, { key: `${parked}/undelivered`, value, headers });
  await eventually('the receipt', END_MS, () => world.history.some(({ status }) => status === 'undelivered'));
  const again = redriven(2, { [HEADER.redriveUnknown]: 'true' });
  for (const id of [parked, other]) await world.sms({ id, key: id, headers: again });
  await eventually('the redrive of the other', END_MS, () => world.providers.calls.length === 3);
  await eventually('no command waits', END_MS, () => world.states.get(other)?.attempt === 2);
  expect(world.providers.calls.map(({ id }) => id)).toEqual([parked, other, other].toSorted());
});
