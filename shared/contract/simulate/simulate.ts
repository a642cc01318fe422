/** The simulation of a product among the actions. */

import type { Action } from '../actions/actions.ts';
import { readEitherForm } from '../json/read-either-form.ts';
import { simulateInput, type SimulateInput } from './read-simulate-request.ts';
import { simulationEffort } from '../../lending/request-effort.ts';
import { SIMULATE_EXAMPLES } from './examples.ts';
import { renderSimulation, simulateReply, type SimulatePayload } from './reply.ts';
import { simulateMembers } from './request.ts';

export const SIMULATE_ACTION: Action = {
  name: 'PLAT_BP_Simulate',
  summary: 'Simulates a banking product with its interest, commissions, insurances and discounts',
  description:
    'Answers one record for each interest of the product that fits the request, with its payment schedule from the day ' +
    'of the request on. Row 0 carries the down payment. Nothing is stored.',
  topic: 'simulationRequests',
  requestType: 'SimulateRequest',
  replyType: 'SimulateReply',
  requestShape: simulateMembers,
  replyShape: simulateReply,
  examples: SIMULATE_EXAMPLES,
  read: readEitherForm(simulateMembers, simulateInput.read),
  effort: (payload) => simulationEffort(payload as SimulateInput),
  render: (payload) => renderSimulation(payload as SimulatePayload),
};
