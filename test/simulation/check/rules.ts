import { CALM_RULES } from './calm-rules.ts';
import { NOTIFICATION_RULES } from './notification-rules.ts';
import { REQUEST_RULES } from './request-rules.ts';
import type { Rule } from './rule.ts';
import { SYSTEM_RULES } from './system-rules.ts';

/** Everything that a run checks. */
export const RULES: readonly Rule[] = [
  ...NOTIFICATION_RULES,
  ...REQUEST_RULES,
  ...SYSTEM_RULES,
  ...CALM_RULES,
];
