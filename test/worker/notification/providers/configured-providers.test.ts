import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GuardedProvider, SendResult } from '../../../../shared/notification/provider.ts';
import { ConfigError } from '../../../../shared/platform/errors.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';
import {
  type ProviderSet,
  createProviders,
} from '../../../../workers/notification/providers/configured-providers.ts';
import { configurationText } from '../../../support/builders/provider-entry.ts';
import { anEmail, anSms } from '../../../support/builders/outbound-messages.ts';
import { fastTimers } from '../../../support/fakes/virtual-time.ts';
import { type ProviderStandIn, startProviderStandIn } from '../../../support/fakes/provider-stand-in.ts';

/** Timers run this many times faster, so the file is checked every 20 ms. */
const SPEED = 100;
const POLL_MS = 2_000 / SPEED;
const SECRET = 's3cr3t-v4lue';

let folder: string;
let standIn: ProviderStandIn;
let opened: ProviderSet[];
let lines: string[];
const log = () => pino({ level: 'debug' }, { write: (line: string) => lines.push(line) });

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'providers-'));
  standIn = await startProviderStandIn();
  opened = [];
  lines = [];
});
afterEach(async () => {
  await Promise.all(opened.map((set) => set.close()));
  await standIn.stop();
  await rm(folder, { recursive: true });
});

async function open(configFile: string | undefined, timers = fastTimers(SPEED)): Promise<ProviderSet> {
  const source = { configFile, outboxFolder: path.join(folder, 'outbox'), sendTimeoutMs: 500 };
  const set = await createProviders(source, {
    ...systemPorts,
    timers,
    log: log(),
  });
  opened.push(set);
  return set;
}

const sms = (provider: string, members: object = {}): object => ({
  url: `${standIn.origin}/${provider}`,
  provider,
  'payload-template': { to: 'RECEIVER_PLACEHOLDER', text: 'MESSAGE_PLACEHOLDER' },
  'communication-channel': 'sms',
  authentication: { key: SECRET },
  ...members,
});
const mail = { url: 'smtp://127.0.0.1:2525', provider: 'SMTP', 'communication-channel': 'email' };
const names = (providers: readonly GuardedProvider[]): readonly string[] => providers.map(({ name }) => name);

/** Replaces a file atomically. */
async function replaceFile(file: string, text: string): Promise<void> {
  await writeFile(`${file}.tmp`, text);
  await rename(`${file}.tmp`, file);
}

async function until(isMet: () => boolean): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!isMet()) {
    if (performance.now() > deadline) throw new Error('the condition was not met in time');
    await sleep(5);
  }
}

function send(provider: GuardedProvider): Promise<SendResult> {
  expect(provider.admit()).toEqual({ kind: 'go' });
  return provider.send(anSms(), new AbortController().signal);
}

describe('the configured providers', () => {
  it('are created in the order of the file, by channel (N2)', async () => {
    const file = path.join(folder, 'providers.json');
    const twilio = {
      provider: 'twilio',
      'communication-channel': 'sms',
      authentication: { username: `AC${'0'.repeat(32)}`, password: SECRET },
    };
    await writeFile(file, configurationText(sms('one'), mail, twilio, sms('one')));
    const set = await open(file);
    expect(names(set.of('sms'))).toEqual(['one', 'twilio', 'one#2']);
    expect(names(set.of('email'))).toEqual(['SMTP']);
    expect(set.health()).toEqual({ status: 'ready' });
    expect(await send(set.of('sms')[0]!)).toMatchObject({ kind: 'sent' });
    expect(standIn.requests[0]).toMatchObject({
      path: '/one',
      headers: { authorization: `Bearer ${SECRET}` },
    });
  });

  it('are the outbox for both channels if there is no file', async () => {
    const set = await open(undefined);
    const results = await Promise.all([
      set.of('sms')[0]!.send(anSms(), new AbortController().signal),
      set.of('email')[0]!.send(anEmail(), new AbortController().signal),
    ]);
    expect(results.map(({ kind }) => kind)).toEqual(['sent', 'sent']);
    expect((await readdir(path.join(folder, 'outbox'))).length).toBeGreaterThan(0);
  });

  it('are rejected with ConfigError when the outbox cannot be written', async () => {
    await writeFile(path.join(folder, 'outbox'), 'a file instead of the folder');
    await expect(open(undefined)).rejects.toThrow(
      /^the local outbox .*EEXIST.*DATA_DIR.*NOTIFICATION_CONFIG_FILE/,
    );
  });

  it('are rejected with ConfigError when the file is invalid or missing', async () => {
    const file = path.join(folder, 'providers.json');
    await writeFile(file, configurationText({ ...sms('one'), url: SECRET }));
    const wrong = await open(file).catch((error: unknown) => error as ConfigError);
    expect(wrong).toBeInstanceOf(ConfigError);
    expect((wrong as ConfigError).message).toContain('provider-configurations[0].url: must be a URL');
    expect((wrong as ConfigError).message).not.toContain(SECRET);
    await expect(open(path.join(folder, 'none.json'))).rejects.toThrow(ConfigError);
  });

  it('apply their limits', async () => {
    const file = path.join(folder, 'providers.json');
    const limits = { ratePerSecond: 1, breaker: { failures: 1, openMs: 60_000 } };
    await writeFile(file, configurationText(sms('slow', { limits }), sms('frail', { limits })));
    const set = await open(file);
    const [slow, frail] = set.of('sms');
    await send(slow!);
    expect(slow!.admit()).toMatchObject({ kind: 'wait' });
    standIn.script({ status: 503 });
    await send(frail!);
    expect(frail!.admit()).toMatchObject({ kind: 'open', code: 'http-503' });
    expect(set.health()).toEqual({ status: 'degraded', reason: 'sms/frail: circuit-open:http-503' });
  });
});

describe('a changed file', () => {
  it('takes effect without a restart and keeps providers of unchanged entries', async () => {
    const file = path.join(folder, 'providers.json');
    await writeFile(file, configurationText(sms('one'), sms('two'), mail));
    const set = await open(file);
    const [one, two] = set.of('sms');
    await writeFile(file, configurationText(sms('two'), sms('one', { authentication: { key: 'rotated' } })));
    await until(() => names(set.of('sms')).join() === 'two,one');
    expect(set.of('email')).toEqual([]);
    expect(set.of('sms')[0]).toBe(two);
    expect(set.of('sms')[1]).not.toBe(one);
    expect(set.of('sms')[1]!.identity).toMatch(/^[0-9a-f]{8}$/);
    expect(set.of('sms')[1]!.identity).not.toBe(one!.identity);
    await send(set.of('sms')[1]!);
    expect(standIn.requests[0]!.headers['authorization']).toBe('Bearer rotated');
    expect(await send(one!)).toMatchObject({ kind: 'sent' });
  });

  it('is detected for a mounted secret whose folder is replaced by a symbolic link', async () => {
    const [before, after] = ['..2026_01', '..2026_02'].map((name) => path.join(folder, name));
    await mkdir(before!);
    await mkdir(after!);
    await writeFile(path.join(before!, 'providers.json'), configurationText(sms('before')));
    await writeFile(path.join(after!, 'providers.json'), configurationText(sms('after')));
    await symlink(before!, path.join(folder, '..data'));
    await symlink(path.join('..data', 'providers.json'), path.join(folder, 'providers.json'));
    const set = await open(path.join(folder, 'providers.json'));
    expect(names(set.of('sms'))).toEqual(['before']);
    await symlink(after!, path.join(folder, '..data_tmp'));
    await rename(path.join(folder, '..data_tmp'), path.join(folder, '..data'));
    await until(() => names(set.of('sms')).join() === 'after');
  });

  it('is ignored while it is invalid, and logged once by paths without values', async () => {
    const file = path.join(folder, 'providers.json');
    await writeFile(file, configurationText(sms('one')));
    const set = await open(file);
    const [one] = set.of('sms');
    await replaceFile(
      file,
      configurationText({ ...sms('one'), url: SECRET, 'communication-channel': SECRET }),
    );
    await until(() => set.health().status === 'degraded');
    await sleep(5 * POLL_MS);
    expect(set.of('sms')).toEqual([one]);
    expect(set.health().reason).toBe(
      'provider-configuration: notificationConfigurations[0].provider-configurations[0].communication-channel',
    );
    const warnings = lines.filter((line) => line.includes('"level":40'));
    expect(warnings).toHaveLength(1);
    expect(JSON.parse(warnings[0]!)).toMatchObject({
      faults: [
        'notificationConfigurations[0].provider-configurations[0].communication-channel: must be one of email, sms',
        'notificationConfigurations[0].provider-configurations[0].url: must be a URL that begins with https:// or http://',
      ],
    });
    expect(lines.join('')).not.toContain(SECRET);
    await rm(file);
    await until(() => set.health().reason === 'provider-configuration: file');
    await writeFile(file, configurationText(sms('one')));
    await until(() => set.health().status === 'ready');
    expect(set.of('sms')).toEqual([one]);
  });
});
