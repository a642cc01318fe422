import { expect, it } from 'vitest';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { post, PROOF_REQUEST } from '../../support/builders/schedule-call.ts';

const SHIFTED = { ...PROOF_REQUEST, HolidayShift: true, HolidayCountry: 'Romania', HolidayMethod: 'Forward' };

async function startSystem(env: Record<string, string> = {}): Promise<string> {
  const broker = await createSharedBroker(1);
  await startOn(broker, startScheduleWorker, env);
  return (await startOn(broker, startIngressWorker, env)).url;
}

it('the response names the holiday calendar, also for an asynchronous result (H2)', async () => {
  const url = await startSystem();
  const direct = await post(url, { jsonParam: SHIFTED });
  expect(direct.headers.get('holiday-calendar')).toMatch(/^RO;version=[\w.]+$/);
  const plain = await post(url, { jsonParam: PROOF_REQUEST });
  expect(plain.headers.get('holiday-calendar')).toBeNull();
  const accepted = await post(url, { jsonParam: SHIFTED }, { headers: { prefer: 'respond-async' } });
  expect(accepted.status).toBe(202);
  expect(accepted.headers.get('holiday-calendar')).toBeNull();
  const result = url + String(accepted.headers.get('location'));
  await expect.poll(async () => (await fetch(result)).status).toBe(200);
  const later = await fetch(result);
  expect(later.headers.get('holiday-calendar')).toBe(direct.headers.get('holiday-calendar'));
  expect(await later.text()).toBe(await direct.text());
});

it('the configured calendar applies to requests without a calendar (H2)', async () => {
  const { HolidayCountry: _none, ...unnamed } = SHIFTED;
  const url = await startSystem({ DEFAULT_HOLIDAY_CALENDAR: 'RO+TARGET' });
  const answer = await post(url, { jsonParam: unnamed });
  expect(answer.headers.get('holiday-calendar')).toMatch(/^RO\+TARGET;version=/);
  const without = await post(await startSystem(), { jsonParam: unnamed });
  expect(without.status).toBe(422);
  expect(await without.json()).toMatchObject({ errors: [{ path: 'jsonParam.HolidayCountry' }] });
});
