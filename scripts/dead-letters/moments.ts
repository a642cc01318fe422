const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const AGO = /^([1-9]\d{0,4})([smhd])$/;
const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Epoch milliseconds of a time as operators write it: ISO 8601 (a day begins at midnight UTC; a time without a zone is
 * UTC), or so long before now, such as `2h`. Undefined for anything else.
 */
export function parseMoment(text: string, nowMs: number): number | undefined {
  const ago = AGO.exec(text);
  if (ago !== null) return nowMs - Number(ago[1]) * (UNIT_MS[ago[2] ?? ''] ?? 0);
  const iso = ISO.exec(text);
  if (iso === null) return undefined;
  const isLocal = iso[1] !== undefined && iso[4] === undefined;
  const moment = Date.parse(isLocal ? `${text}Z` : text);
  return Number.isNaN(moment) ? undefined : moment;
}
