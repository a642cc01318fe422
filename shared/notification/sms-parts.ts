/** The parts in which an SMS is sent and charged. */

const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§' +
  '¿abcdefghijklmnopqrstuvwxyzäöñüà';
const EXTENDED = '\f^{}\\[~]|€';
/**
 * The default alphabet of SMS with the size of each character in septets: one of the extension table takes two (3GPP TS 23.038,
 * 6.2.1).
 */
const SEPTETS: ReadonlyMap<string, number> = new Map([
  ...Array.from(BASIC, (character) => [character, 1] as const),
  ...Array.from(EXTENDED, (character) => [character, 2] as const),
]);
/** Room of a message that is sent in one part, and of each part of a longer one, which has a header (3GPP TS 23.040, 9.2.3.24.1). */
const GSM_ROOM = { single: 160, part: 153 } as const;
/** In UTF-16 units. */
const UNICODE_ROOM = { single: 70, part: 67 } as const;

/** Whether the default alphabet has all characters; otherwise an SMS has room for less than half as many. */
export function isGsmText(text: string): boolean {
  for (const character of text) if (!SEPTETS.has(character)) return false;
  return true;
}

/** The number of parts of an SMS. No character is divided between two parts. */
export function countSmsParts(text: string): number {
  const isGsm = isGsmText(text);
  const room = isGsm ? GSM_ROOM : UNICODE_ROOM;
  const sizes = Array.from(
    text,
    (character) => (isGsm ? SEPTETS.get(character) : undefined) ?? character.length,
  );
  if (sizes.reduce((sum, size) => sum + size, 0) <= room.single) return 1;
  let parts = 1;
  let used = 0;
  for (const size of sizes) {
    if (used + size > room.part) {
      parts += 1;
      used = 0;
    }
    used += size;
  }
  return parts;
}
