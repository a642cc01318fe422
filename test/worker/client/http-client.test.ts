import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient, EngineError, type ClientOptions } from '../../../shared/client/client.ts';
import { createEmbeddedBroker } from '../../../shared/messaging/embedded/broker.ts';
import { allTopicSpecs } from '../../../shared/messaging/topics/topic-settings.ts';
import { loadConfig } from '../../../shared/platform/load-config.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { start as startNotificationWorker } from '../../../workers/notification/main.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { authorize, JWT_SECRET } from '../../support/builders/access-token.ts';
import { PROOF_REQUEST, PROOF_TOTALS } from '../../support/builders/schedule-call.ts';
import { startOn } from '../../support/worlds/ingress-system.ts';

const EXAMPLE_LIMIT_MS = 20_000;

/** A client of an engine with the workers for schedules and notifications. */
async function openEngine(env: Record<string, string> = {}, options: ClientOptions = {}) {
  const folder = await mkdtemp(path.join(tmpdir(), 'plat-client-'));
  const broker = createEmbeddedBroker();
  onTestFinished(async () => {
    await broker.close();
    await rm(folder, { recursive: true, force: true });
  });
  const { notification } = loadConfig({});
  await broker.admin.createTopics(allTopicSpecs('', notification.retryTiersMs));
  const settings = { OUTBOX_FOLDER: folder, ...env };
  for (const start of [startScheduleWorker, startNotificationWorker]) await startOn(broker, start, settings);
  const { url } = await startOn(broker, startIngressWorker, settings);
  return { url, ...createClient({ baseUrl: url, ...options }) };
}

describe('the client over HTTP', () => {
  it('returns a schedule with its types, warnings and calendar', async () => {
    const engine = await openEngine();
    const { reply, warnings, correlationId } = await engine.calculateRepaymentSchedule(
      { jsonParam: { ...PROOF_REQUEST, ContractPeriod: 6 } },
      { correlationId: 'loan-4711' },
    );
    const totals = reply.map((row) => 'TotalInstallment' in row && row.TotalInstallment);
    expect(totals).toEqual(PROOF_TOTALS);
    expect(warnings).toEqual([{ code: 'no-effect', path: 'jsonParam.ContractPeriod' }]);
    expect(correlationId).toBe('loan-4711');
  });

  it('reports all faults of a refused request', async () => {
    const engine = await openEngine();
    const error: unknown = await engine
      .calculateRepaymentSchedule({
        jsonParam: { ...PROOF_REQUEST, Amount: '100' as unknown as number, InstallmentsNo: -1 },
      })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(EngineError);
    expect(error).toMatchObject({
      status: 400,
      code: 'invalid-request',
      faults: [{ path: 'jsonParam.Amount' }, { path: 'jsonParam.InstallmentsNo' }],
    });
  });

  it('submits a request and fetches its result', async () => {
    const engine = await openEngine();
    const submitted = await engine.submit('calculateRepaymentSchedule', { jsonParam: PROOF_REQUEST });
    const { reply } = await engine.waitForResult(submitted);
    expect(reply).toHaveLength(6);
  });

  it('sends an SMS once for each Idempotency-Key and waits for its outcome', async () => {
    const engine = await openEngine();
    const sms = { receiver: '+40722123456', message: 'Your new account is ready.' };
    const first = await engine.sendSms(sms);
    const second = await engine.sendSms(sms, { idempotencyKey: first.idempotencyKey });
    expect(second.reply.notificationId).toBe(first.reply.notificationId);
    const { reply } = await engine.waitForNotification(first.reply.notificationId, { timeoutMs: 20_000 });
    expect(reply).toMatchObject({ status: 'sent', channel: 'sms' });
  });

  it('repeats a call that the rate limit refuses', async () => {
    const engine = await openEngine({ RATE_LIMIT_PER_SECOND: '1' });
    const request = { jsonParam: PROOF_REQUEST };
    await engine.calculateRepaymentSchedule(request);
    const second = await engine.calculateRepaymentSchedule(request);
    expect(second.attempts).toBe(2);
  });

  it('sends its token, and is refused without one', async () => {
    const { authorization } = await authorize('ana');
    let token: string | undefined = authorization.replace('Bearer ', '');
    const env = { AUTH_JWT_SECRET: JWT_SECRET };
    const engine = await openEngine(env, { token: () => token });
    expect((await engine.calculateRepaymentSchedule({ jsonParam: PROOF_REQUEST })).reply).toHaveLength(6);
    token = undefined;
    const refused = engine.calculateRepaymentSchedule({ jsonParam: PROOF_REQUEST });
    await expect(refused).rejects.toMatchObject({ code: 'unauthenticated', status: 401 });
  });

  it('yields the states of the system as events', async () => {
    const engine = await openEngine();
    const events = engine.events('/api/operations/v1/system/events');
    const { value } = await events.next();
    await events.return(undefined);
    const processes = value?.event === 'system' ? value.data.processes : [];
    expect(processes.map(({ name }) => name)).toContain('this');
  });

  it('runs the example of the documents', async () => {
    const { url } = await openEngine();
    const example = path.resolve(
      import.meta.dirname,
      '../../../docs/examples/typescript-client/first-calls.ts',
    );
    const { stdout } = await promisify(execFile)(process.execPath, [example], {
      env: { ENGINE_URL: url },
      timeout: EXAMPLE_LIMIT_MS,
    });
    expect(stdout).toBe(
      '1 2024-02-01T00:00:00Z 17.01\n2 2024-03-01T00:00:00Z 17.01\n3 2024-04-01T00:00:00Z 17.01\n' +
        '4 2024-05-01T00:00:00Z 17.01\n5 2024-06-01T00:00:00Z 17.01\n6 2024-07-01T00:00:00Z 17\n' +
        '6 instalments\nSMS sent\n',
    );
  });
});
