import { expect, it } from 'vitest';
import type { Request } from '../../../shared/messaging/handler/request.ts';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage, OutgoingMessage } from '../../../shared/messaging/message.ts';
import { isTransientFailure, type Outcome } from '../../../shared/messaging/outcome.ts';
import type { Publisher, Tail } from '../../../shared/messaging/ports.ts';
import { createVerificationCodes } from '../../../shared/notification/verification-codes.ts';
import type { Outbound } from '../../../shared/notification/notification-command.ts';
import type { NotificationState } from '../../../shared/notification/notification-state.ts';
import type { SendResult } from '../../../shared/notification/provider.ts';
import type { CommandCopy } from '../../../workers/notification/retry/command-copy.ts';
import type { VerificationEvent } from '../../../shared/notification/verification.ts';
import { MessagingError } from '../../../shared/platform/errors.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { sleep } from '../../../shared/platform/system-ports.ts';
import { VerifyRequests } from '../../../workers/notification/verification/verify-requests.ts';
import { permanent, scriptedProviders, SENT, unknown } from '../../support/fakes/scripted-providers.ts';
import { seededSystem, SIMULATED_SECRET, type SeededSystem } from '../../simulation/seeded-system.ts';

const RUNS = 1_000;
const RUN_LIMIT_MS = 600_000;
const ID = '6f1d7f0c-2a4e-4d0b-9f39-5a3f8c1b7e52';
/** Ten digits, since shorter numbers occur by chance. */
const START = { verificationId: ID, receiver: '+40722123456', message: 'Code {{code}}', length: 10 };
const VALID_SECONDS = 60;
const codes = createVerificationCodes(SIMULATED_SECRET);

/** A log whose publishers lose requests and acknowledgements, and whose readers are late by different times. */
class RandomLog {
  readonly records: LogMessage[] = [];
  readonly #system: SeededSystem;
  #waiting: (() => void)[] = [];

  constructor(system: SeededSystem) {
    this.#system = system;
  }

  readonly pause = (mostMs: number): Promise<void> =>
    sleep(this.#system.timers, this.#system.picks.whole(0, mostMs));

  publisher(life: Life): Publisher {
    const { picks, clock } = this.#system;
    return {
      start: () => Promise.resolve(),
      isHealthy: () => true,
      stop: () => Promise.resolve(),
      publish: async (messages) => {
        await this.pause(30);
        await life.goOn();
        const isLost = picks.share() < 0.05;
        for (const { topic, key, value, headers = {} } of isLost ? [] : messages) {
          const given = { topic, key: Buffer.from(String(key)), value, headers };
          this.records.push({
            ...given,
            partition: 0,
            offset: this.records.length,
            timestampMs: clock.now(),
          });
        }
        for (const wake of this.#waiting.splice(0)) wake();
        await this.pause(30);
        await life.goOn();
        if (isLost || picks.share() < 0.05)
          throw new MessagingError('send-unknown', 'lost', { canRetry: true });
      },
    };
  }

  tail(life: Life): Tail {
    const at = { position: 0 };
    const follow = async (onMessage: (message: LogMessage) => void): Promise<void> => {
      for (;;) {
        const record = this.records[at.position];
        if (record === undefined) await new Promise<void>((resolve) => this.#waiting.push(resolve));
        else {
          await this.pause(20);
          await life.goOn();
          onMessage(record);
          at.position += 1;
        }
      }
    };
    return {
      start: async (onMessage) => void follow(onMessage),
      isReady: () => true,
      caughtUp: async () => {
        const end = { position: this.records.length };
        while (at.position < end.position) await this.pause(20);
      },
      stop: () => Promise.resolve(),
    };
  }
}

/** Of a process that may end between any two effects: its work then never continues. */
class Life {
  isOver = false;
  goOn(): Promise<void> {
    return this.isOver ? new Promise<never>(() => undefined) : Promise.resolve();
  }
}

interface Answered {
  readonly name: string;
  readonly request: string;
  readonly code?: string;
  readonly outcome: Outcome;
}

/** A provider that makes the codes. It takes each once, and its answers get lost. */
class CodeService {
  /** By its reference, which is that of one message however often it is sent. */
  readonly codes = new Map<string, string>();
  readonly taken: string[] = [];
  readonly #system: SeededSystem;
  readonly #log: RandomLog;

  constructor(system: SeededSystem, log: RandomLog) {
    this.#system = system;
    this.#log = log;
  }

  start(notificationId: string): string {
    const reference = `reference of ${notificationId}`;
    const digits = Array.from({ length: 10 }, () => this.#system.picks.whole(0, 9)).join('');
    if (!this.codes.has(reference)) this.codes.set(reference, digits);
    return reference;
  }

  readonly check = async ({ id, message }: Outbound): Promise<SendResult> => {
    await this.#log.pause(50);
    const isTaken = this.taken.includes(id);
    const isRight = !isTaken && this.codes.get(id) === message;
    if (isRight) this.taken.push(id);
    await this.#log.pause(50);
    if (this.#system.picks.share() < 0.1) return unknown();
    if (isTaken) return { kind: 'transient', code: 'ended', isAboutReceiver: true };
    return isRight ? SENT : permanent();
  };
}

async function startProcess(system: SeededSystem, log: RandomLog, service?: CodeService) {
  const life = new Life();
  const providers = scriptedProviders();
  const check = service && scriptedProviders().add('check', { answer: service.check });
  providers.add('sms', check && { codes: { check, cancel: undefined, replace: undefined } });
  const requests = new VerifyRequests({
    secret: SIMULATED_SECRET,
    broker: { createTail: () => log.tail(life) },
    topic: () => 'events',
    self: system.newId(),
    timers: system.timers,
    log: silentLog,
    codec: {
      encode: (_type, payload) => ({ value: Buffer.from(JSON.stringify(payload)), headers: {} }),
      decode: () => {
        throw new Error('nothing is decoded here');
      },
      isBatch: () => false,
      prepare: () => Promise.resolve(),
    },
    clock: system.clock,
    copies: log.publisher(life),
    templates: { open: () => Promise.resolve(() => undefined) },
    providers,
    commandTopic: () => 'commands',
  });
  await requests.log.start();
  return { life, requests };
}

async function run(seed: number, isByService = false) {
  const system = seededSystem(seed);
  const { picks, timers } = system;
  const log = new RandomLog(system);
  const answers: Answered[] = [];
  const commands: OutgoingMessage[] = [];
  const service = isByService ? new CodeService(system, log) : undefined;
  const work = async (): Promise<void> => {
    const processes = [await startProcess(system, log, service), await startProcess(system, log, service)];
    const delivered = new Set<string>();
    /** The delivery of a message: it is sent once, and a process that ends before it is noted begins once more. */
    const deliver = async ({ headers = {} }: OutgoingMessage): Promise<void> => {
      const id = headerText(headers, HEADER.notificationId) ?? '';
      if (delivered.has(id)) return;
      delivered.add(id);
      const isSent = service !== undefined && picks.share() < 0.9;
      const state = {
        status: isSent ? 'sent' : 'failed',
        channel: 'sms',
        attempts: [{ provider: 'sms' }],
        providerMessageId: isSent ? service.start(id) : undefined,
      } as unknown as NotificationState;
      for (let isNoted = false; !isNoted;) {
        const noting = processes[picks.whole(0, 1)]?.requests
          .settled({ id, message: { headers } } as unknown as CommandCopy, state)
          .then(() => true)
          .catch(() => false);
        isNoted = await Promise.race([noting ?? false, sleep(timers, 10_000).then(() => false)]);
      }
    };
    const handle = async (name: string, request: string, body: object): Promise<void> => {
      for (;;) {
        const at = picks.whole(0, 1);
        const process = processes[at];
        if (process === undefined) throw new Error('there are two processes');
        const type = `${name}VerificationRequest`;
        const value = Buffer.from(JSON.stringify(body));
        const headers = { [HEADER.replyTopic]: 'replies', [HEADER.correlationId]: request };
        const place = { topic: 'requests', partition: 0, offset: 0, timestampMs: system.clock.now() };
        const message = { ...place, key: Buffer.from(ID), value, headers };
        const given = { message, type, correlationId: request } as unknown as Request;
        if (picks.share() < 0.1) {
          timers.schedule(
            () => {
              process.life.isOver = true;
            },
            picks.whole(0, 100),
          );
        }
        const handling = Promise.resolve(process.requests.handlers[type]?.(body, given)).then(
          (outcome) => outcome,
          (error: unknown) => {
            if (!isTransientFailure(error)) throw error;
            return undefined;
          },
        );
        const outcome = await Promise.race([handling, sleep(timers, 10_000).then(() => undefined)]);
        if (process.life.isOver && processes[at] === process)
          processes[at] = await startProcess(system, log, service);
        if (outcome === undefined || process.life.isOver) continue;
        const outputs = outcome.kind === 'done' ? (outcome.outputs ?? []) : [];
        if (service !== undefined) for (const output of outputs) void deliver(output);
        commands.push(...outputs);
        answers.push({ name, request, outcome, ...(body as { readonly code?: string }) });
        return;
      }
    };
    let count = 0;
    const ask = async (name: string, body: object = { verificationId: ID }): Promise<void> => {
      count += 1;
      const request = `request ${count}`;
      const times = picks.share() < 0.3 ? 2 : 1;
      await Promise.all(
        Array.from({ length: times }, async () => {
          await log.pause(200);
          await handle(name, request, body);
        }),
      );
    };
    await ask('Start', { ...START, validSeconds: VALID_SECONDS });
    const typed = (): string => {
      const known = service === undefined ? commands.map(codeIn) : [...service.codes.values()];
      const isRight = known.length > 0 && picks.share() < 0.5;
      return isRight ? (known[picks.whole(0, known.length - 1)] ?? '') : String(picks.whole(0, 9)).repeat(10);
    };
    const acts = Array.from({ length: picks.whole(4, 14) }, async () => {
      await log.pause(picks.share() < 0.2 ? 2 * VALID_SECONDS * 1_000 : 4_000);
      const what = picks.share();
      if (what < 0.7) await ask('Check', { verificationId: ID, code: typed() });
      else if (what < 0.9) await ask('Resend');
      else if (what < 0.95) await ask('Cancel');
      else await ask('Get');
    });
    await Promise.all(acts);
    const readers = [await startProcess(system, log), await startProcess(system, log)];
    const ends = readers.map(({ requests }) => requests.log.known.get(ID));
    expect([seed, ends[0]]).toEqual([seed, ends[1]]);
  };
  await system.run(work(), RUN_LIMIT_MS);
  return { answers, commands, records: log.records, service };
}

function codeIn({ headers = {}, value }: OutgoingMessage): string {
  const id = headerText(headers, HEADER.notificationId) ?? '';
  const { message } = JSON.parse(String(value)) as { readonly message: string };
  return codes.withCode({ id, message }, headerText(headers, HEADER.codeDigits)).message.replace('Code ', '');
}

/** Reads the log once more, one event after the other: which request was approved, and by which code. */
function judge(records: readonly LogMessage[]) {
  const seen = new Set<string>();
  let [sends, wrong, createdAt] = [0, 0, 0];
  let end: string | undefined;
  let approved: string | undefined;
  for (const { value } of records) {
    const event = JSON.parse(String(value)) as VerificationEvent;
    if (seen.has(event.request)) continue;
    if (event.kind === 'created' && createdAt === 0) [createdAt, sends] = [event.at, 1];
    else if (end === undefined && event.at - createdAt > VALID_SECONDS * 1_000) end = 'expired';
    if (event.kind === 'created' || end !== undefined) continue;
    if (event.kind === 'sent' && sends === 5) continue;
    seen.add(event.request);
    if (event.kind === 'sent') sends += 1;
    if (event.kind === 'cancelled') end = 'cancelled';
    if (event.kind !== 'checked' || !('mac' in event)) continue;
    const notificationId = codes.notificationId({ id: ID, createdAt, sends });
    if (event.mac === codes.mac(ID, codes.code(notificationId, 10)))
      [end, approved] = ['approved', event.request];
    else if ((wrong += 1) === 5) end = 'failed';
  }
  return { end, approved, sends };
}

const statusOf = ({ outcome }: Answered): string | undefined =>
  outcome.kind === 'done'
    ? (outcome.reply?.payload as { readonly status?: string } | undefined)?.status
    : undefined;

it(`accepts a code once and before its end, in ${RUNS} runs with crashes, two processes and doubled messages`, async () => {
  const ends = new Map<string, number>();
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const { answers, commands, records } = await run(seed);
    const { end = 'pending', approved, sends } = judge(records);
    ends.set(end, (ends.get(end) ?? 0) + 1);
    const checks = answers.filter(({ name }) => name === 'Check');
    const accepted = new Set(
      checks.filter((one) => statusOf(one) === 'approved').map(({ request }) => request),
    );
    expect([seed, accepted.size]).toEqual([seed, approved === undefined ? 0 : 1]);
    const counted = new Set(
      checks.filter(({ outcome }) => outcome.kind === 'done').map(({ request }) => request),
    );
    expect([seed, counted.size <= 5]).toEqual([seed, true]);
    // A refusal may change from 429 to 410 with the end of the verification; an answer does not change.
    const changing = answers.filter(({ name }) => name !== 'Get');
    const byRequest = Map.groupBy(changing, ({ request, name }) => `${name} ${request}`);
    for (const [request, own] of byRequest) {
      const kinds = new Set(own.map((one) => statusOf(one) ?? 'refused'));
      expect([seed, request, [...kinds]]).toHaveProperty('2.length', 1);
    }
    const ids = new Set(commands.map(({ headers = {} }) => headerText(headers, HEADER.notificationId)));
    expect([seed, ids.size <= sends]).toEqual([seed, true]);
    const written = [...records, ...commands].map(({ value }) => String(value)).join('\n');
    const replies = JSON.stringify(
      answers.map(({ outcome }) => (outcome.kind === 'done' ? outcome.reply : outcome)),
    );
    for (const code of commands.map(codeIn))
      expect([seed, (written + replies).includes(code)]).toEqual([seed, false]);
  }
  // One that expires usually stays pending on the log, since no event has an effect any more.
  for (const end of ['approved', 'failed', 'pending', 'cancelled'])
    expect([end, (ends.get(end) ?? 0) > 10]).toEqual([end, true]);
}, 300_000);

it(`takes the code of a service once in ${RUNS} runs, and keeps it off the log`, async () => {
  const seen = { approved: 0, lost: 0, afterFailure: 0 };
  for (let seed = 1; seed <= RUNS; seed += 1) {
    const { answers, records, service } = await run(seed, true);
    const checks = answers.filter(({ name }) => name === 'Check');
    const approved = checks.filter((one) => statusOf(one) === 'approved');
    const accepted = new Set(approved.map(({ request }) => request));
    const taken = service?.taken.length ?? 0;
    expect([seed, accepted.size <= Math.min(1, taken)]).toEqual([seed, true]);
    const codesTaken = service?.taken.map((reference) => service.codes.get(reference));
    for (const { code } of approved) expect([seed, codesTaken?.includes(code)]).toEqual([seed, true]);
    const counted = checks.filter(({ outcome }) => outcome.kind === 'done').map(({ request }) => request);
    expect([seed, new Set(counted).size <= 5]).toEqual([seed, true]);
    const events = records.map(({ value }) => String(value));
    for (const code of service?.codes.values() ?? [])
      expect([seed, events.some((event) => event.includes(code))]).toEqual([seed, false]);
    if (accepted.size === 1) seen.approved += 1;
    if (accepted.size < taken) seen.lost += 1;
    if (accepted.size === 1 && events.some((event) => event.includes('"unsent"'))) seen.afterFailure += 1;
  }
  for (const [name, count] of Object.entries(seen)) expect([name, count > 10]).toEqual([name, true]);
}, 300_000);

it('sends one message to the fallback, also after a crash between its event and the message', async () => {
  for (let seed = 1; seed <= 100; seed += 1) {
    const system = seededSystem(seed);
    const log = new RandomLog(system);
    const work = async (): Promise<void> => {
      const [first, second] = [await startProcess(system, log), await startProcess(system, log)];
      const plan = { ...START, verificationId: undefined, channel: 'sms', validSeconds: VALID_SECONDS };
      const created = { id: ID, at: system.clock.now(), request: 'start', kind: 'created', caller: 'ana' };
      const event = { ...created, plan: { ...plan, fallback: { receiver: 'ana@mail.example' } } };
      await first.requests.log.write(event as unknown as VerificationEvent).catch(() => undefined);
      while (second.requests.log.known.size === 0) {
        await second.requests.log.write(event as unknown as VerificationEvent).catch(() => undefined);
      }
      const id = codes.notificationId({ id: ID, createdAt: event.at, sends: 1 });
      const copy = {
        id,
        message: { headers: { [HEADER.verification]: `${ID}/1` } },
      } as unknown as CommandCopy;
      const settle = ({ requests }: typeof first, status: string): Promise<boolean> =>
        requests
          .settled(copy, { status, channel: 'sms', attempts: [] } as unknown as NotificationState)
          .then(() => true)
          .catch(() => false);
      void settle(first, 'failed');
      await log.pause(100);
      first.life.isOver = true;
      while (!(await settle(second, 'failed')));
      while (!(await settle(second, 'parked')));
    };
    await system.run(work(), RUN_LIMIT_MS);
    const sent = log.records.filter(({ topic }) => topic === 'commands');
    const ids = new Set(sent.map(({ headers }) => headerText(headers, HEADER.notificationId)));
    expect([seed, ids.size]).toEqual([seed, 1]);
  }
}, 60_000);
