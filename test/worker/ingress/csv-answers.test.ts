import { expect, it } from 'vitest';
import { SIMULATE } from '../../../shared/api/actions/simulate-action.ts';
import { startIngressWorker } from '../../../workers/ingress/main.ts';
import { startScheduleWorker } from '../../../workers/schedule/main.ts';
import { startSimulationWorker } from '../../../workers/simulation/main.ts';
import { ACTION_PATH, post, PROOF_REQUEST } from '../../support/builders/schedule-call.ts';
import { createSharedBroker, startOn } from '../../support/worlds/ingress-system.ts';
import { startOverLog } from '../../support/worlds/product-worker.ts';

const PREFIX = '/platapi/automation-processors/actions';

it('a schedule and a simulation have their rows as CSV, with the amounts of the JSON (T6)', async () => {
  const broker = await createSharedBroker(1);
  await startOverLog(broker, startSimulationWorker);
  await startOn(broker, startScheduleWorker);
  const { url } = await startOn(broker, startIngressWorker);
  const accept = { accept: 'text/csv' };
  const schedule = await post(url, { jsonParam: PROOF_REQUEST }, { path: ACTION_PATH, headers: accept });
  expect(schedule.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  const rows = (await (
    await post(url, { jsonParam: PROOF_REQUEST }, { path: ACTION_PATH })
  ).json()) as object[];
  const [head, first, ...others] = (await schedule.text()).split('\r\n');
  expect(head).toBe(Object.keys(rows[0] ?? {}).join(','));
  expect(first).toMatch(/^1,\d{4}-\d\d-\d\dT00:00:00Z?,\d+,[\w-]+,\d+\.\d\d,/);
  expect(others).toHaveLength(rows.length);
  const simulation = await post(url, SIMULATE.examples[0].request, {
    path: `${PREFIX}/PLAT_BP_Simulate`,
    headers: accept,
  });
  const lines = (await simulation.text()).split('\r\n');
  expect(lines[0]).toMatch(/^InterestCommissionItemId,InterestId,InterestPercent,InstallmentNo,/);
  expect(lines).toHaveLength(1 + 7 + 1);
  expect(lines[2]).toContain(',7.9500%,1,');
  expect(await post(url, { jsonParam: {} }, { path: ACTION_PATH, headers: accept })).toMatchObject({
    status: 400,
  });
});
