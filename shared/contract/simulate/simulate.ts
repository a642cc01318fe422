/** `PLAT_BP_Simulate`, the simulation of a product. */

import { simulationEffort } from '../../lending/request-effort.ts';
import { defineAction } from '../json/action.ts';
import { SIMULATE_EXAMPLES } from './examples.ts';
import { renderSimulation, simulateReply, type SimulatePayload } from './reply.ts';
import { simulateRequest, type SimulateInput } from './request.ts';

export const SIMULATE = defineAction<SimulateInput, SimulatePayload>({
  name: 'PLAT_BP_Simulate',
  summary: 'Simulates a banking product with its interest, commissions, insurances and discounts',
  description:
    'Answers one record for each interest of the product that fits the request, with its payment schedule from the day ' +
    'of the request on. Row 0 carries the down payment. Nothing is stored.',
  topic: 'simulationRequests',
  requestType: 'SimulateRequest',
  replyType: 'SimulateReply',
  request: simulateRequest,
  replyShape: simulateReply,
  examples: SIMULATE_EXAMPLES,
  effort: simulationEffort,
  render: renderSimulation,
});
