import { type Server, type Socket, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { Provider, SendResult } from '../../../../shared/notification/provider.ts';
import {
  type SmtpSettings,
  createSmtpProvider,
} from '../../../../workers/notification/providers/smtp-provider.ts';
import { NEVER, outboundEmail } from '../../../support/builders/outbound-messages.ts';
import { smtpSettingsOf } from '../../../support/builders/provider-entry.ts';
import { permanent, transient, unknown } from '../../../support/fakes/scripted-providers.ts';
import { listenOnFreePort } from '../../../support/free-port.ts';
import { selfSigned } from '../../../support/self-signed-certificate.ts';
import {
  type SinkOptions,
  type SinkReply,
  type SinkScript,
  type SmtpSink,
  startSmtpSink,
} from '../../../support/fakes/smtp-sink.ts';

const certificate = selfSigned();
const clock = { now: () => Date.now() };
/** For timeout tests in which a busy machine must transfer a whole message. */
const SHORT_TIMEOUT_MS = 3_000;
/** For timeout tests in which nothing has to be transferred. */
const SHORTEST_TIMEOUT_MS = 100;
/** Large enough that the server replies or disconnects before most of it is sent. */
const LARGE = { name: 'large.bin', content: Buffer.alloc(2_000_000, 7) };

const open: { close(): unknown }[] = [];
afterAll(async () => {
  for (const item of open.toReversed()) await item.close();
});

/** The tests have servers of their own and mostly wait for them. */
const AT_A_TIME = { concurrent: true };

function providerFor(port: number, settings: Partial<SmtpSettings> = {}): Provider {
  const defaults = { maxConnections: 2, tls: { ca: certificate.cert } };
  const provider = createSmtpProvider(smtpSettingsOf(port, { ...defaults, ...settings }), { clock });
  open.push(provider);
  return provider;
}

async function sinkAndProvider(
  options: SinkOptions = {},
  settings: Partial<SmtpSettings> = {},
): Promise<{ sink: SmtpSink; provider: Provider }> {
  const sink = await startSmtpSink({ certificate, ...options });
  open.push(sink);
  return { sink, provider: providerFor(sink.port, settings) };
}

async function rawServer(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  open.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return listenOnFreePort(server);
}

const receiverTransient = (code: string): SendResult => ({ kind: 'transient', code, isAboutReceiver: true });
const refuse = (reply: number, text: string) => (): SinkReply => ({ reply, text });

/** A reply of each phase. Tested with and without pipelining, which changes when replies arrive. */
const REPLIES: readonly [title: string, script: SinkScript, result: SendResult][] = [
  ['421 in the greeting', { greeting: refuse(421, '4.3.2 closing') }, transient('smtp-421-4.3.2')],
  ['553 at MAIL', { mailFrom: refuse(553, '5.1.8 sender') }, permanent('smtp-553-5.1.8')],
  ['450 at RCPT', { rcptTo: refuse(450, '4.7.1 greylisted') }, receiverTransient('smtp-450-4.7.1')],
  ['552 after the body', { data: refuse(552, '5.3.4 too big') }, permanent('smtp-552-5.3.4')],
];

describe.each([
  ['with pipelining', false],
  ['without pipelining', true],
])('replies of a mail server %s', AT_A_TIME, (_, hidePIPELINING) => {
  it.each(REPLIES)('%s', async (_title, script, result) => {
    const { sink, provider } = await sinkAndProvider({ script, server: { hidePIPELINING } });
    expect(await provider.send(outboundEmail(), NEVER)).toEqual(result);
    expect(sink.mails).toHaveLength(0);
    sink.follow({});
    expect(await provider.send(outboundEmail(), NEVER)).toMatchObject({ kind: 'sent' });
    expect(sink.mails).toHaveLength(1);
  });
});

const CREDENTIALS = { username: 'engine', password: 'right' };

const without = (command: string) => ({ server: { disabledCommands: [command] } });

describe('TLS', AT_A_TIME, () => {
  it('is used from the first byte', async () => {
    const { sink, provider } = await sinkAndProvider({ secure: true }, { secure: true });
    expect(await provider.send(outboundEmail(), NEVER)).toMatchObject({ kind: 'sent' });
    expect(sink.mails[0]?.isTls).toBe(true);
  });

  const old = selfSigned({ fromMs: Date.now() - 2 * 86_400_000, untilMs: Date.now() - 86_400_000 });
  it.each<[string, SinkOptions, Partial<SmtpSettings>, RegExp]>([
    ['without STARTTLS', without('STARTTLS'), { requireTls: true }, /transient|misconfigured/],
    ['without authentication', without('AUTH'), CREDENTIALS, /misconfigured/],
    ['with an expired one', { certificate: old }, { tls: { ca: old.cert } }, /transient smtp-tls-failed/],
  ])('does not send to a server %s', async (_, options, settings, expected) => {
    const { sink, provider } = await sinkAndProvider(options, settings);
    const { kind, code } = await provider.send(outboundEmail(), NEVER);
    expect(`${kind} ${code}`).toMatch(expected);
    expect(sink.bodies).toHaveLength(0);
  });
});

const sendTo = (port: number, settings = {}) => providerFor(port, settings).send(outboundEmail(), NEVER);
const SILENT_AFTER_DATA: SinkOptions = { script: { data: () => 'silent' } };

describe('a connection', AT_A_TIME, () => {
  it('is transient when it is refused, closed without a greeting, or not greeted in time', async () => {
    const sink = await startSmtpSink();
    await sink.close();
    expect(await sendTo(sink.port)).toEqual(transient('smtp-connection-refused'));
    const closing = await rawServer((socket) => socket.end());
    expect(await sendTo(closing)).toEqual(transient('smtp-connection-lost'));
    const silent = await rawServer(() => undefined);
    const startedAt = performance.now();
    expect(await sendTo(silent, { timeoutMs: SHORTEST_TIMEOUT_MS })).toEqual(transient('smtp-timeout'));
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it('is transient when it is not answered at RCPT in time', async () => {
    const script: SinkScript = { rcptTo: () => 'silent' };
    const { sink, provider } = await sinkAndProvider({ script }, { timeoutMs: SHORT_TIMEOUT_MS });
    expect(await provider.send(outboundEmail(), NEVER)).toEqual(transient('smtp-timeout'));
    expect(sink.bodies).toHaveLength(0);
  });

  it('is transient when it is dropped within the body, which the server then discards', async () => {
    const { sink, provider } = await sinkAndProvider({ script: { dataBytes: () => 'drop' } });
    const result = await provider.send(outboundEmail({ attachments: [LARGE] }), NEVER);
    expect(result).toEqual(transient('smtp-connection-lost'));
    await sleep(50);
    expect(sink.bodies).toHaveLength(0);
  });

  it('is unknown at the timeout after the final dot, and is not used again', async () => {
    const { sink, provider } = await sinkAndProvider(SILENT_AFTER_DATA, { timeoutMs: SHORT_TIMEOUT_MS });
    expect(await provider.send(outboundEmail(), NEVER)).toEqual(unknown('smtp-timeout-after-data'));
    sink.follow({});
    expect(await provider.send(outboundEmail(), NEVER)).toMatchObject({ kind: 'sent' });
    expect(sink.opened()).toBe(2);
  });

  it('is replaced when it was closed while idle, and the message is sent once', async () => {
    const { sink, provider } = await sinkAndProvider();
    for (let round = 0; round < 3; round += 1) {
      const message = outboundEmail();
      expect(await provider.send(message, NEVER)).toMatchObject({ kind: 'sent' });
      expect(sink.countOf(`${message.id}@example.org`)).toBe(1);
      sink.dropAll();
    }
    expect(sink.opened()).toBeGreaterThanOrEqual(3);
  });
});

describe('the pool', AT_A_TIME, () => {
  it('sends many messages over few connections, each once', async () => {
    const { sink, provider } = await sinkAndProvider({}, { maxConnections: 3, maxMessages: 6 });
    const messages = Array.from({ length: 30 }, () => outboundEmail());
    const results = await Promise.all(messages.map((message) => provider.send(message, NEVER)));
    expect(results.every((result) => result.kind === 'sent')).toBe(true);
    expect(messages.every((message) => sink.countOf(`${message.id}@example.org`) === 1)).toBe(true);
    expect(sink.opened()).toBeGreaterThanOrEqual(5);
    expect(sink.opened()).toBeLessThan(10);
  });

  it('does not begin a message for which no connection is free in half of its time, and sends nothing later', async () => {
    const settings = { maxConnections: 1, timeoutMs: SHORT_TIMEOUT_MS };
    const { sink, provider } = await sinkAndProvider(SILENT_AFTER_DATA, settings);
    const results = await Promise.all([1, 2, 3].map(() => provider.send(outboundEmail(), NEVER)));
    const uncalled = { ...transient('no-connection'), isUncalled: true };
    expect(results).toEqual([unknown('smtp-timeout-after-data'), uncalled, uncalled]);
    expect(sink.bodies).toHaveLength(1);
  });

  it('sends an urgent message before waiting normal ones', async () => {
    const script: SinkScript = { data: () => ({ afterMs: 50 }) };
    const { sink, provider } = await sinkAndProvider({ script }, { maxConnections: 2 });
    const normal = Array.from({ length: 6 }, () => provider.send(outboundEmail(), NEVER));
    const message = outboundEmail();
    await Promise.all([...normal, provider.send(message, NEVER, 'urgent')]);
    // Those that were begun before it may be received after it.
    const at = sink.mails.findIndex(({ messageId }) => messageId.includes(message.id));
    expect(at).toBeLessThanOrEqual(2);
  });

  it('completes sends in progress on close and rejects later ones as transient', async () => {
    const { sink, provider } = await sinkAndProvider({ script: { data: () => ({ afterMs: 200 }) } });
    const sending = Array.from({ length: 5 }, () => provider.send(outboundEmail(), NEVER));
    await sleep(50);
    await provider.close();
    expect((await Promise.all(sending)).every((result) => result.kind === 'sent')).toBe(true);
    expect(await provider.send(outboundEmail(), NEVER)).toEqual(transient('provider-closed'));
    expect(sink.mails).toHaveLength(5);
    await provider.close();
  });

  it('neither loses nor duplicates messages if the server drops connections at random', async () => {
    let seed = 42;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    const mostly = (): SinkReply => (random() < 0.05 ? 'drop' : 'take');
    const script = { greeting: mostly, mailFrom: mostly, rcptTo: mostly, dataBytes: mostly, data: mostly };
    const { sink, provider } = await sinkAndProvider({ script }, { maxConnections: 5 });
    const messages = Array.from({ length: 80 }, () => outboundEmail());
    const results = await Promise.all(messages.map((message) => provider.send(message, NEVER)));
    for (const [index, { kind }] of results.entries())
      expect(sink.countOf(`${messages[index]?.id}@example.org`)).toBe(kind === 'sent' ? 1 : 0);
    const countOf = (kind: string) => results.filter((result) => result.kind === kind).length;
    expect(sink.bodies.length - sink.mails.length).toBeLessThanOrEqual(countOf('unknown'));
    expect(countOf('sent')).toBeGreaterThan(40);
    expect(countOf('transient')).toBeGreaterThan(0);
  });
});
