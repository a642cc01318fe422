import type { BusinessCalendar } from '../../../shared/lending/calendars/business-calendar.ts';
import {
  type CalendarRecord,
  readCatalogueCalendars,
} from '../../../shared/lending/calendars/catalogue-calendars.ts';
import { findCalendar } from '../../../shared/lending/calendars/find-calendar.ts';

export function calendarNamed(name: string): BusinessCalendar {
  const calendar = findCalendar(name, {});
  if (calendar === undefined) throw new Error(`no calendar: ${name}`);
  return calendar;
}

export function ownCalendar(record: Omit<CalendarRecord, 'name' | 'version'>): BusinessCalendar {
  const { faults, find } = readCatalogueCalendars([{ name: 'Own', version: '1', ...record }]);
  const calendar = find('Own');
  if (calendar === undefined) throw new Error(JSON.stringify(faults));
  return calendar;
}
