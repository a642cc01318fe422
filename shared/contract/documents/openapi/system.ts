/** The addresses of the state of the system, for operators and their tools. */

import {
  SYSTEM_PATH,
  SYSTEM_SETTINGS_PATH,
  systemReply,
  systemSettingsReply,
} from '../../operations/system.ts';
import examples from '../../operations/examples.json' with { type: 'json' };
import type { ApiPart } from './part.ts';
import { readOperation } from './responses.ts';

export function systemPart(): ApiPart {
  return {
    tag: {
      name: 'System',
      description: 'Whether everything is well, for callers with the scope `operations:read`.',
    },
    paths: {
      [SYSTEM_PATH]: {
        get: readOperation('getSystem', 'Returns the state of the system', systemReply, {
          description:
            'Findings, workers, lag by topic and partition, rates and durations, breakers and catalogue version, as this ' +
            'instance observes them; at most a second old.',
          examples: { waiting: { value: examples.system } },
        }),
      },
      [SYSTEM_SETTINGS_PATH]: {
        get: readOperation('getSystemSettings', 'Returns the settings of the instance', systemSettingsReply, {
          description: 'Whether each was set, and the values of harmless ones; never secrets.',
          examples: { settings: { value: examples.settings } },
        }),
      },
    },
  };
}
