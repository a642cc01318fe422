import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { TOPIC } from '../../../shared/messaging/topics/topic-list.ts';
import { deadLettersOver } from '../../support/worlds/dead-letters-world.ts';
import {
  type Answer,
  dkimKey,
  type LeakWorld,
  type Output,
  type PlantedSecrets,
  RESULT_ID_SECRET,
  startLeakWorld,
} from '../../support/worlds/leak-world.ts';
import { createLeakSearch, type Planted } from '../../support/random/planted-values.ts';
import { configurationText } from '../../support/builders/provider-entry.ts';

const ADDRESS = '/api/notifications/v1';
/** Long enough for a busy machine. */
const WAIT = { timeout: 30_000, interval: 20 };
const LIMIT_MS = 120_000;

/** Each scenario has its own telephone number and e-mail address. */
const WAYS = ['sent', 'passing', 'refused', 'unknown', 'held', 'echoed', 'upstream', 'wrong'] as const;
type Way = (typeof WAYS)[number];
const numberOf = (way: Way): string => `+4072284197${WAYS.indexOf(way)}`;
const addressOf = (way: Way): string => `wilhelmina.${way}@quarrymail.example`;

const SMS = { sender: 'Kvartsbank9', message: 'Your Bergkristall code is 493817265, tell nobody.' };
const EMAIL = {
  sender: 'penelope.feldspat@bank.example',
  cc: 'bartholomew.mica@quarrymail.example',
  bcc: 'leopoldine.gneis@quarrymail.example',
  subject: 'Mahnung zu Konto Obsidian',
  message: '<p>Ihr Zugangskennwort: Turmalin-493817265</p>',
  contentType: 'text/html',
};
const FILE = { name: 'vertrag-labradorit.txt', content: 'Inhalt: Rosenquarz und Lapislazuli' };
const ATTACHMENTS = [{ name: FILE.name, content: Buffer.from(FILE.content).toString('base64') }];
const DEFAULT_SENDER = 'Schalter Wendelin <wendelin.basalt@bank.example>';
const IDEMPOTENCY_KEY = 'order-granit-77-of-wilhelmina';
const SECRETS: PlantedSecrets = {
  mail: { username: 'mail-user-zirkon', password: 'mail-pass-onyx8842' },
  gate: { username: 'gate-user-topas', password: 'gate-pass-opal5591', key: 'gate-key-achat-c0ffee77' },
  twilio: { username: `AC${'7e1d9c2b'.repeat(4)}`, password: 'twilio-token-beryll3317' },
  dkimKey: dkimKey(),
};
/** Values of an invalid configuration. */
const MISTYPED = {
  url: 'smtp://turquoise-host/secret-path',
  password: 'mistyped-malachit',
  key: 'key-citrin-1',
};
const EDITED_NUMBER = '+40733555218';

const PLANTED: readonly Planted[] = [
  ...WAYS.flatMap((way) => [
    { what: `number (${way})`, value: numberOf(way) },
    { what: `digits of the number (${way})`, value: numberOf(way).slice(3) },
    { what: `address (${way})`, value: addressOf(way) },
  ]),
  { what: 'person of the address', value: 'wilhelmina' },
  { what: 'host of the address', value: 'quarrymail' },
  { what: 'person in cc', value: 'bartholomew.mica' },
  { what: 'person in bcc', value: 'leopoldine.gneis' },
  { what: 'sender of an SMS', value: SMS.sender },
  { what: 'name of a sender (wrong)', value: 'Penelope Feldspat' },
  { what: 'address of a sender', value: 'penelope.feldspat' },
  { what: 'name of the default sender', value: 'Schalter Wendelin' },
  { what: 'address of the default sender', value: 'wendelin.basalt' },
  { what: 'one-time password', value: '493817265' },
  { what: 'words of an SMS', value: 'Bergkristall' },
  { what: 'words of an e-mail', value: 'Zugangskennwort' },
  { what: 'subject', value: 'Konto Obsidian' },
  { what: 'file name', value: 'labradorit' },
  { what: 'content of a file', value: 'Rosenquarz und Lapislazuli' },
  { what: 'Idempotency-Key', value: IDEMPOTENCY_KEY },
  { what: 'user of the mail server', value: SECRETS.mail.username },
  { what: 'password of the mail server', value: SECRETS.mail.password },
  { what: 'user of the SMS provider', value: SECRETS.gate.username },
  { what: 'password of the SMS provider', value: SECRETS.gate.password },
  { what: 'key of the SMS provider', value: SECRETS.gate.key },
  { what: 'account of Twilio', value: SECRETS.twilio.username },
  { what: 'token of Twilio', value: SECRETS.twilio.password },
  ...SECRETS.dkimKey
    .split('\n')
    .filter((line) => line.length === 64)
    .map((value, index) => ({ what: `line ${index} of the DKIM key`, value })),
  { what: 'mistyped URL', value: 'turquoise-host' },
  { what: 'mistyped password', value: MISTYPED.password },
  { what: 'mistyped key', value: MISTYPED.key },
  { what: 'number of an edit', value: EDITED_NUMBER.slice(3) },
];
const leaksOf = createLeakSearch(PLANTED);

/** Invalid requests, each with planted values. */
const number = numberOf('wrong');
const mail = { ...EMAIL, receiver: addressOf('wrong'), attachmentList: ATTACHMENTS };
const WRONG: readonly (readonly ['sms' | 'email', unknown, number, Record<string, string>?])[] = [
  ['sms', { ...SMS, receiver: `${number} ext` }, 400],
  ['sms', { ...SMS, receiver: [number] }, 400],
  ['sms', { ...SMS, receiver: number, sender: `${SMS.sender} ${SMS.sender}` }, 400],
  ['sms', { ...SMS, receiver: number, message: SMS.message.repeat(100) }, 400],
  ['sms', { ...SMS, receiver: number, note: { to: number } }, 202],
  ['sms', `{"receiver": "${number}", ${SMS.message}`, 400],
  ['sms', JSON.stringify([number]), 400],
  ['sms', { ...SMS, receiver: number }, 400, { 'x-communication-channel': number }],
  ['sms', { ...SMS, receiver: number }, 403, { 'x-sender-id': IDEMPOTENCY_KEY }],
  ['sms', { ...SMS, receiver: number }, 400, { 'idempotency-key': IDEMPOTENCY_KEY.repeat(20) }],
  ['sms', { ...SMS, receiver: number }, 415, { 'content-type': `text/${SMS.sender}` }],
  ['sms', { ...SMS, receiver: number, message: SMS.message.repeat(10_000) }, 413],
  ['email', { ...mail, receiver: `Wilhelmina <${addressOf('wrong')}>` }, 400],
  ['email', { ...mail, cc: `${EMAIL.cc}; ${EMAIL.bcc} x` }, 400],
  ['email', { ...mail, bcc: { to: EMAIL.bcc } }, 400],
  ['email', { ...mail, sender: 'Penelope Feldspat' }, 400],
  ['email', { ...mail, subject: `${EMAIL.subject}\r\nBcc: ${EMAIL.bcc}` }, 400],
  ['email', { ...mail, contentType: `text/${EMAIL.subject}` }, 400],
  ['email', { ...mail, attachmentList: [{ ...ATTACHMENTS[0], name: `${FILE.name}.exe` }] }, 400],
  ['email', { ...mail, attachmentList: [{ name: FILE.name, content: `${FILE.content}!` }] }, 400],
  ['email', { ...mail, attachmentList: [{ ...ATTACHMENTS[0], name: `../${FILE.name}` }] }, 400],
  ['email', { ...mail, attachmentList: [{ ...ATTACHMENTS[0], name: 'labradorit.pdf' }] }, 400],
  ['email', { ...mail, attachmentList: FILE.content }, 400],
];

it('finds a planted value in plain, encoded or hashed form', () => {
  const value = SMS.message;
  const encoded = ['', 'a', 'ab'].map((before) => Buffer.from(`${before}${value}!`).toString('base64'));
  const hex = Buffer.from(value).toString('hex').toUpperCase();
  const hash = createHash('sha256').update(numberOf('sent')).digest('hex');
  const texts = [value.toUpperCase(), encodeURIComponent(value), hex, hash, ...encoded];
  expect(texts.map((text) => leaksOf(`before ${text} after`).length > 0)).toEqual(texts.map(() => true));
  expect(leaksOf('smtp-550-5.1.1 plat-attempt 1795304376736 0722')).toEqual([]);
});

it(
  'outputs no message data, personal data or secrets except where required',
  async () => {
    const world = await startLeakWorld(SECRETS, DEFAULT_SENDER);
    scriptProviders(world);
    await refuseWrongInput(world);
    const ids = await sendAllWays(world);
    await expect
      .poll(() => statusesOf(world, ids), WAIT)
      .toEqual({
        sent: ['sent', 'sent'],
        passing: ['sent', 'sent'],
        refused: ['failed', 'failed'],
        unknown: ['parked', 'parked'],
        held: ['sent', 'sent'],
        echoed: ['failed'],
      });
    await refuseUpstream(world);
    await useDeadLetters(world);
    await rejectConfigurations(world);
    for (const page of ['/metrics', '/health/ready', '/health/live']) await world.ask(page);

    expect(await leaksIn(world)).toEqual([]);
    expect(await missingFromTraffic(world)).toEqual([]);
  },
  LIMIT_MS,
);

function scriptProviders({ sink, gate, twilio }: LeakWorld): void {
  const seen = new Set<string>();
  const isFirst = (receiver: string): boolean => {
    const size = seen.size;
    return seen.add(receiver).size > size;
  };
  sink.follow({
    rcptTo: (address) => {
      const text = `4.3.0 <${address}> of ${EMAIL.subject}`;
      if (address === addressOf('refused')) return { reply: 550, text: `5.1.1 <${address}> is unknown` };
      const isPassing = address === addressOf('passing') || address === addressOf('held');
      return isPassing && isFirst(address) ? { reply: 451, text } : 'take';
    },
    data: ({ to }) => (to.includes(addressOf('unknown')) ? 'drop' : 'take'),
  });
  gate.otherwise(({ body, headers }) => {
    const { to = '', text = '' } = JSON.parse(body.toString()) as { to?: string; text?: string };
    const echo = { to, text, key: headers['api-key'] };
    if (to === numberOf('refused')) return { status: 400, body: { ...echo, error: `${to} is not a number` } };
    if (to === numberOf('echoed')) return { status: 400, body: { ...echo, error: to.slice(1) } };
    if (to === numberOf('unknown')) return { fault: 'close' };
    const isPassing = to === numberOf('passing') || to === numberOf('held');
    if (isPassing && isFirst(to))
      return { status: 503, headers: { 'x-echo': to }, body: { ...echo, error: text } };
    return { status: 200, body: { ...echo, id: to } };
  });
  // Called after the first provider failed; it fails as well.
  twilio.otherwise({ status: 429, body: { code: 20_429, message: `${numberOf('passing')} ${SMS.message}` } });
}

async function refuseWrongInput(world: LeakWorld): Promise<void> {
  const statuses: [number, number][] = [];
  for (const [channel, body, status, headers] of WRONG) {
    const call = headers === undefined ? {} : { headers };
    statuses.push([status, (await world.post(channel, body, call)).status]);
  }
  expect(statuses.filter(([wanted, got]) => wanted !== got)).toEqual([]);
  await world.ask(`${ADDRESS}/${encodeURIComponent(addressOf('wrong'))}`);
  await world.ask(`${ADDRESS}/sms/send?receiver=${encodeURIComponent(number)}&text=Bergkristall`);
  await world.ask(`${ADDRESS}/sms/${number}`, { method: 'DELETE', headers: { 'x-trace': SMS.message } });
}

type Ids = Readonly<Partial<Record<Way, readonly string[]>>>;

async function sendAllWays(world: LeakWorld): Promise<Ids> {
  const sms = async (way: Way): Promise<string> =>
    idOf(await world.post('sms', { ...SMS, receiver: numberOf(way) }));
  const email = async (way: Way, more: object = {}): Promise<string> => {
    const own = { receiver: addressOf(way), attachmentList: ATTACHMENTS };
    return idOf(await world.post('email', { ...EMAIL, ...more, ...own }));
  };
  const keyed = { headers: { 'idempotency-key': IDEMPOTENCY_KEY } };
  const body = { ...SMS, receiver: numberOf('sent') };
  const first = await world.post('sms', body, keyed);
  expect((await world.post('sms', body, keyed)).text).toBe(first.text);
  expect((await world.post('sms', { ...body, message: 'Bergkristall' }, keyed)).status).toBe(409);
  await email('held');
  await sms('held');
  return {
    sent: [idOf(first), await email('sent', { sender: undefined })],
    passing: [await sms('passing'), await email('passing')],
    refused: [await sms('refused'), await email('refused')],
    unknown: [await sms('unknown'), await email('unknown')],
    held: [await sms('held'), await email('held')],
    echoed: [await sms('echoed')],
  };
}

function idOf({ status, text }: Answer): string {
  expect(status).toBe(202);
  return (JSON.parse(text) as { notificationId: string }).notificationId;
}

async function statusesOf(world: LeakWorld, ids: Ids): Promise<Record<string, readonly string[]>> {
  const found = Object.entries(ids).map(async ([way, all]) => {
    const answers = await Promise.all(all.map((id) => world.ask(`${ADDRESS}/${id}`)));
    return [way, answers.map(({ text }) => (JSON.parse(text) as { status: string }).status)] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

const UPSTREAM_REPLIES = 'upstream.replies';

async function refuseUpstream(world: LeakWorld): Promise<void> {
  const { broker } = world;
  await broker.admin.createTopics([{ topic: UPSTREAM_REPLIES, partitions: 1 }]);
  const replies: string[] = [];
  const tail = broker.createTail({ clientId: 'upstream', topics: [UPSTREAM_REPLIES], from: 'earliest' });
  await tail.start(({ value, headers }) => {
    replies.push(`${String(value)} ${Object.entries(headers).map(String).join()}`);
  });
  const publisher = broker.createPublisher({ clientId: 'upstream' });
  await publisher.start();
  const key = numberOf('upstream');
  const sms = { ...SMS, receiver: `${key} at home` };
  const email = { ...EMAIL, receiver: `Wilhelmina ${addressOf('upstream')}`, attachmentList: ATTACHMENTS };
  const answered = { kafka_replyTopic: UPSTREAM_REPLIES, kafka_correlationId: 'one' };
  const of = (topic: string, type: string, body: object | string, headers: object = {}) => ({
    topic,
    key,
    value: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    headers: { 'plat-message-type': type, ...headers },
  });
  await publisher.publish([
    of(TOPIC.smsCommands, 'SendSmsCommand', sms),
    of(TOPIC.smsCommands, 'SendSmsCommand', sms, answered),
    of(TOPIC.smsCommands, 'SendSmsCommand', `{"receiver": "${key}" ${SMS.message}`),
    of(TOPIC.smsCommands, 'UnknownCommand', sms),
    of(TOPIC.emailCommands, 'SendEmailCommand', email),
    of(TOPIC.emailCommands, 'SendEmailCommand', email, answered),
    of(TOPIC.emailCommands, 'SendEmailCommand', `\u0000${addressOf('upstream')}`, answered),
  ]);
  await expect.poll(() => replies.length, WAIT).toBe(3);
  for (const reply of replies) world.keep('reply to an upstream system', reply);
  await publisher.stop();
  await tail.stop();
}

async function useDeadLetters(world: LeakWorld): Promise<void> {
  const command = await deadLettersOver(world.broker, RESULT_ID_SECRET);
  const run = async (...args: string[]): Promise<void> => {
    const { lines, result } = await command(...args);
    world.keep(`dead-letters ${args[0]}`, `${lines.join('\n')} ${JSON.stringify(result)}`);
  };
  const all = ['--topic', 'notification'];
  await run('list', '--all');
  await run('show', '--limit', '100', ...all);
  await run('redrive', '--code', 'smtp-550*', '--dry-run');
  await run('redrive', '--code', 'smtp-550*');
  await run('edit', '--code', 'http-400*', '--set', `receiver=${EDITED_NUMBER}`);
  await run('edit', '--code', 'invalid-request', '--set', `receiver=${EDITED_NUMBER} at home`);
  await run('discard', '--reason', 'of no use', '--again', ...all);
  await run('list', '--all');
  await run('show', '--limit', '100', ...all);
}

/** Starts with invalid configurations, and lets the providers reject the credentials. */
async function rejectConfigurations(world: LeakWorld): Promise<void> {
  const dkim = { domainName: 'bank.example', keySelector: 'mail', privateKey: SECRETS.dkimKey.slice(40) };
  const wrong = configurationText({
    url: MISTYPED.url,
    provider: 'SMTP',
    'communication-channel': 'email',
    authentication: { ...SECRETS.mail, password: MISTYPED.password, other: SECRETS.gate.key },
    smtp: { dkim },
    colour: MISTYPED.key,
  });
  const broken = `{"password": "${MISTYPED.password}", ${MISTYPED.key}`;
  for (const text of [wrong, broken]) await world.refuseStart(text);
  const health = async (): Promise<string> => (await world.ask('/health/ready')).text;
  world.gate.otherwise(({ headers }) => ({ status: 401, body: { error: headers['api-key'] } }));
  world.twilio.otherwise({ status: 401, body: { code: 20_003, message: SECRETS.twilio.password } });
  world.sink.follow({ auth: (...given) => ({ reply: 535, text: `5.7.8 ${given.join(' ')}` }) });
  world.sink.dropAll();
  await world.post('sms', { ...SMS, receiver: numberOf('sent') });
  await world.post('email', { ...EMAIL, receiver: addressOf('sent') });
  await expect.poll(health, WAIT).toMatch(/circuit-open.*circuit-open/s);
}

const OF_COMMANDS = [
  TOPIC.smsCommands,
  TOPIC.emailCommands,
  TOPIC.notificationHold,
  TOPIC.notificationDeadLetters,
  'plat.notification.retry.',
];

async function leaksIn(world: LeakWorld): Promise<readonly string[]> {
  const records = await world.records();
  const written = records.flatMap(({ topic, values, keys, headers }): Output[] => {
    const isOfCommands = OF_COMMANDS.some((name) => topic.startsWith(name));
    const own = isOfCommands ? [] : [...values, ...keys];
    return [
      ...own.map((text) => ({ where: `record of ${topic}`, text })),
      ...headers.map((text) => ({ where: `header on ${topic}`, text })),
    ];
  });
  const outputs = [...world.outputs, ...written];
  const found = outputs.flatMap(({ where, text }) =>
    leaksOf(text).map(({ what, form }) => `${where}: ${what} as ${form}: ${String(text).slice(0, 400)}`),
  );
  return [...new Set(found)];
}

/** The planted values that did not occur in any traffic; their absence from the output would not prove anything. */
async function missingFromTraffic(world: LeakWorld): Promise<readonly string[]> {
  const { sink, gate, twilio } = world;
  const sent = [
    ...sink.bodies.flatMap(({ raw, to }) => [raw.toString(), ...to]),
    ...[...gate.requests, ...twilio.requests].flatMap(({ body, headers, path }) => [
      decodeURIComponent(body.toString().replaceAll('%', '%25')),
      path,
      ...Object.values(headers).map(String),
    ]),
    ...(await world.records()).flatMap(({ values }) => values.map((value) => value.toString('latin1'))),
  ].join('\n');
  return sent === '' ? PLANTED.map(({ what }) => what) : notIn(sent);
}

/** Values that occur only in the configuration or in HTTP requests. */
const ELSEWHERE =
  /DKIM|mail server|user of the SMS|password of the SMS|account|token|mistyped|Idempotency|\(wrong\)|address \(echoed\)/;

function notIn(traffic: string): readonly string[] {
  const found = new Set(leaksOf(traffic).map(({ what }) => what));
  return PLANTED.map(({ what }) => what).filter((what) => !found.has(what) && !ELSEWHERE.test(what));
}
