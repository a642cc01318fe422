import { expect, it, onTestFinished } from 'vitest';
import { readProviderConfiguration } from '../../../shared/notification/provider-configuration.ts';
import { readyText } from '../../support/builders/provider-entry.ts';
import {
  SERVICE_NAMES,
  startServiceStandIn,
  type ServiceName,
} from '../../support/fakes/verification-services.ts';
import { START, startVerificationWorld } from '../../support/worlds/verification-world.ts';

const LIMIT_MS = 60_000;

interface Configuration {
  readonly notificationConfigurations: readonly [
    { readonly 'verification-service': { readonly url: string } & Record<string, unknown> },
  ];
}

/** The shipped configuration, with the address of a stand-in. */
async function startWith(name: ServiceName) {
  const service = await startServiceStandIn(name);
  onTestFinished(() => service.stop());
  const [realm] = (JSON.parse(readyText(`${name}.json`)) as Configuration).notificationConfigurations;
  const shipped = realm['verification-service'];
  const url = shipped.url.replace(/^https:\/\/[^/]+/, service.origin);
  const own = { ...realm, 'verification-service': { ...shipped, url } };
  const world = await startVerificationWorld({ configuration: { notificationConfigurations: [own] } });
  return { world, service };
}

const otherThan = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

it.each(SERVICE_NAMES)(
  'lets %s make, send and check the codes, and counts its checks',
  async (name) => {
    const { world, service } = await startWith(name);
    const { body, status } = await world.start();
    expect([status, body['status']]).toEqual([202, 'pending']);
    const id = body.verificationId;
    const code = service.state.sent[0]?.code ?? '';
    expect(await world.check(id, otherThan(code))).toMatchObject({
      status: 200,
      body: { status: 'pending', attemptsLeft: 4 },
    });
    expect(await world.check(id, code)).toMatchObject({ body: { status: 'approved' } });
    expect(await world.check(id, code)).toMatchObject({ status: 410 });

    const other = (await world.start({ ...START, receiver: '+40722123457' })).body.verificationId;
    for (const attemptsLeft of [4, 3, 2, 1, 0])
      expect((await world.check(other, '000000')).body['attemptsLeft']).toBe(attemptsLeft);
    expect(await world.check(other, '000000')).toMatchObject({ status: 429 });
  },
  LIMIT_MS,
);

it.each(SERVICE_NAMES)(
  'sends a new code by %s, and asks for none after a cancellation',
  async (name) => {
    const { world, service } = await startWith(name);
    const id = (await world.start()).body.verificationId;
    expect(await world.call('POST', `/${id}/resend`)).toMatchObject({ status: 202, body: { sendsLeft: 3 } });
    expect(service.state.sent).toHaveLength(2);
    const newest = service.state.sent[1]?.code ?? '';
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
    const { world, service } = await startWith('twilio-verify');
    service.state.refused.add(START.receiver);
    expect(await world.start()).toMatchObject({ status: 202, body: { status: 'failed' } });
    const id = (await world.start({ ...START, receiver: '+40722123457' })).body.verificationId;
    service.script({ status: 500 }, { status: 401 });
    expect(await world.check(id, '000000')).toMatchObject({ status: 503, body: { code: 'not-ready' } });
    expect(await world.start({ ...START, receiver: '+40722123458' })).toMatchObject({ status: 503 });
    expect(await world.call('GET', `/${id}`)).toMatchObject({ body: { attemptsLeft: 5 } });
  },
  LIMIT_MS,
);

it(
  'sends by the fallback, once, if the service rejects the receiver',
  async () => {
    const { world, service } = await startWith('twilio-verify');
    service.state.refused.add(START.receiver);
    const receiver = 'ana@mail.example';
    const { body } = await world.start({ ...START, fallback: { receiver } });
    expect(body).toMatchObject({ status: 'pending', channel: 'email', sendsLeft: 3 });
    expect(service.state.sent.map(({ to }) => to)).toEqual([receiver]);
    const code = service.state.sent[0]?.code ?? '';
    expect(await world.check(body.verificationId, code)).toMatchObject({
      body: { status: 'approved', channel: 'email' },
    });
  },
  LIMIT_MS,
);

it('refuses a configuration of a service without what it needs', () => {
  const service = { kind: 'infobip-2fa', url: 'http://sms.example', channels: ['email'] };
  const realm = { realmId: 'platrealm', 'provider-configurations': [], 'verification-service': service };
  const read = readProviderConfiguration(JSON.stringify({ notificationConfigurations: [realm] }));
  const paths =
    read.kind === 'invalid' ? read.faults.map(({ path }) => path.replace(/^.*service\./, '')) : [];
  expect(paths.toSorted()).toEqual(
    ['authentication.key', 'channels', 'parameters.applicationId', 'parameters.messageId', 'url'].toSorted(),
  );
});
