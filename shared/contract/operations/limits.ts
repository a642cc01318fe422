/** The limits of the operations interface. */
export const OPERATIONS_LIMITS = {
  /** Dead letters on a page. */
  pageLetters: 200,
  defaultPageLetters: 50,
  /** Dead letters of one action, at 50 per second. */
  actionLetters: 500,
  defaultActionLetters: 100,
  /** Dead letters that one call reads; their metadata takes 10 MB. */
  scannedLetters: 20_000,
  /** Criteria of one kind in a selection by filter. */
  criteria: 20,
  /** Headers that an edit changes. */
  editedHeaders: 20,
  reasonCharacters: 500,
  textCharacters: 300,
  outboxMessages: 100,
  /** Products on a page. */
  pageProducts: 200,
  defaultPageProducts: 50,
  searchCharacters: 100,
  /** Versions of a product in a list; a version has 200 bytes there. */
  listedVersions: 200,
  /** Lists of a version that one call reads, in about a millisecond each, and the size of their JSON. */
  referredLists: 100,
  referredListBytes: 8_388_608,
} as const;
