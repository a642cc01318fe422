/** The addresses of the state of the system, for operators and their tools. */

import {
  SYSTEM_PATH,
  SYSTEM_SETTINGS_PATH,
  systemReply,
  systemSettingsReply,
} from '../../operations/system.ts';
import examples from '../../operations/examples.json' with { type: 'json' };
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
        examples: { waiting: { value: examples.system } },
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
        examples: { settings: { value: examples.settings } },
      }),
      ...problemReferences(PROBLEMS),
    },
  };
}
