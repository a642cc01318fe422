/** The built-in holiday calendars (docs/calendars.md). */

import type { BusinessCalendar } from './business-calendar.ts';
import { type NationalCalendarData, createNationalCalendar } from './national-calendar.ts';

import at from './data/at.json' with { type: 'json' };
import be from './data/be.json' with { type: 'json' };
import bg from './data/bg.json' with { type: 'json' };
import cz from './data/cz.json' with { type: 'json' };
import de from './data/de.json' with { type: 'json' };
import es from './data/es.json' with { type: 'json' };
import fr from './data/fr.json' with { type: 'json' };
import gb from './data/gb.json' with { type: 'json' };
import gr from './data/gr.json' with { type: 'json' };
import hr from './data/hr.json' with { type: 'json' };
import hu from './data/hu.json' with { type: 'json' };
import it from './data/it.json' with { type: 'json' };
import nl from './data/nl.json' with { type: 'json' };
import pl from './data/pl.json' with { type: 'json' };
import ro from './data/ro.json' with { type: 'json' };
import sk from './data/sk.json' with { type: 'json' };
import target from './data/target.json' with { type: 'json' };
import us from './data/us.json' with { type: 'json' };

export const BUILT_IN_CALENDARS: readonly NationalCalendarData[] = [
  at,
  be,
  bg,
  cz,
  de,
  es,
  fr,
  gb,
  gr,
  hr,
  hu,
  it,
  nl,
  pl,
  ro,
  sk,
  target,
  us,
];

const BY_KEY: ReadonlyMap<string, BusinessCalendar> = new Map(
  BUILT_IN_CALENDARS.flatMap((data) => {
    const calendar = createNationalCalendar(data);
    return [...data.codes, ...data.englishNames].map(
      (name) => [normalizeCalendarName(name), calendar] as const,
    );
  }),
);

/** Finds by ISO 3166 code, English country name, or a name of TARGET, ignoring case; undefined if not built in. */
export function findBuiltInCalendar(name: string): BusinessCalendar | undefined {
  return BY_KEY.get(normalizeCalendarName(name));
}

/** Lower case without accents or surplus blanks, with `'` for `’`, `and` for `&` and `saint` for `St` or `St.`. */
export function normalizeCalendarName(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/\p{Diacritic}/gu, '')
    .replaceAll('’', "'")
    .replaceAll('&', ' and ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()
    .replaceAll(/\bst\.? /g, 'saint ');
}
