import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { countingProviderFile } from '../support/builders/provider-entry.ts';
import { send, statusOf } from '../support/builders/notification-call.ts';
import { sleep } from '../support/conformance/wait.ts';
import { startProviderStandIn } from '../support/fakes/provider-stand-in.ts';
import { spawnEngine, startEngine } from '../support/worlds/engine-process.ts';

/** `ENGINE_KILLS=1000` for a longer run. */
const KILLS = Number(process.env['ENGINE_KILLS'] ?? 4);
/** On a busy machine most of it is the start of the process. */
const KILL_LIMIT_MS = 30_000;
const READY_LIMIT_MS = 60_000;
const SETTLE_LIMIT_MS = 120_000 + 200 * KILLS;
const MAX_LIFE_MS = 600;
const START_EVERY = 8;
const MAX_START_MS = 1_500;
const CALLERS = 8;
const MAX_PAUSE_MS = 60;
const MAX_PROVIDER_MS = 30;
/** A caller sends every third message to a receiver of its own: those wait for each other, also after a kill. */
const OWN_EVERY = 3;
const REPEAT_EVERY = 5;

interface Message {
  readonly key: string;
  readonly receiver: string;
  readonly text: string;
  readonly ids: Set<string>;
}

/** Callers that send messages until they are ended, and repeat each under its key until it is accepted. */
class Callers {
  readonly messages: Message[] = [];
  readonly unexpected: string[] = [];
  url: string | undefined;
  readonly #ended: Promise<unknown>;
  #isOver = false;

  constructor() {
    this.#ended = Promise.all(Array.from({ length: CALLERS }, (_, number) => this.#call(number)));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }

  async #call(caller: number): Promise<void> {
    for (let number = 1; !this.#isOver; number += 1) {
      const message = this.#draft(caller, number);
      while (!this.#isOver && message.ids.size === 0) {
        await this.#send(message);
        await sleep(Math.random() * MAX_PAUSE_MS);
      }
      if (number % REPEAT_EVERY === 0) await this.#send(message);
    }
  }

  #draft(caller: number, number: number): Message {
    const receiver =
      number % OWN_EVERY === 0 ? `+4072200${1_000 + caller}` : `+407${30_000_000 + this.messages.length}`;
    const name = `${caller}-${number}`;
    const message = { key: `key-${name}`, receiver, text: name, ids: new Set<string>() };
    this.messages.push(message);
    return message;
  }

  async #send({ key, receiver, text, ids }: Message): Promise<void> {
    const { url } = this;
    if (url === undefined) return;
    try {
      const headers = { 'idempotency-key': key };
      const response = await send(url, 'sms', { receiver, message: text }, { headers });
      const body = await response.text();
      if (response.status === 202) ids.add((JSON.parse(body) as { notificationId: string }).notificationId);
      else if (response.status !== 503 && response.status !== 504)
        this.unexpected.push(`${key}: ${response.status} ${body}`);
    } catch {
      // The process was killed: the message may have been accepted.
    }
  }
}

const hasEnded = (status = ''): boolean => /^(?:sent|failed|parked)$/.test(status);

async function statusesOf(url: string, accepted: readonly Message[]): Promise<ReadonlyMap<string, string>> {
  const statuses = new Map<string, string>();
  const untilMs = performance.now() + SETTLE_LIMIT_MS;
  for (;;) {
    const open = accepted.filter(({ text }) => !hasEnded(statuses.get(text)));
    if (open.length === 0 || performance.now() > untilMs) return statuses;
    for (const { text, ids } of open) {
      const [id = ''] = ids;
      const response = await statusOf(url, id);
      const { status } = (await response.json()) as { readonly status: string | number };
      statuses.set(text, String(status));
    }
    await sleep(100);
  }
}

/** What was promised for the message and did not happen; undefined: nothing. */
function brokenPromise({ ids }: Message, status: string | undefined, sends: number): string | undefined {
  if (ids.size > 1) return 'its key has several notifications';
  if (sends > 1) return 'it was sent twice';
  if (!hasEnded(status)) return `it is ${status}`;
  if (status === 'sent' && sends === 0) return 'it was never sent';
  if (status === 'failed') return 'its provider never refused it';
  return undefined;
}

/** Lets a process run for a random time, and kills it; some do not become ready before. */
async function killAtRandom(callers: Callers, env: Readonly<Record<string, string>>): Promise<void> {
  if (Math.random() < 1 / START_EVERY) {
    const { child, ended } = spawnEngine([], env);
    await sleep(Math.random() * MAX_START_MS);
    child.kill('SIGKILL');
    await ended;
    return;
  }
  const engine = await startEngine([], env, READY_LIMIT_MS);
  callers.url = engine.url;
  await sleep(Math.random() * MAX_LIFE_MS);
  await engine.end('SIGKILL');
  callers.url = undefined;
}

test(
  `loses no accepted notification and sends none twice in ${KILLS} kills at random points`,
  { timeout: SETTLE_LIMIT_MS + KILL_LIMIT_MS * (KILLS + 1) },
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'engine-kills-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const provider = await startProviderStandIn();
    onTestFinished(() => provider.stop());
    provider.otherwise(() => ({ status: 200, body: {}, delayMs: Math.random() * MAX_PROVIDER_MS }));
    const env = {
      DATA_DIR: path.join(folder, 'data'),
      NOTIFICATION_CONFIG_FILE: countingProviderFile(folder, provider.origin),
      NOTIFICATION_SEND_TIMEOUT_MS: '1000',
      RATE_LIMIT_PER_SECOND: '0',
    };
    const callers = new Callers();
    onTestFinished(() => callers.end());
    for (let kill = 0; kill < KILLS; kill += 1) await killAtRandom(callers, env);

    const engine = await startEngine([], env, READY_LIMIT_MS);
    onTestFinished(async () => void (await engine.end('SIGKILL')));
    callers.url = engine.url;
    await sleep(MAX_LIFE_MS);
    await callers.end();
    const accepted = callers.messages.filter(({ ids }) => ids.size > 0);
    const statuses = await statusesOf(engine.url, accepted);
    const sends = new Map<string, number>();
    for (const { body } of provider.requests) {
      const { text } = JSON.parse(body.toString()) as { readonly text: string };
      sends.set(text, (sends.get(text) ?? 0) + 1);
    }
    const broken = accepted.flatMap((message) => {
      const what = brokenPromise(message, statuses.get(message.text), sends.get(message.text) ?? 0);
      return what === undefined ? [] : [`${message.key} ${[...message.ids].join(' ')}: ${what}`];
    });
    expect([...broken, ...callers.unexpected]).toEqual([]);
    expect(accepted.length).toBeGreaterThan(KILLS);
    expect(provider.requests.length).toBeGreaterThan(0);
  },
);
