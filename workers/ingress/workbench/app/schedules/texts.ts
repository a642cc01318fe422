import { createTexts } from '../texts.ts';

export const t = createTexts('schedules');
export const groupText = createTexts('groups');
