/** The addresses of the state of the system, for operators and their tools. */

import {
  SYSTEM_PATH,
  SYSTEM_SETTINGS_PATH,
  systemReply,
  systemSettingsReply,
  type SystemState,
} from '../../operations/system.ts';
import type { ApiPart, Operation } from './part.ts';
import { answer, problemReferences } from './responses.ts';

const PROBLEMS = [400, 401, 403, 405, 408, 429, 431, 503];

export function systemPart(): ApiPart {
  return {
    tag: {
      name: 'System',
      description: 'Whether everything is well, for callers with the scope `operations:read`.',
    },
    paths: {
      [SYSTEM_PATH]: { get: stateGet() },
      [SYSTEM_SETTINGS_PATH]: { get: settingsGet() },
    },
  };
}

function stateGet(): Operation {
  return {
    operationId: 'getSystem',
    summary: 'Returns the state of the system',
    description:
      'Findings, workers, lag by topic and partition, rates and durations, breakers and catalogue version, as this ' +
      'instance observes them; at most a second old.',
    responses: {
      200: answer('The state.', {
        headers: ['X-Correlation-Id'],
        schema: systemReply,
        examples: { waiting: { value: EXAMPLE } },
      }),
      ...problemReferences(PROBLEMS),
    },
  };
}

function settingsGet(): Operation {
  return {
    operationId: 'getSystemSettings',
    summary: 'Returns the settings of the instance',
    description: 'Whether each was set, and the values of harmless ones; never secrets.',
    responses: {
      200: answer('The settings.', {
        headers: ['X-Correlation-Id'],
        schema: systemSettingsReply,
        examples: { settings: { value: { settings: SETTINGS } } },
      }),
      ...problemReferences(PROBLEMS),
    },
  };
}

const SETTINGS = [
  { name: 'PORT', source: 'default', value: '8080' },
  { name: 'KAFKA_SASL_PASSWORD', source: 'file' },
];

/** Requests wait because no schedule worker is running. */
const EXAMPLE: SystemState = {
  at: '2026-05-01T08:48:30.013Z',
  status: 'critical',
  version: '1.0.0',
  findings: [
    {
      severity: 'critical',
      code: 'group-without-members',
      subject: 'plat.schedule.interactive',
      text: 'No process reads plat.schedule.requests.v1: 3 messages wait.',
      parameters: { topic: 'plat.schedule.requests.v1', waiting: 3 },
    },
  ],
  broker: { kind: 'kafka' },
  processes: [
    {
      name: 'this',
      startedAt: '2026-05-01T06:00:01.000Z',
      workers: [{ name: 'ingress', status: 'ready' }],
    },
  ],
  groups: [
    {
      groupId: 'plat.schedule.interactive',
      worker: 'schedule',
      topic: 'plat.schedule.requests.v1',
      state: 'empty',
      delayed: false,
      lag: 3,
      members: [],
      partitions: [{ partition: 0, lag: 3, end: 1_204, committed: 1_201 }],
    },
  ],
  rates: [
    {
      process: 'this',
      kind: 'request',
      name: 'PLAT_BP_CalculateRepaymentSchedule',
      count: 240,
      perSecond: 4,
      failed: 0,
      p50Ms: 3.1,
      p99Ms: 22.5,
      windowSeconds: 60,
    },
  ],
  breakers: [],
  catalogue: { version: 42, changedAt: '2026-04-30T15:12:00.000Z' },
};
