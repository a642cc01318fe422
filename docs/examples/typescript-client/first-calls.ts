/**
 * A schedule, a result that is fetched later, and a text message, over HTTP:
 *
 *     ENGINE_URL=http://127.0.0.1:8080 node first-calls.ts
 *
 * Outside this repository import from 'banking-product-engine-client'.
 */
import { createClient, EngineError } from '../../../shared/client/client.ts';

const engine = createClient({
  baseUrl: process.env['ENGINE_URL'] ?? 'http://127.0.0.1:8080',
  ...(process.env['ACCESS_TOKEN'] === undefined ? {} : { token: process.env['ACCESS_TOKEN'] }),
});
const loan = {
  ScheduleType: 'EqualInstallments',
  InterestPercent: 7,
  Amount: 100,
  InstallmentsNo: 6,
  PeriodicityType: 'Monthly',
  InstallmentDay: 1,
  ActivationDate: '2024-01-01',
};

try {
  const { reply, warnings } = await engine.calculateRepaymentSchedule({ jsonParam: loan });
  for (const row of reply) if ('InstallmentNo' in row) console.log(row.InstallmentNo, row.DueDate, row.PMT);
  for (const { code, path } of warnings) console.log(`warning: ${code} ${path}`);

  // The id of a stored request can be kept, and its result fetched by another process.
  const submitted = await engine.submit('calculateRepaymentSchedule', {
    jsonParam: { ...loan, Amount: 200 },
  });
  const later = await engine.waitForResult(submitted, { timeoutMs: 60_000 });
  console.log(`${later.reply.length} instalments`);

  const sms = { receiver: '+40722123456', message: 'Your new account is ready.' };
  const { reply: accepted } = await engine.sendSms(sms);
  const { reply: outcome } = await engine.waitForNotification(accepted.notificationId);
  console.log(`SMS ${outcome.status}`);
} catch (error) {
  if (!(error instanceof EngineError)) throw error;
  console.error(error.message, error.correlationId);
  process.exitCode = 1;
}
