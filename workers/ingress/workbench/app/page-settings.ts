/** Settings that the server wrote into the page, or that the compiler wrote into its script. */
import type { FormField } from './schedules/loan-fields.ts';

declare const SCHEDULE_FORM_FIELDS: readonly FormField[];

function readMeta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

/** The topic of schedule requests, with the prefix of the instance. */
export const SCHEDULE_TOPIC = readMeta('schedule-topic');
export const TOKEN_REQUIRED = readMeta('access') === 'token';
/** The fields of a schedule request, from its schema (bundle.ts). */
export const SCHEDULE_FORM = SCHEDULE_FORM_FIELDS;
export const WORKBENCH_PATH = '/workbench';
