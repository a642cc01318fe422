/** Names of calendars as they are compared: people write them in many ways. */

/** The name in small letters without accents, doubled blanks, `&`, `St.` and curled apostrophes. */
export function calendarKey(name: string): string {
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
