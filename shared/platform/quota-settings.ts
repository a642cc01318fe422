/** The quotas of notifications for one UTC day. Absent: not limited. */
export interface QuotaSettings {
  /** The allowed countries of SMS receivers, ISO 3166. */
  readonly countries: readonly string[] | undefined;
  readonly perCaller: number | undefined;
  readonly urgentPerCaller: number | undefined;
  readonly perReceiver: number | undefined;
  /** By country of SMS receivers; `*`: each country that is not listed. */
  readonly perCountry: ReadonlyMap<string, number>;
  /** In millionths of the currency. */
  readonly spendMicros: number | undefined;
  /** Cost of a message in millionths of the currency, by `sms:RO`, `sms:*` or `email`. */
  readonly costMicros: ReadonlyMap<string, number>;
}
