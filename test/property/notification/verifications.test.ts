import { expect, it } from 'vitest';
import type { Request } from '../../../shared/messaging/handler/request.ts';
import { HEADER, headerText } from '../../../shared/messaging/headers.ts';
import type { LogMessage, OutgoingMessage } from '../../../shared/messaging/message.ts';
import { isTransientFailure, type Outcome } from '../../../shared/messaging/outcome.ts';
import type { Publisher, Tail } from '../../../shared/messaging/ports.ts';
import { createVerificationCodes } from '../../../shared/notification/verification-codes.ts';
import type { VerificationEvent } from '../../../shared/notification/verification.ts';
import { MessagingError } from '../../../shared/platform/errors.ts';
import { silentLog } from '../../../shared/platform/log.ts';
import { sleep } from '../../../shared/platform/system-ports.ts';
import { VerifyRequests } from '../../../workers/notification/verification/verify-requests.ts';
import { scriptedProviders } from '../../support/fakes/scripted-providers.ts';
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

async function startProcess(system: SeededSystem, log: RandomLog) {
  const life = new Life();
  const providers = scriptedProviders();
  providers.add('sms');
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

async function run(seed: number) {
  const system = seededSystem(seed);
  const { picks, timers } = system;
  const log = new RandomLog(system);
  const answers: Answered[] = [];
  const commands: OutgoingMessage[] = [];
  const work = async (): Promise<void> => {
    const processes = [await startProcess(system, log), await startProcess(system, log)];
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
        if (process.life.isOver && processes[at] === process) processes[at] = await startProcess(system, log);
        if (outcome === undefined || process.life.isOver) continue;
        if (outcome.kind === 'done') commands.push(...(outcome.outputs ?? []));
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
      const known = commands.map(codeIn);
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
  return { answers, commands, records: log.records };
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
