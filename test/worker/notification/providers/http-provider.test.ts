import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Outbound } from '../../../../shared/notification/notification-command.ts';
import type { Provider, SendResult } from '../../../../shared/notification/provider.ts';
import { createHttpConnector } from '../../../../workers/notification/providers/http-provider.ts';
import { httpEntry } from '../../../support/builders/provider-entry.ts';
import { anSms } from '../../../support/builders/outbound-messages.ts';
import { startProviderStandIn } from '../../../support/fakes/provider-stand-in.ts';
import { transient, unknown } from '../../../support/fakes/scripted-providers.ts';
import { listenOnFreePort } from '../../../support/free-port.ts';
import { selfSigned } from '../../../support/self-signed-certificate.ts';
import { untilSent } from '../../../support/standing-connection.ts';
import { systemPorts } from '../../../../shared/platform/system-ports.ts';

const NOW = Date.parse('2026-03-02T10:00:00Z');
const clock = { now: () => NOW };
const opened: Provider[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((provider) => provider.close()));
});

function connector(members: Readonly<Record<string, unknown>>, timeoutMs = 5_000): Provider {
  const provider = createHttpConnector(httpEntry(members), { ...systemPorts, clock, timeoutMs });
  opened.push(provider);
  return provider;
}

const send = (
  provider: Provider,
  message: Outbound = anSms(),
  signal: AbortSignal = new AbortController().signal,
): Promise<SendResult> => provider.send(message, signal);

const transientAs = (code: RegExp) => ({ kind: 'transient', code: expect.stringMatching(code) as string });

describe('a call', () => {
  it('is transient when the host is unknown', async () => {
    const unheard = await send(connector({ url: 'https://host.invalid/' }));
    expect(unheard).toMatchObject(transientAs(/^connect-(enotfound|eai_again)$/));
  });

  it('is transient when the certificate is not trusted, and succeeds with a configured authority', async () => {
    const tls = selfSigned();
    await using standIn = await startProviderStandIn({ tls });
    expect(await send(connector({ url: standIn.origin }))).toMatchObject(transientAs(/self_signed/));
    expect(standIn.requests).toHaveLength(0);
    const provider = connector({ url: standIn.origin, connector: { tls: { ca: tls.cert } } }, 2_000);
    expect(await send(provider)).toMatchObject({ kind: 'sent' });
  });

  it('fails transiently if no connection is established in time', async () => {
    const deaf = createServer();
    const provider = connector({ url: `https://127.0.0.1:${await listenOnFreePort(deaf)}/` }, 200);
    const startedAt = performance.now();
    expect(await send(provider)).toMatchObject({ kind: 'transient' });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    await provider.close();
    deaf.close();
  });

  it.each([
    ['no response within its own, shorter timeout', 100, 60_000, 'silent'],
    ['no response within the common timeout', 60_000, 100, 'silent'],
    ['half a status line', 60_000, 100, 'slow-headers'],
  ] as const)('is unknown with %s', async (_, own, all, fault) => {
    await using standIn = await startProviderStandIn();
    const provider = connector({ url: standIn.origin, limits: { timeoutMs: own } }, all);
    await untilSent(() => send(provider));
    standIn.otherwise({ fault });
    const startedAt = performance.now();
    const result = await send(provider);
    expect(result).toEqual(unknown('timed-out'));
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('is transient and no failure of the provider when no connection is free in half of its time, and sends nothing later', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({ url: standIn.origin, connector: { connections: 1 } }, 200);
    await untilSent(() => send(provider));
    standIn.reset();
    standIn.script({ fault: 'silent' });
    const results = await Promise.all([1, 2, 3].map(() => send(provider)));
    const uncalled = { ...transient('no-connection'), isUncalled: true };
    expect(results).toEqual([unknown('timed-out'), uncalled, uncalled]);
    await sleep(100);
    expect(standIn.requests).toHaveLength(1);
  });

  it('that is urgent is made before waiting normal ones', async () => {
    await using standIn = await startProviderStandIn();
    standIn.otherwise({ status: 200, body: {}, delayMs: 50 });
    const provider = connector({ url: standIn.origin, connector: { connections: 2 } });
    expect(provider.concurrency).toBe(2);
    const normal = Array.from({ length: 6 }, () => send(provider));
    const urgent = provider.send(anSms({ message: 'urgent' }), new AbortController().signal, 'urgent');
    await Promise.all([...normal, urgent]);
    // The calls that were made before it may be received after it.
    const at = standIn.requests.findIndex(({ body }) => body.toString().includes('urgent'));
    expect(at).toBeLessThanOrEqual(2);
  });

  it('is never repeated, and connections are reused between calls', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({ url: standIn.origin });
    for (let call = 0; call < 5; call++) await send(provider);
    expect(standIn.requests).toHaveLength(5);
    expect(standIn.connections).toBeLessThan(3);
  });

  it('is transient after close, which waits for calls in progress', async () => {
    await using standIn = await startProviderStandIn();
    const provider = connector({ url: standIn.origin }, 2_000);
    standIn.script({ status: 200, body: {}, delayMs: 100 });
    const call = send(provider);
    while (standIn.connections === 0) await sleep(5);
    await Promise.all([provider.close(), provider.close()]);
    expect(await call).toMatchObject({ kind: 'sent' });
    expect(await send(provider)).toEqual({ kind: 'transient', code: 'provider-closed' });
  });
});
