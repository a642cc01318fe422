import type { Schemas } from '../schemas.ts';
import type { Tone } from '../design/components.tsx';

/** The tone of each status of a dead letter. */
export const LETTER_STATUSES: Readonly<Record<Schemas['DeadLetter']['status'], Tone>> = {
  open: 'bad',
  'redrive-begun': 'warn',
  'edit-begun': 'warn',
  redriven: 'good',
  edited: 'good',
  discarded: 'neutral',
  'marked-sent': 'good',
};
