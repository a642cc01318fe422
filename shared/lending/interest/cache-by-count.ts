/** Caches the results of a function by day-count numerator: a schedule has only a few distinct numerators. */
export function cacheByCount<Result>(compute: (count: number) => Result): (count: number) => Result {
  const known = new Map<number, Result>();
  return (count) => {
    let result = known.get(count);
    if (result === undefined) {
      result = compute(count);
      known.set(count, result);
    }
    return result;
  };
}
