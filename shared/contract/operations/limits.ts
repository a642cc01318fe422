/** The limits of the operations interface. */
export const OPERATIONS_LIMITS = {
  /** Dead letters on a page. */
  pageLetters: 1_000,
  defaultPageLetters: 50,
  /** Dead letters of one action. */
  actionLetters: 500,
  defaultActionLetters: 100,
  /** Dead letters that one call reads; their metadata takes 25 MB. */
  scannedLetters: 50_000,
  /** Records of the audit that one call reads, the newest ones, in about 2 s: those of 100,000 actions. */
  auditRecords: 200_000,
  /** Criteria of one kind in a selection by filter. */
  criteria: 20,
  /** Fields that an edit changes; a request has fewer. Their names are part of the audit. */
  editedFields: 50,
  /** Of the path of such a field, as in `jsonParam.Amount`. */
  editedPathCharacters: 200,
  /** Headers that an edit changes. */
  editedHeaders: 20,
  editedHeaderCharacters: 1_000,
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
