import { expect, it, onTestFinished } from 'vitest';
import { topicName } from '../../../shared/messaging/topics/topic-list.ts';
import { readProviderConfiguration } from '../../../shared/notification/provider-configuration.ts';
import { readTopics } from '../../support/conformance/read-topics.ts';
import { configurationText, readyText } from '../../support/builders/provider-entry.ts';
import {
  SERVICE_NAMES,
  startServiceStandIn,
  type ServiceName,
} from '../../support/fakes/verification-services.ts';
import {
  START,
  startVerificationWorld,
  type VerificationWorld,
} from '../../support/worlds/verification-world.ts';

const LIMIT_MS = 60_000;
const WAIT = { timeout: 20_000, interval: 20 };

/** The shipped configuration, with the address of a stand-in. */
async function startWith(name: ServiceName) {
  const service = await startServiceStandIn(name);
  onTestFinished(() => service.stop());
  const text = readyText(`${name}.json`).replaceAll(/https:\/\/[^/"]+/g, service.origin);
  const world = await startVerificationWorld({ configuration: JSON.parse(text) as object });
  let started = 0;
  /** The code of a message, once it is known that the provider made it. */
  const codeOf = async (count: number): Promise<string> => {
    await expect.poll(() => service.state.sent.length, WAIT).toBe(count);
    started += 1;
    await expect.poll(async () => (await sentStates(world)).length, WAIT).toBe(started);
    return service.state.sent[count - 1]?.code ?? '';
  };
  return { world, service, codeOf };
}

/** Whatever was sent is on the log of outcomes after the reference of its code. */
async function sentStates(world: VerificationWorld) {
  return (await outcomesOf(world)).filter((text) => text.includes('sent'));
}

async function outcomesOf({ broker, config }: VerificationWorld): Promise<readonly string[]> {
  const topic = topicName(config.topicPrefix, 'notificationOutcomes');
  return (await readTopics(broker, [topic])).map(({ value }) => String(value));
}

const otherThan = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

it.each(SERVICE_NAMES)(
  'lets %s make, send and check the codes, and counts its checks',
  async (name) => {
    const { world, codeOf } = await startWith(name);
    const { body, status } = await world.start();
    expect([status, body['status']]).toEqual([202, 'pending']);
    const id = body.verificationId;
    const code = await codeOf(1);
    expect(await world.check(id, otherThan(code))).toMatchObject({
      status: 200,
      body: { status: 'pending', attemptsLeft: 4 },
    });
    expect(await world.check(id, code)).toMatchObject({ body: { status: 'approved' } });
    expect(await world.check(id, code)).toMatchObject({ status: 410 });

    const other = (await world.start({ ...START, receiver: '+40722123457' })).body.verificationId;
    await codeOf(2);
    for (const attemptsLeft of [4, 3, 2, 1, 0])
      expect((await world.check(other, '000000')).body['attemptsLeft']).toBe(attemptsLeft);
    expect(await world.check(other, '000000')).toMatchObject({ status: 429 });
  },
  LIMIT_MS,
);

it.each(SERVICE_NAMES)(
  'sends a new code by %s, and asks for none after a cancellation',
  async (name) => {
    const { world, service, codeOf } = await startWith(name);
    const id = (await world.start()).body.verificationId;
    await codeOf(1);
    expect(await world.call('POST', `/${id}/resend`)).toMatchObject({ status: 202, body: { sendsLeft: 3 } });
    const newest = await codeOf(2);
    expect(await world.call('DELETE', `/${id}`)).toMatchObject({
      status: 200,
      body: { status: 'cancelled' },
    });
    const isCancelled = service.state.sent[1]?.status === 'canceled';
    expect(isCancelled).toBe(name !== 'infobip-2fa');
    const before = service.requests.length;
    expect(await world.check(id, newest)).toMatchObject({ status: 410 });
    expect(service.requests).toHaveLength(before);
  },
  LIMIT_MS,
);

it(
  'fails a verification that the service rejects, and says if the service does not answer',
  async () => {
    const { world, service, codeOf } = await startWith('twilio-verify');
    service.state.refused.add(START.receiver);
    const refused = (await world.start()).body.verificationId;
    const statusOf = async () => (await world.call('GET', `/${refused}`)).body['status'];
    await expect.poll(statusOf, WAIT).toBe('failed');
    const id = (await world.start({ ...START, receiver: '+40722123457' })).body.verificationId;
    await codeOf(1);
    service.script({ status: 500 }, { status: 401 });
    for (const code of ['000000', '000001'])
      expect(await world.check(id, code)).toMatchObject({ status: 503, body: { code: 'not-ready' } });
    expect(await world.call('GET', `/${id}`)).toMatchObject({ body: { attemptsLeft: 5 } });
  },
  LIMIT_MS,
);

it(
  'sends by the fallback, once, if the service rejects the receiver',
  async () => {
    const { world, service, codeOf } = await startWith('twilio-verify');
    service.state.refused.add(START.receiver);
    const receiver = 'ana@mail.example';
    const { body } = await world.start({ ...START, fallback: { receiver } });
    const code = await codeOf(1);
    expect(service.state.sent.map(({ to }) => to)).toEqual([receiver]);
    const { body: shown } = await world.call('GET', `/${body.verificationId}`);
    expect(shown).toMatchObject({ status: 'pending', channel: 'email', sendsLeft: 3 });
    expect(await world.check(body.verificationId, code)).toMatchObject({
      body: { status: 'approved', channel: 'email' },
    });
  },
  LIMIT_MS,
);

it.each(['twilio-verify', 'infobip-2fa'] as const)(
  'takes the earlier code after a further message that %s did not send',
  async (name) => {
    const { world, service, codeOf } = await startWith(name);
    const id = (await world.start()).body.verificationId;
    const code = await codeOf(1);
    service.script({ status: 400 });
    await world.call('POST', `/${id}/resend`);
    const failed = async () => (await outcomesOf(world)).filter((text) => text.includes('failed')).length;
    await expect.poll(failed, WAIT).toBe(1);
    expect(await world.check(id, otherThan(code))).toMatchObject({ body: { status: 'pending' } });
    expect(await world.check(id, code)).toMatchObject({ body: { status: 'approved', sendsLeft: 3 } });
  },
  LIMIT_MS,
);

it(
  'does not take the code of a later verification of the same number',
  async () => {
    const { world, service, codeOf } = await startWith('twilio-verify');
    const first = (await world.start()).body.verificationId;
    await codeOf(1);
    const [ended] = service.state.sent;
    if (ended !== undefined) ended.status = 'canceled';
    await world.start();
    const code = await codeOf(2);
    expect(await world.check(first, code)).toMatchObject({ status: 410 });
  },
  LIMIT_MS,
);

it(
  'counts the end of a code at the provider as the end of the verification',
  async () => {
    const { world, service, codeOf } = await startWith('vonage-verify');
    const id = (await world.start()).body.verificationId;
    const code = await codeOf(1);
    service.script({ status: 410 });
    expect(await world.check(id, code)).toMatchObject({ status: 410, body: { code: 'verification-ended' } });
    expect(await world.check(id, code)).toMatchObject({ status: 410 });
  },
  LIMIT_MS,
);

it(
  'needs a sender if no provider of the channel has one or makes codes',
  async () => {
    const own = {
      provider: 'own',
      url: 'https://sms.example',
      'communication-channel': 'sms',
      'payload-template': {
        to: 'RECEIVER_PLACEHOLDER',
        from: 'SENDER_PLACEHOLDER',
        text: 'MESSAGE_PLACEHOLDER',
      },
    };
    const { parse } = JSON;
    const world = await startVerificationWorld({ configuration: parse(configurationText(own)) as object });
    expect(await world.start({ ...START, length: 3 })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'sender', code: 'missing' }, { path: 'length' }] },
    });
    const service = parse(
      readyText('infobip-2fa.json').replaceAll('https://YOUR-BASE-URL', 'https://sms'),
    ) as {
      readonly notificationConfigurations: readonly { 'provider-configurations': object[] }[];
    };
    service.notificationConfigurations[0]?.['provider-configurations'].push(own);
    const other = await startVerificationWorld({ configuration: service });
    expect(await other.start({ ...START, length: 3 })).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'length' }] },
    });
  },
  LIMIT_MS,
);

it('refuses calls about a code that are not those of a provider, by the path of each fault', () => {
  const provider = {
    provider: 'codes',
    url: 'https://sms.example',
    'communication-channel': 'sms',
    'payload-template': { to: 'RECEIVER_PLACEHOLDER' },
    connector: { textByProvider: true },
    codes: { check: { url: 'http://sms.example' }, cancel: { method: 'DELETE' } },
  };
  const read = readProviderConfiguration(configurationText(provider));
  const paths = read.kind === 'invalid' ? read.faults.map(({ path }) => path.replace(/^.*\.codes/, '')) : [];
  expect(paths.map((one) => one.replace(/^.*\]\./, ''))).toEqual([
    'connector.id',
    '.check.url',
    '.cancel.method',
  ]);
});
