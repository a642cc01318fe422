import { describe, expect, it } from 'vitest';
import type { OutgoingMessage } from '../../../shared/messaging/message.ts';
import type { TailOptions } from '../../../shared/messaging/ports.ts';
import type { SmsCommand } from '../../../shared/notification/notification-command.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { createMetrics } from '../../../shared/platform/metrics.ts';
import type { QuotaSettings } from '../../../shared/platform/load-config.ts';
import { DailyQuotas } from '../../../shared/quotas/daily-quotas.ts';
import { createQuotas, type QuotaDecision } from '../../../shared/quotas/quotas.ts';
import type { CountedMessage } from '../../../shared/quotas/usage-record.ts';
import { fakeMessage } from '../../support/fakes/messages.ts';
import { FakeTail } from '../../support/fakes/tail.ts';

const DAY_MS = 24 * 3_600_000;
const NOON = 20_000 * DAY_MS + DAY_MS / 2;
const NONE: QuotaSettings = {
  countries: undefined,
  perCaller: undefined,
  perReceiver: undefined,
  perCountry: new Map(),
};
const RO = '+40722123456';
const ITALY = '+393331234567';

function sms(receiver = RO, over: Partial<CountedMessage> = {}): CountedMessage {
  const command: SmsCommand = { notificationId: undefined, sender: undefined, receiver, message: 'x' };
  return { caller: 'one', channel: 'sms', command, ...over };
}

function email(receiver: string, cc: readonly string[] = []): CountedMessage {
  const common = { notificationId: undefined, sender: undefined, message: '', subject: '', bcc: [] };
  const command = { ...common, receiver, cc, contentType: 'text/plain', attachments: [] } as const;
  return { caller: 'one', channel: 'email', command };
}

/** Quotas over the tail of a function. */
const quotasOf = (
  createTail: (options: TailOptions) => FakeTail,
  settings: Partial<QuotaSettings>,
  now = () => NOON,
) => {
  const metrics = createMetrics();
  const place = {
    broker: { createTail },
    topic: 'usage',
    clientId: 'test',
    secret: undefined,
    log: silentLog,
  };
  return {
    metrics,
    quotas: createQuotas({ ...place, settings: { ...NONE, ...settings }, clock: { now }, metrics }),
  };
};

/** Quotas over a tail to which the test delivers records. */
async function world(settings: Partial<QuotaSettings>, { now = NOON } = {}) {
  const time = { now };
  let tail: FakeTail | undefined;
  const { quotas, metrics } = quotasOf(
    (options) => (tail = new FakeTail(options)),
    settings,
    () => time.now,
  );
  await quotas.start();
  let count = 0;
  const admit = (message: CountedMessage, id = `id-${(count += 1)}`): string =>
    described(quotas.admit(id, message));
  const read = (record: OutgoingMessage | undefined): void => {
    tail?.deliver(fakeMessage(0, { key: String(record?.key), value: record?.value ?? null }));
  };
  return { quotas, admit, read, tail: () => tail, metrics, time };
}

/** Quotas over a tail that is behind, and delivers these numbers of records while it is waited for. */
function behind(records: readonly number[]) {
  let attempts = 0;
  const { quotas } = quotasOf((options) => {
    const tail = new FakeTail(options);
    tail.onCaughtUp = () => {
      for (let left = records[attempts] ?? 0; left > 0; left -= 1) tail.deliver(fakeMessage(0));
      attempts += 1;
      return Promise.reject(new Error('behind'));
    };
    return tail;
  }, {});
  return { start: () => quotas.start(), attempts: () => attempts };
}

const described = (decision: QuotaDecision): string =>
  decision.kind === 'refused' ? decision.quota : decision.kind;
const recordOf = (decision: QuotaDecision): OutgoingMessage | undefined =>
  decision.kind === 'admitted' ? decision.record : undefined;

describe('the quotas of notifications', () => {
  it('limit the messages of each caller', async () => {
    const { admit } = await world({ perCaller: 2 });
    expect([admit(sms()), admit(sms()), admit(sms())]).toEqual(['admitted', 'admitted', 'quota-caller']);
    expect(admit(sms(RO, { caller: 'other' }))).toBe('admitted');
  });

  it('limit the messages to each receiver, copies of e-mails included, whatever its case', async () => {
    const { admit } = await world({ perReceiver: 1 });
    expect([admit(sms()), admit(sms()), admit(sms(ITALY))].join(' ')).toBe(
      'admitted quota-receiver admitted',
    );
    expect(admit(email('one@example.org', ['two@example.org']))).toBe('admitted');
    expect(admit(email('TWO@example.org'))).toBe('quota-receiver');
  });

  it('allow only the listed countries, by the numbering plan', async () => {
    const { admit } = await world({ countries: ['RO', 'CA'] });
    expect(admit(sms())).toBe('admitted');
    expect(admit(sms(ITALY))).toBe('country-not-allowed');
    // Canada and the United States share a country code; Inmarsat belongs to no country.
    expect(admit(sms('+16135550123'))).toBe('admitted');
    expect(admit(sms('+12125550123'))).toBe('country-not-allowed');
    expect(admit(sms('+870773111632'))).toBe('country-not-allowed');
    expect(admit(email('someone@example.it'))).toBe('admitted');
  });

  it('limit the messages to a country, with a default for those that are not listed', async () => {
    const { admit } = await world({ perCountry: new Map(Object.entries({ RO: 2, '*': 0 })) });
    expect([admit(sms()), admit(sms()), admit(sms())]).toEqual(['admitted', 'admitted', 'quota-country']);
    expect(admit(sms(ITALY))).toBe('quota-country');
  });

  it('begin again with each UTC day, and say when', async () => {
    const { quotas, admit, time } = await world({ perCaller: 1 });
    admit(sms());
    const refused = { kind: 'refused', quota: 'quota-caller', resetsAtMs: 20_001 * DAY_MS };
    expect(quotas.admit('later', sms())).toEqual(refused);
    time.now = 20_001 * DAY_MS;
    expect(admit(sms())).toBe('admitted');
  });

  it('count a message once, however often it is received, until it is surely not on the log', async () => {
    const { quotas, admit, read } = await world({ perCaller: 2 });
    const first = quotas.admit('first', sms());
    // The request with the record may have been lost.
    expect(quotas.admit('first', sms())).toEqual(first);
    read(recordOf(first));
    read(recordOf(first));
    expect(quotas.admit('first', sms())).toEqual({ kind: 'admitted', record: undefined });
    expect(admit(sms(), 'first')).toBe('admitted');
    expect(admit(sms(), 'second')).toBe('admitted');
    quotas.release('first');
    expect(admit(sms(), 'third')).toBe('quota-caller');
    quotas.release('second');
    expect(admit(sms(), 'third')).toBe('admitted');
  });

  it('keep the count of a message that may be on the log, although its repetition is surely not', async () => {
    const { quotas, admit } = await world({ perCaller: 1 });
    expect(admit(sms(), 'first')).toBe('admitted');
    quotas.keep('first');
    expect(admit(sms(), 'first')).toBe('admitted');
    quotas.release('first');
    expect(admit(sms(), 'second')).toBe('quota-caller');
  });

  it('count a message once that another process receives again after a crash', async () => {
    const one = await world({ perCaller: 2 });
    const record = recordOf(one.quotas.admit('first', sms()));
    const other = await world({ perCaller: 2 });
    for (const repeated of [record, record]) other.read(repeated);
    expect(other.quotas.admit('first', sms())).toEqual({ kind: 'admitted', record: undefined });
    expect([other.admit(sms()), other.admit(sms())]).toEqual(['admitted', 'quota-caller']);
  });

  it('count a message that is received again after midnight for the day of its acceptance only', async () => {
    const { quotas, admit, read, time } = await world({ perCaller: 2 });
    const records = ['read', 'unread'].map((id) => recordOf(quotas.admit(id, sms())));
    read(records[0]);
    time.now = NOON + DAY_MS;
    expect([admit(sms()), admit(sms()), admit(sms())]).toEqual(['admitted', 'admitted', 'quota-caller']);
    expect(quotas.admit('read', sms())).toEqual({ kind: 'admitted', record: undefined });
    expect(quotas.admit('unread', sms())).toEqual({ kind: 'admitted', record: records[1] });
    // From now on the id may be that of another message.
    time.now = NOON + 3 * DAY_MS;
    const reused = [admit(sms(), 'read'), admit(sms(), 'unread'), admit(sms())];
    expect(reused).toEqual(['admitted', 'admitted', 'quota-caller']);
  });

  it('start as long as records of the day arrive, and fail when none does', async () => {
    const records = [3, 2, 0, 1];
    const { start, attempts } = behind(records);
    await expect(start()).rejects.toThrow('behind');
    expect(attempts()).toBe(3);
  });

  it('count the messages of other processes and those of before a restart, but not those of yesterday', async () => {
    const one = await world({ perReceiver: 2, perCaller: 10 });
    const records = ['a', 'b', 'c'].map((id) =>
      recordOf(one.quotas.admit(id, id === 'c' ? sms(ITALY) : sms())),
    );
    const restarted = await world({ perReceiver: 2 });
    for (const record of records) restarted.read(record);
    expect([restarted.admit(sms()), restarted.admit(sms(ITALY))]).toEqual(['quota-receiver', 'admitted']);
    const nextDay = await world({ perReceiver: 2 }, { now: NOON + DAY_MS });
    for (const record of records) nextDay.read(record);
    expect(nextDay.admit(sms())).toBe('admitted');
    // The clock of the writer is ahead over midnight.
    const before = await world({ perCaller: 3 }, { now: NOON - DAY_MS });
    for (const record of records) before.read(record);
    expect(before.admit(sms())).toBe('admitted');
    before.time.now = NOON;
    expect(before.admit(sms())).toBe('quota-caller');
  });

  it('admit nothing while the records are not being read, and skip records that are none', async () => {
    const { quotas, admit, tail } = await world({ perCaller: 1 });
    for (const value of ['', 'null', '{"day":1}', '{"day":20000,"receivers":["x"],"caller":"a"}'])
      tail()?.deliver(fakeMessage(0, { key: 'k', value: Buffer.from(value) }));
    expect(admit(sms())).toBe('admitted');
    const reader = tail();
    if (reader !== undefined) reader.ready = false;
    expect(admit(sms())).toBe('unknown');
    expect(quotas.health()).toMatchObject({ status: 'degraded' });
  });

  it('have no receiver, number or caller in records and metrics', async () => {
    const { quotas, metrics } = await world({ perReceiver: 1, perCaller: 5, countries: ['RO'] });
    const message = sms(RO, { caller: 'hash-of-caller' });
    const record = recordOf(quotas.admit('id', message));
    quotas.admit('id-2', message);
    expect(record?.value?.toString()).not.toContain('722123456');
    const text = await metrics.text();
    expect(text).toContain('plat_notification_quota_refusals_total{channel="sms",quota="quota-receiver"} 1');
    expect(text).toContain('plat_notification_quota_country_messages{country="RO"} 1');
    for (const figure of ['messages', 'callers', 'receivers'])
      expect(text).toContain(`plat_notification_quota_counted{figure="${figure}"} 1`);
    for (const secret of ['722123456', 'hash-of-caller']) expect(text).not.toContain(secret);
  });
});

const usageOf = (text: string) => ({ caller: 'one', receivers: [text], country: undefined });

it('a receiver that does not fit into the table is refused, and no other is', () => {
  const usage = new DailyQuotas({ ...NONE, perReceiver: 5 }, 1);
  usage.count(usageOf('a'), 1);
  expect(usage.exceeded(usageOf('a'))).toBeUndefined();
  expect(usage.exceeded(usageOf('b'))).toBe('quota-receiver');
});

const by = (caller: number) => ({ ...usageOf('a'), caller: `caller ${caller}` });
it('callers beyond a hundred thousand share one quota, and the others keep theirs', () => {
  const usage = new DailyQuotas({ ...NONE, perCaller: 2 });
  for (let caller = 1; caller <= 100_001; caller += 1) usage.count(by(caller), 1);
  usage.count(by(100_002), 1);
  const quotas = [1, 100_000, 100_001, 100_003].map((caller) => usage.exceeded(by(caller)));
  expect(quotas).toEqual([undefined, undefined, 'quota-caller', 'quota-caller']);
});

it('a message that was taken back no longer counts for its receiver, however often it is', () => {
  const usage = new DailyQuotas({ ...NONE, perReceiver: 1 });
  usage.count(usageOf('a'), 1);
  expect(usage.exceeded(usageOf('a'))).toBe('quota-receiver');
  usage.count(usageOf('a'), -1);
  usage.count(usageOf('a'), -1);
  usage.count(usageOf('a'), 1);
  expect(usage.exceeded(usageOf('a'))).toBe('quota-receiver');
});
