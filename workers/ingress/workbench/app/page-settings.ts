/** What the server wrote into the page about this instance. */

function readMeta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

/** The topic of schedule requests, with the prefix of the instance. */
export const SCHEDULE_TOPIC = readMeta('schedule-topic');
export const TOKEN_REQUIRED = readMeta('access') === 'token';
export const WORKBENCH_PATH = '/workbench';
