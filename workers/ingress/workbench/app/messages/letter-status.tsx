import { Badge, type Tone } from '../design/components.tsx';
import type { DeadLetter } from './operations-api.ts';
import { t } from './texts.ts';

type Status = DeadLetter['status'];

const TONES: Readonly<Record<Status, Tone>> = {
  open: 'bad',
  'redrive-begun': 'warn',
  'edit-begun': 'warn',
  redriven: 'good',
  edited: 'good',
  discarded: 'neutral',
  'marked-sent': 'good',
};

/** The status of a dead letter. */
export function LetterStatus({ status }: { status: Status }) {
  return <Badge tone={TONES[status]}>{t(`status_${status}`)}</Badge>;
}
