/** Settings that the server writes into the page, and the form's fields, which bundle.ts compiles into the script. */
import type { FormField } from './schedules/loan-fields.ts';

declare const SCHEDULE_FORM_FIELDS: readonly FormField[];

function readMeta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

/** The topic of schedule requests, with the topic prefix of the instance. */
export const SCHEDULE_TOPIC = readMeta('schedule-topic');
export const TOKEN_REQUIRED = readMeta('access') === 'token';
export const SCHEDULE_FORM = SCHEDULE_FORM_FIELDS;
export const WORKBENCH_PATH = '/workbench';
