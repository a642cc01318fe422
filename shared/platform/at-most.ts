/**
 * Options of an `LRUCache` for at most this number of entries. Its option `max` reserves the memory of all of them at once, which takes
 * 13 ms for 100,000.
 */
export function atMost(entries: number) {
  return { maxSize: entries, sizeCalculation: () => 1 };
}
