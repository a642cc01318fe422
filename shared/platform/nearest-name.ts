const MAX_COMPARED_LENGTH = 64;
const CHARACTERS_PER_MISTAKE = 4;
const MAX_MISTAKES = 3;

/** The candidate with the fewest wrong letters: at most 3, and a quarter of `name` (rounded up). Ignores case. */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > MAX_COMPARED_LENGTH) return undefined;
  const given = name.toLowerCase();
  let fewest = Math.min(MAX_MISTAKES, Math.ceil(given.length / CHARACTERS_PER_MISTAKE)) + 1;
  let nearest: string | undefined;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - given.length) >= fewest) continue;
    const mistakes = mistakesBetween(given, candidate.toLowerCase());
    if (mistakes >= fewest) continue;
    fewest = mistakes;
    nearest = candidate;
  }
  return nearest;
}

/** The optimal string alignment distance (Damerau-Levenshtein without changes inside a swapped pair). */
function mistakesBetween(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let at = 1; at <= other.length; at++) {
      const isSame = one[row - 1] === other[at - 1];
      const changed = (last[at - 1] ?? 0) + (isSame ? 0 : 1);
      const added = Math.min(last[at] ?? 0, current[at - 1] ?? 0) + 1;
      const isSwapped = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      const swapped = isSwapped ? (beforeLast[at - 2] ?? 0) + 1 : changed;
      current.push(Math.min(changed, added, swapped));
    }
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? 0;
}
