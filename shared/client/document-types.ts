/** Written by `npm run client-types`. Document: sha256 c9909765b352924617aae37b5168f4ac74567ba577fd9699936b3842726f1e37 */

export interface paths {
  readonly '/platapi/automation-processors/actions/PLAT_BP_CalculateRepaymentSchedule': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Calculates the installments of a repayment schedule
     * @description Returns one record for each installment. CalculateDAE selects the spelling of the fields and the effective rate that is shown. Nothing is stored: the same request always gets the same answer. The name of the action is not case-sensitive.
     */
    readonly post: operations['calculateRepaymentSchedule'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/platapi/automation-processors/actions/PLAT_BP_CalculatePMT': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Calculates the level payment of a loan or of a savings plan
     * @description Returns the payment and the equal part of the principal, from the terms alone, without dates or a schedule. Without FinancedAmount, the payment is the deposit that reaches FutureValue. The name of the action is not case-sensitive.
     */
    readonly post: operations['calculatePmt'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/platapi/automation-processors/actions/PLAT_BP_CalculateRate': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Calculates the rate of cash flows, with its proof
     * @description An extension that verifies a rate disclosed to a consumer: the annual percentage rate of charge (DAE), XIRR or IRR of the flows in the request, with each flow discounted by it. Of several rates, the one nearest to zero is returned. The name of the action is not case-sensitive.
     */
    readonly post: operations['calculateRate'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/platapi/automation-processors/actions/plat_bp_getbankingproductbycode': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Returns a banking product with the requested sections
     * @description Returns the approved version that is valid on the day. Each section has its own flag. Of interests, commissions and discounts, only Active ones are returned, with the values that are valid on that day. The name of the action is not case-sensitive.
     */
    readonly post: operations['getBankingProductByCode'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/platapi/automation-processors/actions/plat_bp_getbankingproductdetails': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Returns the texts and images for displaying a banking product
     * @description The request names the product by its code, by the id of its version, or by both if they agree. The name of the action is not case-sensitive.
     */
    readonly post: operations['getBankingProductDetails'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/platapi/automation-processors/actions/PLAT_BP_GetProductInsuranceList': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Returns the insurance items of a banking product that pass their filters
     * @description Returns the items that are valid on the day and pass all of their filters. A filter passes if its figure is not sent; a figure that no filter uses is ignored with a warning. The name of the action is not case-sensitive.
     */
    readonly post: operations['getProductInsuranceList'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/platapi/automation-processors/actions/plat_bp_getproductdocuments': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Returns the documents of a banking product
     * @description The request names the product by its code, by the id of its version, or by both if they agree. The name of the action is not case-sensitive.
     */
    readonly post: operations['getProductDocuments'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/platapi/automation-processors/actions/PLAT_BP_Simulate': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Simulates a banking product with its interest, commissions, insurances and discounts
     * @description Returns one record for each interest of the product that matches the request, with its payment schedule from the day of the request. Row 0 is the down payment. Nothing is stored. The name of the action is not case-sensitive.
     */
    readonly post: operations['simulate'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/platapi/automation-processors/actions/{action}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Calls an action in the generic form
     * @description Every action also accepts the generic form: its input in Data, as JSON text or as an object, next to the access parameters. `Prefer: respond-async` has the same answer with the body of the action itself.
     */
    readonly post: operations['callAction'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/platapi/results/{resultId}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Returns the result of a request with `Prefer: respond-async`
     * @description Any instance returns it, to the caller of the request only. A problem is returned as by the action itself. A result is kept for an hour after its deadline, unless later results of the same caller take its room; then the answer is 410.
     */
    readonly get: operations['getResult'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/notifications/v1/sms/send': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Sends an SMS
     * @description Returns as soon as the message is stored; its status is available by its id. Messages to one receiver keep their order, urgent and normal ones separately.
     */
    readonly post: operations['sendSms'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/notifications/v1/email/send': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Sends an e-mail
     * @description Returns as soon as the message is stored; its status is available by its id. Messages to one receiver keep their order, urgent and normal ones separately.
     */
    readonly post: operations['sendEmail'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/notifications/v1/{notificationId}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Returns the status of a notification
     * @description Any instance returns it, to the caller who sent the notification only.
     */
    readonly get: operations['getNotification'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/operations/v1/notifications': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Finds notifications by Idempotency-Key
     * @description At most one of each channel. A caller sees its own notifications; the scope `operations:read` shows those of all.
     */
    readonly get: operations['findNotifications'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/operations/v1/notifications/{notificationId}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Returns the timeline of a notification
     * @description Acceptance, attempts, when the next round is due, and how it ended. A caller sees its own notifications; the scope `operations:read` shows those of all.
     */
    readonly get: operations['getNotificationTimeline'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/operations/v1/dead-letters': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Lists dead letters
     * @description The newest first, in pages. Requires the scope `operations:read`.
     */
    readonly get: operations['listDeadLetters'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/operations/v1/dead-letters/{topic}/{partition}/{offset}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Returns a dead letter
     * @description With its payload, masked, and its audit. Requires the scope `operations:read`.
     */
    readonly get: operations['getDeadLetter'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/operations/v1/dead-letters/redrive': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Sends dead letters again
     * @description Requires the scope `operations:write`. With `dryRun` it writes nothing. Every action is recorded with caller, time, reason and result.
     */
    readonly post: operations['redriveDeadLetters'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/operations/v1/dead-letters/edit': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Sends edited copies of dead letters
     * @description Requires the scope `operations:write`. With `dryRun` it writes nothing. Every action is recorded with caller, time, reason and result.
     */
    readonly post: operations['editDeadLetters'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/operations/v1/dead-letters/discard': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Marks dead letters as closed
     * @description Requires the scope `operations:write`. With `dryRun` it writes nothing. Every action is recorded with caller, time, reason and result.
     */
    readonly post: operations['discardDeadLetters'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/operations/v1/dead-letters/mark-sent': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Marks notifications with an unknown outcome as sent
     * @description Requires the scope `operations:write`. With `dryRun` it writes nothing. Every action is recorded with caller, time, reason and result.
     */
    readonly post: operations['markDeadLettersSent'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/operations/v1/outbox': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Lists the newest messages of the local outbox
     * @description Only on the embedded broker without a provider configuration. Requires the scope `operations:read`.
     */
    readonly get: operations['listOutbox'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/operations/v1/outbox/{messageId}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Returns a message of the local outbox
     * @description Only on the embedded broker without a provider configuration. Requires the scope `operations:read`.
     */
    readonly get: operations['getOutboxMessage'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/operations/v1/outbox/{messageId}/html': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Returns the HTML of an e-mail of the local outbox
     * @description For a frame; `htmlAddress` of the message has the ticket. It loads nothing and runs no scripts.
     */
    readonly get: operations['getOutboxHtml'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/operations/v1/products': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Lists the products of the catalogue
     * @description By code, in pages, each with its versions. Also drafts and closed ones.
     */
    readonly get: operations['listProducts'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/operations/v1/products/{code}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Returns the versions of a product
     * @description All versions, also drafts and closed ones.
     */
    readonly get: operations['getCatalogueProduct'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/operations/v1/products/{code}/versions/{version}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Returns a version of a product
     * @description The whole record, and the lists to which it refers. Lists have versions of their own: a product uses those in force, whichever of its own versions is valid.
     */
    readonly get: operations['getProductVersion'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/operations/v1/system': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Returns the state of the system
     * @description Findings, workers, lag by topic and partition, rates and durations, breakers and catalogue version, as this instance observes them; at most a second old.
     */
    readonly get: operations['getSystem'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/operations/v1/system/events': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Sends the state of the system whenever it changes
     * @description Server-sent events; the schema is that of one, its data as JSON. `system` comes at once, then after a change, once a second at most. `end` comes before the server ends the stream: to renew it after 15 minutes, or to stop. Comments keep a quiet connection open. 429: the caller has 8 streams; 503: the instance has 100, or is shutting down.
     */
    readonly get: operations['followSystem'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/operations/v1/system/settings': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Returns the settings of the instance
     * @description Whether each was set, and the values of harmless ones; never secrets.
     */
    readonly get: operations['getSystemSettings'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/health/live': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Reports whether the process is alive
     * @description A supervisor restarts a process that is not.
     */
    readonly get: operations['getLiveness'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/health/ready': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Reports whether this ingress accepts traffic
     * @description A load balancer sends traffic only to an ingress that accepts it.
     */
    readonly get: operations['getReadiness'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/metrics': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Metrics in the Prometheus text format
     * @description Requests, handlers, lag and the process itself.
     */
    readonly get: operations['getMetrics'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    readonly Fault: {
      /** @description The field in the spelling of the interface, such as jsonParam.Commission[0].SourceValue. */
      readonly path: string;
      /** @description Stable code of the fault. */
      readonly code: string;
      /** @description What is wrong and what is allowed, in words. */
      readonly message: string;
    };
    readonly Problem: {
      /** @description URN of the kind of problem. */
      readonly type: string;
      /** @description The kind of problem in words. */
      readonly title: string;
      /** @description HTTP status. */
      readonly status: number;
      /** @description Description of this occurrence. */
      readonly detail?: string;
      /** @description Address of this occurrence. */
      readonly instance?: string;
      /** @description All faults of the request. */
      readonly errors?: readonly components['schemas']['Fault'][];
      /** @description The id of this request in the logs. */
      readonly correlationId?: string;
      /**
       * @description Stable code of the kind of problem.
       * @enum {string}
       */
      readonly code:
        | 'malformed-http'
        | 'malformed-json'
        | 'empty-body'
        | 'invalid-request'
        | 'undecodable-message'
        | 'unauthenticated'
        | 'forbidden'
        | 'not-found'
        | 'unknown-action'
        | 'unknown-product'
        | 'unknown-notification'
        | 'method-not-allowed'
        | 'request-timeout'
        | 'idempotency-conflict'
        | 'result-gone'
        | 'body-too-large'
        | 'attachments-too-large'
        | 'unsupported-media-type'
        | 'reply-too-large'
        | 'country-not-allowed'
        | 'too-many-records'
        | 'not-computable'
        | 'rate-limited'
        | 'quota-exceeded'
        | 'headers-too-large'
        | 'unexpected'
        | 'broker-unavailable'
        | 'keys-unavailable'
        | 'no-provider'
        | 'not-ready'
        | 'overloaded'
        | 'reply-timeout'
        | 'accept-unknown'
        | 'deadline-exceeded';
    };
    /**
     * @description Direction of the shift: Forward (default), Backward, ModifiedForward, ModifiedBackward, Nearest or None.
     * @enum {string}
     */
    readonly HolidayMethod:
      | 'Forward'
      | 'Backward'
      | 'ModifiedForward'
      | 'ModifiedBackward'
      | 'Nearest'
      | 'None';
    /**
     * @description Month of the first installment when FirstDueDate is absent: ActualMonth or NextMonth.
     * @enum {string}
     */
    readonly InstallmentMethod: 'ActualMonth' | 'NextMonth';
    /**
     * @description Extension. Base of the percentage: FinancedAmount, RemainingValue, Principal, Interest, Installment or UnusedAmount. Absent: as in the catalogue, otherwise FinancedAmount.
     * @enum {string}
     */
    readonly ChargeBase:
      | 'FinancedAmount'
      | 'RemainingValue'
      | 'Principal'
      | 'Interest'
      | 'Installment'
      | 'UnusedAmount';
    readonly CommissionCharge: {
      /** @description Amount of one charge. Send either SourceValue or SourcePercent. */
      readonly SourceValue?: number | null;
      /** @description Percentage of one charge, of Amount or of the base in PercentAppliedTo. Send either SourceValue or SourcePercent. */
      readonly SourcePercent?: number | null;
      /**
       * @description Name of the periodicity of the charge, such as Monthly. Not Once: use UpFrontValue for such costs.
       * @example Daily
       * @example Weekly
       * @example Biweekly
       * @example Monthly
       * @example Bimonthly
       * @example Quarterly
       * @example Trimestrial
       * @example Semiannual
       * @example Semestrial
       * @example Annual
       * @example Yearly
       */
      readonly FeePeriodicityType: string;
      /**
       * @description Start of the first fee period.
       * @example 2024-01-31
       */
      readonly FeeDate: string;
      /** @description Name of the commission. Send FeeName or FeeId. */
      readonly FeeName?: string | null;
      /** @description Id of the commission. Send FeeName or FeeId. */
      readonly FeeId?: string | null;
      /** @description Number of first installments whose charges are waived. */
      readonly GracePeriodFee?: number | null;
      /** @description Blocked amount that is added to the first installment of a recalculation. */
      readonly BlockFeeAmount?: number | null;
      /** @description 1: charged at the start of each period; 0: at its end. Absent: as in the schedule type, or 0 if that has none. */
      readonly IsUpfront?: number | null;
      /** @description Extension. Base of the percentage: FinancedAmount, RemainingValue, Principal, Interest, Installment or UnusedAmount. Absent: as in the catalogue, otherwise FinancedAmount. */
      readonly PercentAppliedTo?: components['schemas']['ChargeBase'] | null;
      /** @description Extension. True: the percentage is an annual rate; false: a rate per charge. Absent: as in the catalogue, otherwise false. */
      readonly PerAnnum?: boolean | null;
      /** @description Extension. True: the percentage is charged per annum on the unused amount. Absent: as in the catalogue, otherwise false. */
      readonly IsForUnusage?: boolean | null;
    };
    readonly InsuranceCharge: {
      /** @description Amount of one charge. Send either SourceValue or SourcePercent. */
      readonly SourceValue?: number | null;
      /** @description Percentage of one charge, of Amount or of the base in PercentAppliedTo. Send either SourceValue or SourcePercent. */
      readonly SourcePercent?: number | null;
      /**
       * @description Name of the periodicity of the premium, such as Monthly. Not Once: use UpFrontValue for such costs.
       * @example Daily
       * @example Weekly
       * @example Biweekly
       * @example Monthly
       * @example Bimonthly
       * @example Quarterly
       * @example Trimestrial
       * @example Semiannual
       * @example Semestrial
       * @example Annual
       * @example Yearly
       */
      readonly InsurancePeriodicityType: string;
      /**
       * @description Start of the first premium period.
       * @example 2024-01-31
       */
      readonly InsuranceDate: string;
      /** @description Name of the insurance. Send the name, or the id or name of its class. */
      readonly InsuranceName?: string | null;
      /** @description Id of the class of the schedule element. */
      readonly InsuranceClassId?: string | null;
      /** @description Name of the class of the schedule element. */
      readonly InsuranceClassName?: string | null;
      /** @description Number of first installments whose premiums are waived. */
      readonly GracePeriodInsurance?: number | null;
      /** @description Blocked amount that is added to the first installment of a recalculation. */
      readonly BlockInsuranceAmount?: number | null;
      /** @description 1: charged at the start of each period; 0: at its end. Absent: as in the schedule type, or 0 if that has none. */
      readonly IsUpfront?: number | null;
      /** @description Extension. Base of the percentage: FinancedAmount, RemainingValue, Principal, Interest, Installment or UnusedAmount. Absent: as in the catalogue, otherwise FinancedAmount. */
      readonly PercentAppliedTo?: components['schemas']['ChargeBase'] | null;
      /** @description Extension. True: the percentage is an annual rate; false: a rate per charge. Absent: as in the catalogue, otherwise false. */
      readonly PerAnnum?: boolean | null;
    };
    readonly InterestRateRange: {
      /** @description Annual rate of the range in percent. */
      readonly InterestRate?: number | null;
      /** @description First installment of the range. Absent: 1, or the previous range's end + 1. */
      readonly FromInstNo?: number | null;
      /** @description Last installment of the range. Absent: the last one. */
      readonly ToInstNo?: number | null;
    };
    readonly InterestRateBand: {
      /** @description Lower bound of the band. Absent: no lower bound. */
      readonly MinUtilizedAmount?: number | null;
      /** @description Upper bound of the last band. Absent: no upper bound. */
      readonly MaxUtilizedAmount?: number | null;
      /** @description Annual rate of the band in percent. */
      readonly Value: number;
    };
    /**
     * @description Extension. Day count by name, such as 30/360 or Actual/365, instead of that of the schedule type.
     * @enum {string}
     */
    readonly DayCount:
      | '30/360'
      | '30E/360'
      | '30E/360 ISDA'
      | '30/365'
      | 'Actual/360'
      | 'Actual/365'
      | 'Actual/Actual';
    /**
     * @description Extension. Treatment of the interest of a grace period: Deferred (default), Capitalised, Spread or Forgiven.
     * @enum {string}
     */
    readonly GraceType: 'Deferred' | 'Capitalised' | 'Spread' | 'Forgiven';
    readonly EarlyRepayment: {
      /**
       * @description Day of the prepayment; holidays do not shift it.
       * @example 2024-01-31
       */
      readonly Date: string;
      /** @description Prepaid principal. */
      readonly Amount: number;
      /** @description True (default): the term stays and the payment decreases; false: the payment stays. */
      readonly DecreaseInstallment?: boolean | null;
    };
    /**
     * @description Extension. Whole: one rate for the whole balance, instead of one for each slice.
     * @enum {string}
     */
    readonly BandMethod: 'Slices' | 'Whole';
    /** @description Terms of the schedule. */
    readonly RepaymentScheduleTerms: {
      /**
       * @description Name or code of the schedule type, case-insensitive, such as EqualInstallments.
       * @example EqualInstallments
       * @example EqualPrincipal
       * @example InterestOnly
       * @example Balloon
       * @example EffectiveRate
       * @example Once
       * @example Overdraft
       * @example Deposit
       * @example CreditCard
       * @example Leasing
       */
      readonly ScheduleType: string;
      /** @description Financed amount, including any residual value, excluding the advance. More than zero. */
      readonly Amount: number;
      /** @description Number of installments, 1 to 1200. */
      readonly InstallmentsNo: number;
      /**
       * @description Name of the periodicity, case-insensitive, such as Monthly.
       * @example Once
       * @example Daily
       * @example Weekly
       * @example Biweekly
       * @example Monthly
       * @example Bimonthly
       * @example Quarterly
       * @example Trimestrial
       * @example Semiannual
       * @example Semestrial
       * @example Annual
       * @example Yearly
       */
      readonly PeriodicityType: string;
      /** @description Day of month of each installment, 1 to 31; in shorter months the last day. Periodicities in days or weeks ignore it. */
      readonly InstallmentDay: number;
      /**
       * @description Product type by code or name, such as TL. Absent: the schedule type's own.
       * @example TL
       * @example MG
       * @example C
       * @example OD
       * @example BA
       * @example D
       * @example CC
       * @example LS
       */
      readonly ProductType?: string | null;
      /** @description Annual interest rate in percent. May be absent or null only with MultipleInterestRates or BandedInterestRates. */
      readonly InterestPercent?: number | null;
      /** @description Advance; AdvanceAmount + Amount is the credit value. No effect on the schedule. */
      readonly AdvanceAmount?: number | null;
      /** @description Number of first installments without collected interest. */
      readonly GracePeriodInterest?: number | null;
      /** @description Number of first installments without principal. */
      readonly GracePeriodPrincipal?: number | null;
      /**
       * @description Activation of the contract: interest starts here.
       * @example 2024-01-31
       */
      readonly ActivationDate?: string | null;
      /**
       * @description Due date of the first installment.
       * @example 2024-01-31
       */
      readonly FirstDueDate?: string | null;
      /**
       * @description End of the contract: replaces the date of the last installment.
       * @example 2024-01-31
       */
      readonly MaturityDate?: string | null;
      /** @description True: due dates on non-business days of the calendar are shifted. */
      readonly HolidayShift?: boolean | null;
      /**
       * @description Name of the holiday calendar.
       * @example AT
       * @example BE
       * @example BG
       * @example CZ
       * @example DE
       * @example ES
       * @example FR
       * @example GB
       * @example GR
       * @example HR
       * @example HU
       * @example IT
       * @example NL
       * @example PL
       * @example RO
       * @example SK
       * @example TARGET
       * @example US
       */
      readonly HolidayCountry?: string | null;
      /** @description Direction of the shift: Forward (default), Backward, ModifiedForward, ModifiedBackward, Nearest or None. */
      readonly HolidayMethod?: components['schemas']['HolidayMethod'] | null;
      /** @description 1: interest accrues until the shifted date; 0 (default): only the payment date shifts. */
      readonly DeferDueDate?: number | null;
      /** @description Actual number of installments: the schedule ends there, and the last one repays the rest. */
      readonly RealInstallmentNo?: number | null;
      /** @description Number of contract periods. No effect on the schedule. */
      readonly ContractPeriod?: number | null;
      /** @description Absent or null: capitalised fields with EIR. 0: lower-case fields without dae; 1: the dae alone; 2: lower-case fields with dae. */
      readonly CalculateDAE?: number | null;
      /** @description Month of the first installment when FirstDueDate is absent: ActualMonth or NextMonth. */
      readonly InstallmentMethod?: components['schemas']['InstallmentMethod'] | null;
      /** @description Fixed installment value (equal installments). Null or 0: not fixed. */
      readonly installmentValue?: number | null;
      /** @description Fixed principal value (equal principal). Null or 0: not fixed. */
      readonly principalValue?: number | null;
      /**
       * @description Start of interest on the unused amount.
       * @example 2024-01-31
       */
      readonly StartDateForUnusage?: string | null;
      /**
       * @description Last day of an overdraft.
       * @example 2024-01-31
       */
      readonly ExpiryDateForOD?: string | null;
      /** @description Unused amount. */
      readonly UnusedAmount?: number | null;
      /** @description Deposits. 1: interest is added to the balance; 0: interest is paid each period. */
      readonly InterestCapitalization?: number | null;
      /** @description Commissions, taxes and insurances paid once at the start. No effect with LastDueDate. */
      readonly UpFrontValue?: number | null;
      /** @description Residual value, part of Amount. */
      readonly ResidualValue?: number | null;
      /** @description 1: the last installment includes the residual value; 0: a separate row repays it. */
      readonly ResidualInInstallment?: number | null;
      /** @description Credit card: percentage of the balance that each installment repays. */
      readonly CapitalPercent?: number | null;
      /** @description Commissions that are charged repeatedly. */
      readonly Commission?: readonly components['schemas']['CommissionCharge'][] | null;
      /** @description Insurances that are charged repeatedly. */
      readonly Insurance?: readonly components['schemas']['InsuranceCharge'][] | null;
      /** @description Rates by range of installments; together they cover every installment once. */
      readonly MultipleInterestRates?: readonly components['schemas']['InterestRateRange'][] | null;
      /** @description Rates by slice of the balance. */
      readonly BandedInterestRates?: readonly components['schemas']['InterestRateBand'][] | null;
      /**
       * @description Recalculation: due date of the last installment that stays unchanged.
       * @example 2024-01-31
       */
      readonly LastDueDate?: string | null;
      /** @description Recalculation: number of installments that stay unchanged. */
      readonly BlockInstallmentNo?: number | null;
      /** @description Recalculation. 1: the blocked amounts are applied; 0: they are ignored. */
      readonly IsLocked?: number | null;
      /** @description Recalculation: blocked principal, part of Amount. */
      readonly BlockAmount?: number | null;
      /** @description Recalculation: interest that is added to the first installment. */
      readonly BlockInterestAmount?: number | null;
      /** @description Extension. Day count by name, such as 30/360 or Actual/365, instead of that of the schedule type. */
      readonly InterestCalculationMethod?: components['schemas']['DayCount'] | null;
      /**
       * @description Extension. ISO 4217 code, which determines the decimals of all amounts. Absent: two decimals.
       * @example EUR
       * @example RON
       * @example USD
       * @example GBP
       * @example CHF
       * @example PLN
       * @example HUF
       * @example JPY
       * @example KWD
       */
      readonly Currency?: string | null;
      /** @description Extension. Treatment of the interest of a grace period: Deferred (default), Capitalised, Spread or Forgiven. */
      readonly GraceType?: components['schemas']['GraceType'] | null;
      /** @description Extension. Number of decimals of all amounts, instead of those of the currency. */
      readonly Precision?: number | null;
      /** @description Extension. Prepayments. */
      readonly EarlyRepayments?: readonly components['schemas']['EarlyRepayment'][] | null;
      /** @description Extension. True: a fixed payment may be lower than the interest. */
      readonly AllowNegativeAmortisation?: boolean | null;
      /** @description Extension. Whole: one rate for the whole balance, instead of one for each slice. */
      readonly BandMethod?: components['schemas']['BandMethod'] | null;
      /** @description Extension. True: each installment shows how its figures are calculated. */
      readonly Explain?: boolean | null;
    };
    readonly CalculateRepaymentScheduleRequest: {
      readonly jsonParam: components['schemas']['RepaymentScheduleTerms'];
    };
    readonly FigureExplanation: {
      /**
       * @description The explained figure: a field of the row, or an intermediate figure.
       * @enum {string}
       */
      readonly Figure:
        | 'RemainingValue'
        | 'Payment'
        | 'AccruedInterest'
        | 'Interest'
        | 'CapitalisedInterest'
        | 'Principal'
        | 'PMT'
        | 'ManagementFee'
        | 'Insurance'
        | 'Column'
        | 'TotalInstallment';
      /** @description Name of the commission, insurance or additional column. */
      readonly Name?: string;
      /** @description The figure. */
      readonly Amount: number;
      /** @description Days by the day count. */
      readonly Days?: number;
      /** @description Days of the year by the day count; absent if the days are in years of different length. */
      readonly Basis?: number;
      /** @description Name of the day count. */
      readonly DayCount?: string;
      /** @description Annual rates in percent, in the order of the formula: one, or one for each slice of the balance. */
      readonly Rates?: readonly number[];
      /** @description Amount that the rates apply to. */
      readonly Base?: number;
      /** @description The formula with its numbers; the figure is its value, rounded to the decimals of the currency. */
      readonly Formula: string;
    };
    /** @description An installment in the capitalised spelling: CalculateDAE absent or null. */
    readonly InstallmentRow: {
      /** @description Ordinal of the installment. */
      readonly InstallmentNo: number;
      /** @description Calendar days of the interest period. */
      readonly NoDays: number;
      /** @description Id of the installment type. */
      readonly InstallmentTypeId: string;
      /** @description Id of the schedule type. */
      readonly ScheduleTypeId: string;
      /** @description Due date, as 2024-02-01T00:00:00Z. */
      readonly DueDate: string;
      /** @description Principal outstanding at the start of the installment. */
      readonly RemainingValue: number;
      /** @description Payment: interest and principal of this installment. */
      readonly PMT: number;
      /** @description Interest part. */
      readonly Interest: number;
      /** @description Interest added to the balance; present only if any is capitalised. */
      readonly CapitalisedInterest?: number;
      /** @description Principal part. */
      readonly Principal: number;
      /** @description Commissions of this installment. */
      readonly ManagementFee: number;
      /** @description Insurances of this installment; present only when insurances were sent. */
      readonly Insurance?: number;
      /** @description Total to pay: payment, commissions and insurances. */
      readonly TotalInstallment: number;
      /** @description Effective interest rate in percent, four decimals; null when none exists. */
      readonly EIR: number | null;
      /**
       * @description Whether the row is a prepayment, as text.
       * @enum {string}
       */
      readonly IsEarlyRepayment: 'true' | 'false';
      /** @description How the figures of the row are calculated; present only when Explain is sent as true. */
      readonly Explanation?: readonly components['schemas']['FigureExplanation'][];
    } & {
      readonly [key: string]: number;
    };
    readonly LowerCaseFigureExplanation: {
      /**
       * @description The explained figure: a field of the row, or an intermediate figure.
       * @enum {string}
       */
      readonly figure:
        | 'remainingValue'
        | 'payment'
        | 'accruedInterest'
        | 'interest'
        | 'capitalisedInterest'
        | 'principal'
        | 'pMT'
        | 'managementFee'
        | 'insurance'
        | 'column'
        | 'totalInstallment';
      /** @description Name of the commission, insurance or additional column. */
      readonly name?: string;
      /** @description The figure. */
      readonly amount: number;
      /** @description Days by the day count. */
      readonly days?: number;
      /** @description Days of the year by the day count; absent if the days are in years of different length. */
      readonly basis?: number;
      /** @description Name of the day count. */
      readonly dayCount?: string;
      /** @description Annual rates in percent, in the order of the formula: one, or one for each slice of the balance. */
      readonly rates?: readonly number[];
      /** @description Amount that the rates apply to. */
      readonly base?: number;
      /** @description The formula with its numbers; the figure is its value, rounded to the decimals of the currency. */
      readonly formula: string;
    };
    /** @description An installment in the lower-case spelling: CalculateDAE 0 or 2. */
    readonly LowerCaseInstallmentRow: {
      /** @description Ordinal of the installment. */
      readonly InstallmentNo: number;
      /** @description Calendar days of the interest period. */
      readonly NoDays: number;
      /** @description Id of the installment type. */
      readonly InstallmentTypeId: string;
      /** @description Id of the schedule type. */
      readonly ScheduleTypeId: string;
      /** @description Due date, as 2024-02-01T00:00:00. */
      readonly DueDate: string;
      /** @description Principal outstanding at the start of the installment. */
      readonly remainingValue: number;
      /** @description Payment: interest and principal of this installment. */
      readonly pMT: number;
      /** @description Interest part. */
      readonly interest: number;
      /** @description Interest added to the balance; present only if any is capitalised. */
      readonly capitalisedInterest?: number;
      /** @description Principal part. */
      readonly principal: number;
      /** @description Commissions of this installment. */
      readonly managementFee: number;
      /** @description Insurances of this installment; present only when insurances were sent. */
      readonly insurance?: number;
      /** @description Total to pay: payment, commissions and insurances. */
      readonly totalInstallment: number;
      /** @description Effective annual rate; present when CalculateDAE is 2: in percent, four decimals; null when none exists. */
      readonly dae?: number | null;
      /** @description Never present: only the other spelling has it. */
      readonly EIR?: readonly number[];
      /**
       * @description Whether the row is a prepayment, as text.
       * @enum {string}
       */
      readonly isEarlyRepayment: 'true' | 'false';
      /** @description How the figures of the row are calculated; present only when Explain is sent as true. */
      readonly explanation?: readonly components['schemas']['LowerCaseFigureExplanation'][];
    } & {
      readonly [key: string]: number;
    };
    /** @description The rate alone, in the only row of the answer: CalculateDAE 1. */
    readonly RateOnlyRow: {
      /** @description Effective annual rate in percent, four decimals; null when none exists. */
      readonly dae: number | null;
      /** @description Never present: only an installment has one. */
      readonly InstallmentTypeId?: readonly string[];
    } & {
      readonly [key: string]: number;
    };
    readonly ScheduleRow:
      | components['schemas']['InstallmentRow']
      | components['schemas']['LowerCaseInstallmentRow']
      | components['schemas']['RateOnlyRow'];
    /** @description One row for each installment, all of one kind; with CalculateDAE 1, a single row with the rate. */
    readonly CalculateRepaymentScheduleReply: readonly components['schemas']['ScheduleRow'][];
    /** @description Terms of the payment. */
    readonly PaymentTerms: {
      /** @description Number of installments, 1 to 1200. */
      readonly InstallmentsNo: number;
      /** @description Name of the periodicity, case-insensitive, such as Monthly. Not Once. */
      readonly PeriodicityType: string;
      /** @description Day count by name, case-insensitive, such as 30/360 or Actual/365. */
      readonly InterestCalculationMethod: string;
      /** @description Financed amount. Absent or 0: a savings plan whose target is FutureValue. */
      readonly FinancedAmount?: number | null;
      /** @description Annual interest rate in percent. Absent: 0. */
      readonly InterestPercent?: number | null;
      /** @description 1: the first installment pays only interest; 0 (default): no grace period. */
      readonly GracePeriodPrincipal?: number | null;
      /** @description Balloon: balance after the last installment; above FinancedAmount, the debt grows. Negative: amount saved beyond the repayment. Absent: 0. */
      readonly FutureValue?: number | null;
      /** @description 0 (default): payments in arrears; 1: in advance. */
      readonly InterestType?: number | null;
      /** @description Extension. Decimals of the answer, 0 to 10. Absent: 2. */
      readonly Precision?: number | null;
    };
    readonly CalculatePMTRequest: {
      readonly jsonParam: components['schemas']['PaymentTerms'];
    };
    /** @description Both figures have the decimals of Precision. */
    readonly CalculatePMTReply: {
      /** @description Payment of each installment. */
      readonly PMTValue: number;
      /** @description Equal part of the principal in each installment. */
      readonly PrincipalValue: number;
    };
    readonly CashFlow: {
      /**
       * @description Day of the flow.
       * @example 2024-01-31
       */
      readonly Date: string;
      /** @description Negative: paid out to the borrower; positive: paid back. */
      readonly Amount: number;
    };
    /** @description The rule and the flows. */
    readonly RateTerms: {
      /** @description DAE (annual percentage rate of charge of the European directives), XIRR (actual/365) or IRR (equal periods), case-insensitive. */
      readonly Rule: string;
      /** @description DAE: unit of its intervals: Years, Months (default), Weeks or Days. */
      readonly Unit?: string | null;
      /** @description DAE and XIRR: the dated flows, in any order. */
      readonly CashFlows?: readonly components['schemas']['CashFlow'][] | null;
      /** @description IRR: name of the periodicity, case-insensitive, such as Monthly. */
      readonly PeriodicityType?: string | null;
      /** @description IRR: the flows at equal periods, the first one other than zero at time 0. Negative: paid out to the borrower. */
      readonly Amounts?: readonly number[] | null;
    };
    readonly CalculateRateRequest: {
      readonly jsonParam: components['schemas']['RateTerms'];
    };
    readonly DiscountedFlow: {
      /** @description DAE and XIRR: day of the flow, as 2024-01-31. */
      readonly Date?: string;
      /** @description IRR: number of the period, at whose end the flow is; 0 for the first flow. */
      readonly Period?: number;
      /** @description The flow as sent. */
      readonly Amount: number;
      /** @description Years from time 0 by the rule, 20 decimals; negative for an earlier flow. */
      readonly Years: number;
      /** @description The flow at time 0: Amount / (1 + Rate/100)^Years, with IRR and p periods a year Amount / (1 + Rate/100/p)^(Years*p); null if that has no value. */
      readonly DiscountedAmount: number | null;
    };
    /** @description IRR: the rate of one period times periods per year, so that discounting is by period. */
    readonly CalculateRateReply: {
      /** @description Percent a year, ten exact decimals; null if there is none. */
      readonly Rate: number | null;
      /** @description The flows in the order of the request; empty without a rate. */
      readonly Proof: readonly components['schemas']['DiscountedFlow'][];
      /** @description Sum of the discounted amounts, the error of the rounded rate; null without a rate. */
      readonly Residual: number | null;
    };
    readonly GetBankingProductByCodeRequest: {
      /** @description Code of the product, case-insensitive. Its approved version is returned. */
      readonly BankingProductCode: string;
      /** @description True: returns Availability, with filters and covenants. */
      readonly displayBPAvailability?: boolean | null;
      /** @description True: returns Details.GeneralData. */
      readonly displayBPDetails?: boolean | null;
      /** @description True: returns Dimensions, empty unless one of its sections is requested too. */
      readonly displayBPDimensions?: boolean | null;
      /** @description True: returns Dimensions.InterestsAndCommissions. */
      readonly displayInterestsAndCommissions?: boolean | null;
      /** @description True: returns Dimensions.Insurance. */
      readonly displayInsurance?: boolean | null;
      /** @description True: returns Dimensions.Discounts. */
      readonly displayDiscounts?: boolean | null;
      /** @description True: returns Dimensions.Questions. */
      readonly displayQuestions?: boolean | null;
      /** @description True: returns Details.CountryCalendars. */
      readonly displayCountryCalendars?: boolean | null;
      /** @description True: returns Details.AssociatedPaymentScheduleTypes. */
      readonly displayPaymentScheduleTypes?: boolean | null;
      /** @description True: returns Details.ProductGuarantees. */
      readonly displayProductGuarantees?: boolean | null;
      /** @description True: returns Details.ProductDestinationTypes. */
      readonly displayProductDestinationTypes?: boolean | null;
      /** @description True: returns Details.DisbursementMatrix. */
      readonly displayDisbursementMatrix?: boolean | null;
      /** @description True: returns Details.AssociatedProducts. */
      readonly displayAssociatedProducts?: boolean | null;
      /** @description True: returns Availability.MandatoryRoles. */
      readonly displayMandatoryRoles?: boolean | null;
      /**
       * @description Extension. The day as of which products and their values are valid. Absent: the UTC day of the request.
       * @example 2024-01-31
       */
      readonly Date?: string | null;
    };
    readonly BankingProduct: {
      /** @description Code of the product as the catalogue spells it. */
      readonly BankingProductCode: string;
      /** @description Its name. */
      readonly Name: string;
      /** @description First day, as 2024-01-31T00:00:00; null without one. */
      readonly StartDate: string | null;
      /** @description Last day; null without one. */
      readonly EndDate: string | null;
      /** @description Product type. */
      readonly BankingProductType: string;
    };
    /** @description With displayBPDetails. */
    readonly GeneralData: {
      /** @description Type of the account. */
      readonly BankAccountType: string | null;
      /** @description Repaid amounts can be drawn again. */
      readonly IsRevolving: boolean;
      /** @description Disbursed automatically. */
      readonly AutoDisbursement: boolean;
      /** @description Maximum number of disbursements. */
      readonly MaxNoDisbursements: number | null;
      /** @description Tranches are activated with their documents. */
      readonly ActivationTranchesOnDocumentSubmission: boolean;
      /** @description Needs guarantees. */
      readonly IsGuaranteed: boolean;
      /** @description Collateral may be released in parts. */
      readonly AllowCollateralPartialRelease: boolean | null;
      /** @description Allows co-debtors. */
      readonly AllowCoDebtor: boolean;
      /** @description Allows refinancing. */
      readonly AllowRefinancing: boolean;
      /** @description Maximum number of co-debtors. */
      readonly MaxNoOfCodebtors: number | null;
      /** @description Name of the periodicity of installments. */
      readonly PeriodicityType: string;
      /** @description How repayments are allocated. */
      readonly RepaymentAllocationMethod: string | null;
      /** @description Due dates on non-business days are moved. */
      readonly HolidayShiftForRepaymentInstallments: boolean;
      /** @description How due dates on non-business days are moved. */
      readonly HolidayShiftMethod: string | null;
      /** @description Interest accrues until the moved date. */
      readonly DeferDueDate: boolean;
      /** @description What happens to the interest of a grace period. */
      readonly GraceType: string | null;
      /** @description Grace period of the product. */
      readonly ProductGrace: string | null;
      /** @description Grace period of a repayment, in days. */
      readonly GraceDaysForRepayment: number | null;
      /** @description Penalties accrue during the grace period. */
      readonly PenaltyForGracePeriod: boolean;
    };
    readonly CountryCalendar: {
      /** @description Name of a holiday calendar. */
      readonly CountryName: string;
    };
    readonly PaymentScheduleColumn: {
      /** @description GUID of the column. */
      readonly PaymentScheduleTypeDetailId: string;
      /** @description Name of the column. */
      readonly ColumnRepaymentSchedule: string;
      /** @description Method of its calculation. */
      readonly CalculationMethod: string;
      /** @description Its commission. */
      readonly Fee: string | null;
      /** @description Its class of insurances. */
      readonly InsuranceClass: string | null;
      /** @description The input that it reads. */
      readonly Source: string | null;
      /** @description It is shown. */
      readonly Display: boolean;
    };
    readonly PaymentScheduleType: {
      /** @description GUID of the schedule type. */
      readonly PaymentScheduleTypeId: string;
      /** @description Its name. */
      readonly PaymentScheduleTypeName: string;
      /** @description Its code. */
      readonly PaymentScheduleCode: string;
      /** @description Code of the product's type if the schedule type supports it, otherwise of the first type that it supports. */
      readonly ProductType: string | null;
      /** @description Its day count. */
      readonly ScheduleInterestCalculationType: string;
      /** @description Level payment. */
      readonly IsWithEqualInstallments: boolean;
      /** @description A request may fix the payment. */
      readonly InstallmentValueCustom: boolean;
      /** @description MaturityDate moves the last due date. */
      readonly UseMaturityDate: boolean;
      /** @description Days, Months or null for any. */
      readonly MeasurementUnit: string | null;
      /** @description Columns in the order of their calculation. */
      readonly PaymentScheduleTypeDetails: readonly components['schemas']['PaymentScheduleColumn'][];
    };
    readonly ProductGuarantee: {
      /** @description Name of the guarantee. */
      readonly ProductGuaranteeName: string;
      /** @description Its type. */
      readonly GuaranteeType: string | null;
      /** @description Largest share that it may cover, in percent. */
      readonly MaxAcceptedCoveringPercent: number | null;
    };
    readonly ProductDestinationType: {
      /** @description Purpose for which the loan may be used. */
      readonly ProductDestinationTypeName: string;
      /** @description The default. */
      readonly IsDefault: boolean;
    };
    readonly DisbursementTranche: {
      /** @description Name of the tranche. */
      readonly Name: string;
      /** @description Its share of the amount, in percent. */
      readonly TranchePercent: number | null;
      /** @description Its rate. */
      readonly InterestPercent: number | null;
      /** @description Months from the activation to its start. */
      readonly StartMonthFromActivation: number | null;
      /** @description Percent charged on its unused amount. */
      readonly UnusageCommissionPercent: number | null;
    };
    readonly AssociatedProduct: {
      /** @description Name of the other product. */
      readonly AssociatedProductName: string;
      /** @description Its code. */
      readonly AssociatedProductCode: string;
    };
    readonly ProductDetailsSection: {
      readonly GeneralData?: components['schemas']['GeneralData'];
      /** @description With displayCountryCalendars. */
      readonly CountryCalendars?: readonly components['schemas']['CountryCalendar'][];
      /** @description With displayPaymentScheduleTypes: Active ones, the default first. */
      readonly AssociatedPaymentScheduleTypes?: readonly components['schemas']['PaymentScheduleType'][];
      /** @description With displayProductGuarantees. */
      readonly ProductGuarantees?: readonly components['schemas']['ProductGuarantee'][];
      /** @description With displayProductDestinationTypes. */
      readonly ProductDestinationTypes?: readonly components['schemas']['ProductDestinationType'][];
      /** @description With displayDisbursementMatrix. */
      readonly DisbursementMatrix?: readonly components['schemas']['DisbursementTranche'][];
      /** @description With displayAssociatedProducts. */
      readonly AssociatedProducts?: readonly components['schemas']['AssociatedProduct'][];
    };
    readonly AvailabilityItemFilter: {
      /** @description Name of the filter. */
      readonly Filter: string;
      /** @description Its scope. */
      readonly FilterScope: string | null;
      /** @description Its type. */
      readonly FilterType: string | null;
      /** @description Its purpose. */
      readonly Description: string | null;
    };
    readonly InvariantDate: {
      /** @description The day, as 2024-01-31. */
      readonly invariantDate: string;
    };
    readonly ProductCovenant: {
      /** @description Name of the covenant. */
      readonly Name: string;
      /** @description Its type. */
      readonly Type: string | null;
      /** @description Its value. */
      readonly Value: number | null;
      /** @description First day. */
      readonly ValidFrom: components['schemas']['InvariantDate'] | null;
      /** @description Last day. */
      readonly ValidTo: components['schemas']['InvariantDate'] | null;
      /** @description Months between two reviews. */
      readonly ReviewFrequencyMonths: number | null;
    };
    readonly MandatoryRole: {
      /** @description Name of the role. */
      readonly Name: string;
      /** @description As in the catalogue. */
      readonly SearchLimit: boolean;
    };
    /** @description All fields except MandatoryRoles are present with displayBPAvailability. */
    readonly ProductAvailabilitySection: {
      /** @description ISO 4217 code. */
      readonly Currency?: string;
      /** @description Unit of the periods. */
      readonly PeriodType?: string;
      /** @description Longest period of disbursement. */
      readonly MaxPeriodForDisbursement?: number | null;
      /** @description Shortest term. */
      readonly MinimumPeriod?: number | null;
      /** @description Longest term. */
      readonly MaximumPeriod?: number | null;
      /** @description Smallest prepayment. */
      readonly MinimumEarlyRepaymentValue?: number | null;
      /** @description Smallest amount. */
      readonly MinimumAmount?: number | null;
      /** @description Largest amount. */
      readonly MaximumAmount?: number | null;
      /** @description First period that is charged for unused amounts. */
      readonly UnusageStartPeriod?: number | null;
      /** @description Smallest advance, in percent of the amount. */
      readonly MinimumAdvance?: number | null;
      /** @description Largest advance, in percent of the amount. */
      readonly MaximumAdvance?: number | null;
      readonly AvailabilityItemFilters?: readonly components['schemas']['AvailabilityItemFilter'][];
      readonly ProductCovenants?: readonly components['schemas']['ProductCovenant'][];
      /** @description With displayMandatoryRoles. */
      readonly MandatoryRoles?: readonly components['schemas']['MandatoryRole'][];
    };
    readonly CommissionValue: {
      /** @description Amount. */
      readonly CommissionValue: number | null;
      /** @description Percentage. */
      readonly CommissionPercent: number | null;
      /** @description Always Active. */
      readonly Status: string;
      /** @description First day of the value. */
      readonly ValueValidFrom: components['schemas']['InvariantDate'] | null;
      /** @description Last day of the value. */
      readonly ValueValidTo: components['schemas']['InvariantDate'] | null;
    };
    readonly Commission: {
      /** @description Name of the commission. */
      readonly Name: string;
      /** @description Its type. */
      readonly Type: string | null;
      /** @description Name of its periodicity. */
      readonly PeriodicityType: string;
      /** @description ISO 4217 code. */
      readonly Currency: string;
      /** @description Status; answers contain only Active ones. */
      readonly Status: string;
      /** @description Charged on the unused amount. */
      readonly IsForUnusage: boolean;
      /** @description Its values are percentages, not amounts. */
      readonly ValueIsPercent: boolean;
      /** @description Part of the repayment schedule. */
      readonly IncludedInRepaymentSchedule: boolean;
      /** @description Loaded on every contract. */
      readonly AutomaticLoadOnContract: boolean;
      /** @description Mandatory. */
      readonly MandatoryForApplicant: boolean;
      /** @description Calculated by a formula. */
      readonly UseBankingFormula: boolean;
      /** @description Charged for a new version of a contract. */
      readonly IsForContractVersion: boolean | null;
      /** @description Base of the percentage. */
      readonly PercentAppliedTo: string | null;
      /** @description Its percentage. */
      readonly Percent: number | null;
      /** @description Active values that are valid on the day. */
      readonly Values: readonly components['schemas']['CommissionValue'][];
    };
    readonly InterestValue: {
      /** @description Annual percent. */
      readonly Value: number;
      /** @description Always Active. */
      readonly ValueStatus: string;
      /** @description First day of the value. */
      readonly ValueValidFrom: components['schemas']['InvariantDate'] | null;
      /** @description Last day of the value. */
      readonly ValueValidTo: components['schemas']['InvariantDate'] | null;
    };
    readonly CollectionInterest: {
      /** @description The interest whose value is the rate. */
      readonly InterestName: string;
      /** @description First installment. */
      readonly InterestStartPeriod: number | null;
      /** @description Last installment. */
      readonly InterestEndPeriod: number | null;
      /** @description First day. */
      readonly InterestStartDate: components['schemas']['InvariantDate'] | null;
      /** @description Last day. */
      readonly InterestEndDate: components['schemas']['InvariantDate'] | null;
    };
    readonly InterestBand: {
      /** @description Name of the band. */
      readonly InterestName: string;
      /** @description Lower bound of the band. */
      readonly MinUtilizedAmount: number | null;
      /** @description Upper bound of the band. */
      readonly MaxUtilizedAmount: number | null;
      /** @description For overdrafts. */
      readonly IsForOverdraft: boolean | null;
      /** @description First day, as 2024-01-31. */
      readonly CollectionValidFrom: string | null;
      /** @description Last day. */
      readonly CollectionValidTo: string | null;
      /** @description Annual percent. */
      readonly Value: number;
      /** @description Text about the rate. */
      readonly ValueMessage: string | null;
    };
    readonly Interest: {
      /** @description Name of the interest. */
      readonly InterestName?: string;
      /** @description Its code. */
      readonly InterestCode?: string;
      /** @description Collection. */
      readonly InterestType?: string;
      /** @description Name of the interest. */
      readonly Name?: string;
      /** @description Its code. */
      readonly Code?: string;
      /** @description The loan item that it is charged on while overdue. */
      readonly AppliedToLoanItemIfOverdue?: string | null;
      /** @description Its purpose. */
      readonly Description?: string | null;
      /** @description The default of its list. */
      readonly IsDefault?: boolean | null;
      /** @description Calculated by a formula. */
      readonly UseBankingFormula?: boolean | null;
      /** @description A penalty. */
      readonly IsPenalty?: boolean | null;
      /** @description General. */
      readonly IsGeneral?: boolean | null;
      /** @description For sight deposits. */
      readonly IsForSightDeposit?: boolean | null;
      /** @description For overdrafts. */
      readonly IsForOverdraft: boolean | null;
      /** @description For credit lines. */
      readonly IsCreditLine?: boolean | null;
      /** @description For debit orders. */
      readonly IsDebitOrder?: boolean | null;
      /** @description Fixed, Variable, Collection or BankingFormula. */
      readonly Type?: string;
      /** @description Active values that are valid on the day. */
      readonly Values?: readonly components['schemas']['InterestValue'][];
      /** @description Type Collection: rates by range of installments that are valid on the day. */
      readonly CollectionInterests?: readonly components['schemas']['CollectionInterest'][];
      /** @description Bands that are valid on the day. */
      readonly BandedInterests?: readonly components['schemas']['InterestBand'][];
    };
    readonly InterestsAndCommissionsItem: {
      /** @description Name of the item. */
      readonly InterestCommissionItemName: string;
      /** @description Name of its list of commissions. */
      readonly CommissionListName: string | null;
      /** @description Name of its list of interests. */
      readonly InterestListName: string | null;
      readonly Commissions: readonly components['schemas']['Commission'][];
      /** @description Each has either Name, Code, Type, Values and CollectionInterests or, for type Collection by utilised amount, InterestName, InterestCode, InterestType, IsForOverdraft and BandedInterests. */
      readonly Interests: readonly components['schemas']['Interest'][];
    };
    readonly Insurance: {
      /** @description Code of the insurance. */
      readonly InsuranceCode: string;
      /** @description Its name. */
      readonly InsuranceName: string;
      /** @description Name of its periodicity. */
      readonly PeriodicityType: string;
      /** @description ISO 4217 code. */
      readonly Currency: string;
      /** @description The insurer. */
      readonly Insurer: string | null;
      /** @description Item of the operation. */
      readonly OperationItem: string | null;
      /** @description Class of the insurance. */
      readonly Class: string | null;
      /** @description Its purpose. */
      readonly Description: string | null;
      /** @description Type of its formula. */
      readonly BankingFormulaType: string | null;
      /** @description Mandatory for the applicant. */
      readonly IsMandatoryForApplicant: boolean;
      /** @description Mandatory for the debtor. */
      readonly IsMandatoryForDebtor: boolean;
      /** @description Part of the installments. */
      readonly IncludedIntoRepaymentScheduleInstallment: boolean;
      /** @description Calculated by a formula. */
      readonly UseBankingFormula: boolean;
      /** @description Its values are percentages. */
      readonly ValueIsPercentage: boolean;
    };
    readonly InsuranceItem: {
      /** @description Name of the item. */
      readonly Name: string;
      /** @description Its code. */
      readonly Code: string;
      /** @description First day. */
      readonly StartDate: components['schemas']['InvariantDate'] | null;
      /** @description Last day. */
      readonly EndDate: components['schemas']['InvariantDate'] | null;
      /** @description Name of its list. */
      readonly InsuranceListName: string;
      /** @description Active insurances of the list. */
      readonly Insurances: readonly components['schemas']['Insurance'][];
    };
    readonly Discount: {
      /** @description Name of the discount. */
      readonly Name: string;
      /** @description Its campaign or reason. */
      readonly Discount: string | null;
      /** @description Interest, Commission or Insurance. */
      readonly AppliedToDimension: string;
      /** @description Type of the commissions that it lowers. */
      readonly CommissionType: string | null;
      /** @description The commission that it lowers. */
      readonly Commission: string | null;
      /** @description Type of the interests that it lowers. */
      readonly InterestType: string | null;
      /** @description Class of the insurances that it lowers. */
      readonly InsuranceClass: string | null;
      /** @description The insurance that it lowers. */
      readonly Insurance: string | null;
      /** @description Type of its formula. */
      readonly BankingFormulaType: string | null;
      /** @description Entity that it depends on. */
      readonly DestinationEntity: string | null;
      /** @description Attribute of that entity. */
      readonly DestinationEntityAttribute: string | null;
      /** @description Percentage, percentage points or amount. */
      readonly DiscountValue: number | null;
      /** @description First day. */
      readonly StartDate: components['schemas']['InvariantDate'] | null;
      /** @description Last day. */
      readonly EndDate: components['schemas']['InvariantDate'] | null;
      /** @description Calculated by a formula. */
      readonly UseBankingFormula: boolean;
      /** @description Given only when a request names it. */
      readonly IsOptionalDiscount: boolean;
      /** @description DiscountValue is a percentage. */
      readonly IsPercentage: boolean;
    };
    readonly Question: {
      /** @description The question. */
      readonly Name: string;
      /** @description Its type. */
      readonly QuestionType: string | null;
      /** @description Entity that stores the answer. */
      readonly AnswerEntity: string | null;
      /** @description Field that stores the answer. */
      readonly AnswerField: string | null;
      /** @description Asked of the applicant. */
      readonly IsForSolicitant: boolean;
      /** @description Asked of the co-borrower. */
      readonly IsForCoborrower: boolean;
    };
    readonly ProductDimensionsSection: {
      /** @description With displayInterestsAndCommissions. */
      readonly InterestsAndCommissions?: readonly components['schemas']['InterestsAndCommissionsItem'][];
      /** @description With displayInsurance. */
      readonly Insurance?: readonly components['schemas']['InsuranceItem'][];
      /** @description With displayDiscounts: Active ones. */
      readonly Discounts?: readonly components['schemas']['Discount'][];
      /** @description With displayQuestions. */
      readonly Questions?: readonly components['schemas']['Question'][];
    };
    /** @description A section is present only if its flag is true; a section without data is an empty list. */
    readonly GetBankingProductByCodeReply: {
      readonly BankingProduct: components['schemas']['BankingProduct'];
      readonly Details?: components['schemas']['ProductDetailsSection'];
      readonly Availability?: components['schemas']['ProductAvailabilitySection'];
      readonly Dimensions?: components['schemas']['ProductDimensionsSection'];
    };
    readonly GetBankingProductDetailsRequest: {
      /** @description Code of the product, case-insensitive. Mandatory unless its id is sent. */
      readonly productCode?: string | null;
      /** @description Id of an approved version of the product. Mandatory unless productCode is sent; together they must name the same product. */
      readonly productId?: string | null;
      /**
       * @description Extension. The day as of which products and their values are valid. Absent: the UTC day of the request.
       * @example 2024-01-31
       */
      readonly Date?: string | null;
    };
    readonly GetBankingProductDetailsReply: {
      /** @description Name of the product. */
      readonly Name: string;
      /** @description JSON text of a list of objects with Name and RealName. */
      readonly ProductImage: string | null;
      /** @description Its benefits. */
      readonly Benefits: string | null;
      /** @description Its conditions. */
      readonly DisplayConditions: string | null;
      /** @description Number of debtors. */
      readonly NoOfDebtor: number | null;
    };
    readonly NamedFigure: {
      /** @description Name of the figure, case-insensitive. */
      readonly name: string;
      /** @description The figure. */
      readonly value: number;
    };
    readonly GetProductInsuranceListRequest: {
      /** @description Code of the product, case-insensitive. Mandatory unless its id is sent. */
      readonly productCode?: string | null;
      /** @description Id of an approved version of the product. Mandatory unless productCode is sent; together they must name the same product. */
      readonly productId?: string | null;
      /** @description Figures by the names that filters of the product use, case-insensitive. Absent, "" or empty: no figures. */
      readonly filterList?: readonly components['schemas']['NamedFigure'][] | null;
      /**
       * @description Extension. The day as of which products and their values are valid. Absent: the UTC day of the request.
       * @example 2024-01-31
       */
      readonly Date?: string | null;
    };
    readonly ProductInsurance: {
      /** @description Name of the insurance item. */
      readonly ItemName: string;
      /** @description Its code. */
      readonly ItemCode: string;
      /** @description GUID of its list. */
      readonly InsuranceListId: string;
      /** @description Name of its list. */
      readonly InsuranceListName: string;
    };
    readonly GetProductInsuranceListReply: {
      /** @description Items whose filters pass, in the order of the catalogue. */
      readonly Insurances: readonly components['schemas']['ProductInsurance'][];
    };
    readonly GetProductDocumentsRequest: {
      /** @description Code of the product, case-insensitive. Mandatory unless its id is sent. */
      readonly productCode?: string | null;
      /** @description Id of an approved version of the product. Mandatory unless productCode is sent; together they must name the same product. */
      readonly bankingProductId?: string | null;
      /**
       * @description Extension. The day as of which products and their values are valid. Absent: the UTC day of the request.
       * @example 2024-01-31
       */
      readonly Date?: string | null;
    };
    readonly DocumentUse: {
      /** @description GUID of the report. */
      readonly ReportId: string;
      /** @description The document is mandatory. */
      readonly IsMandatory: boolean | null;
      /** @description The document is an agreement. */
      readonly IsAccord: boolean | null;
    };
    readonly DocumentReport: {
      /** @description Name of the report. */
      readonly DisplayName: string;
    };
    readonly ProductDocument: {
      readonly Doc: components['schemas']['DocumentUse'];
      readonly Report: components['schemas']['DocumentReport'];
    };
    /** @description In the order of the catalogue. */
    readonly GetProductDocumentsReply: readonly components['schemas']['ProductDocument'][];
    readonly OptionalDiscount: {
      /** @description Name of an optional discount, case-insensitive. Send Name or ProductDiscountId, or both if they agree. */
      readonly Name?: string | null;
      /** @description Id of an optional discount. Send Name or ProductDiscountId, or both if they agree. */
      readonly ProductDiscountId?: string | null;
    };
    readonly ChosenDiscount: {
      /** @description Name of an optional discount, case-insensitive. Send Name or ProductDiscountId, or both if they agree. */
      readonly Name?: string | null;
      /** @description Id of an optional discount. Send Name or ProductDiscountId, or both if they agree. */
      readonly ProductDiscountId?: string | null;
      /** @description Code of the product; must be that of the request. */
      readonly ProductCode?: string | null;
    };
    readonly FiguresByName: {
      readonly [key: string]: number;
    };
    /** @description Arguments of banking formulas. */
    readonly FormulaInput: {
      /** @description Arguments of the formulas of interests, by their names. */
      readonly interestInput?: components['schemas']['FiguresByName'] | null;
      /** @description Arguments of the formulas of commissions, by their names. */
      readonly commissionInput?: components['schemas']['FiguresByName'] | null;
      /** @description Arguments of the formulas of insurances, by their names. */
      readonly insuranceInput?: components['schemas']['FiguresByName'] | null;
      /** @description Arguments of the formulas of discounts, by their names. */
      readonly discountInput?: components['schemas']['FiguresByName'] | null;
    };
    readonly SimulateRequest: {
      /** @description Code of the product, case-insensitive. Its approved version is returned. */
      readonly productCode: string;
      /** @description Contract amount in the product's currency, the down payment included. More than zero. */
      readonly amount: number;
      /** @description Number of periods of the product's periodicity. */
      readonly loanPeriod: number;
      /** @description Name or code of a schedule type of the product, case-insensitive. */
      readonly scheduleType: string;
      /** @description Part of the amount that is paid immediately. Default 0. */
      readonly downPayment?: number | null;
      /** @description Id of the interest type. Mandatory with jsonInputFormula and jsonMultipleInterestRates. */
      readonly interestType?: string | null;
      /** @description Fixed, Variable, Collection or BankingFormula, case-insensitive. Without a type, the default interest is offered. */
      readonly interestTypeName?: string | null;
      /** @description Optional discounts that are taken. */
      readonly optional?: readonly components['schemas']['OptionalDiscount'][] | null;
      /** @description Optional discounts that are taken. */
      readonly discount?: readonly components['schemas']['ChosenDiscount'][] | null;
      /** @description Figures for the filters of interests and commissions. */
      readonly jsonFilterCommission?: readonly components['schemas']['NamedFigure'][] | null;
      /** @description Figures for the filters of insurances. */
      readonly jsonInsuranceFilter?: readonly components['schemas']['NamedFigure'][] | null;
      /** @description Figures for the filters of discounts. */
      readonly jsonDiscountFilter?: readonly components['schemas']['NamedFigure'][] | null;
      /** @description Arguments of banking formulas. */
      readonly jsonInputFormula?: components['schemas']['FormulaInput'] | null;
      /** @description Rates by range of installments, instead of those of an interest of type Collection. */
      readonly jsonMultipleInterestRates?: readonly components['schemas']['InterestRateRange'][] | null;
      /** @description Desired installment value: a fixed payment. */
      readonly installmentValue?: number | null;
      /** @description Desired principal value: a fixed principal. */
      readonly principalValue?: number | null;
    };
    readonly SimulationRecord: {
      /** @description Annual rate after discounts, with four decimals, such as 7.9500%. */
      readonly InterestPercent: string;
      /** @description Internal rate of return, such as 8.2413%; null when there is none. */
      readonly IRR: string | null;
      /** @description Total of the first installment, with all charges. */
      readonly FirstInstallment: number;
      /** @description Insurances of the first installment. */
      readonly FirstInsurance: number;
      /** @description Insurances of all installments. */
      readonly TotalInsurance: number;
      /** @description Commissions of the first installment. */
      readonly FirstFee: number;
      /** @description Commissions of all installments. */
      readonly TotalFee: number;
      /** @description Sum of all installments, including the down payment. */
      readonly Total: number;
      /** @description JSON text of an object with paymentSchedule, the rows InstallmentNo, remainingValue, pMT, interest, principal, managementFee, totalInstallment, and insurance and capitalisedInterest if there are any. Row 0 is the down payment. */
      readonly ScheduleJson: string;
      /** @description GUID of the interest. */
      readonly InterestId: string;
      /** @description GUID of its list. */
      readonly InterestListId: string;
      /** @description GUID of the interest-commission item of the product. */
      readonly InterestCommissionItemId: string;
      /** @description GUID of the commission list; null: the item has none. */
      readonly CommissionListId: string | null;
      /** @description Number of different interests in all records. */
      readonly cntInterestId: number;
      /** @description Number of different interest-commission items in all records. */
      readonly cntInterestCommissionItemId: number;
      /** @description JSON text of an object with BaseInterestPercent, InterestDiscountValue and InterestDiscountPercent. */
      readonly OutputInterestJson: string;
      /** @description JSON text of a list of commissions: Name, Value, Percent, BaseValue, BasePercent, DiscountValue, DiscountPercent, ValueIsPercent, CurrencyId, FeePeriodicityType, FeeDate, FeeId, IsUpfront. */
      readonly OutputCommissionJson: string;
      /** @description JSON text of a list of insurances: as commissions, with CurrenctyId, InsurancePeriodicityType, InsuranceDate and InsuranceId. */
      readonly OutputInsuranceJson: string;
    };
    readonly SimulateReply: {
      /** @description One for each interest that is offered, in the order of the catalogue. */
      readonly Records: readonly components['schemas']['SimulationRecord'][];
      /** @description Always 0. */
      readonly ReturnValue: number;
    };
    /** @description The generic form: the input in Data, next to the access parameters. */
    readonly GenericRequest: {
      /** @description Access token; used if there is no Authorization header. */
      readonly access_token?: string | null;
      /** @description Name of the user that the token was issued to. */
      readonly user_name?: string | null;
      /** @description The input of the action as JSON text. An object with the input is accepted too. */
      readonly Data: string;
    };
    readonly PendingResult: {
      /** @description Id of the result. */
      readonly resultId: string;
      /** @enum {string} */
      readonly status: 'pending';
      /** @description Address of the result. */
      readonly href: string;
    };
    readonly SendSms: {
      /** @description A name of at most 11 GSM characters, a telephone number or a short code. Absent: the defaultSender of the provider. */
      readonly sender?: string | null;
      /** @description The text, at most 1600 characters. */
      readonly message: string;
      /** @description Telephone number with its country code, such as +40722123456; blanks, brackets, dashes, dots and invisible characters are ignored, full-width characters are read as the others, and 00 means +. */
      readonly receiver: string;
    };
    readonly Attachment: {
      /** @description Name of the file without a path, at most 255 characters: a PDF, an image, an Office file without macros, a text, an archive or a signed file. */
      readonly name: string;
      /** @description The bytes of the file in base64 (RFC 4648, section 4). */
      readonly content: string;
    };
    readonly SendEmail: {
      /** @description One plain e-mail address. Absent: the defaultSender of the provider. */
      readonly sender?: string | null;
      /** @description The body of the e-mail. */
      readonly message: string;
      /** @description One plain e-mail address. */
      readonly receiver: string;
      /** @description One line of at most 998 bytes. */
      readonly subject: string;
      /** @description Addresses separated by `;` or `,`. */
      readonly cc?: string | null;
      /** @description Addresses separated by `;` or `,`. */
      readonly bcc?: string | null;
      /**
       * @description `text/plain` (default) or `text/html`; a `charset` of UTF-8 changes nothing.
       * @enum {string|null}
       */
      readonly contentType?: 'text/plain' | 'text/html' | null;
      /** @description Files, at most 7 MiB decoded in all. */
      readonly attachmentList?: readonly components['schemas']['Attachment'][] | null;
    };
    readonly AcceptedNotification: {
      /**
       * Format: uuid
       * @description Id of the notification.
       */
      readonly notificationId: string;
      /**
       * @description The notification is stored and will be sent to a provider.
       * @constant
       */
      readonly status: 'accepted';
    };
    readonly NotificationAttempt: {
      /** @description Round of delivery, counted from 1; all attempts of a round share it. */
      readonly attempt: number;
      /**
       * Format: date-time
       * @description Time of its end.
       */
      readonly at: string;
      /** @description Name of the provider in the configuration. */
      readonly provider: string;
      /**
       * @description `unknown`: the provider may or may not have sent the message.
       * @enum {string}
       */
      readonly result: 'sent' | 'transient' | 'permanent' | 'misconfigured' | 'unknown';
      /** @description Stable code of the result, such as `smtp-452-4.2.2`; absent when sent. */
      readonly code?: string;
    };
    readonly Notification: {
      /**
       * Format: uuid
       * @description Id of the notification.
       */
      readonly notificationId: string;
      /**
       * @description `accepted`: stored. `retrying`: an attempt failed and another one follows. `sent`: a provider accepted it. `failed`: rejected permanently, or expired. `parked`: the provider may have sent it; an operator decides whether to retry.
       * @enum {string}
       */
      readonly status: 'accepted' | 'retrying' | 'sent' | 'failed' | 'parked';
      /**
       * @description Channel of the notification.
       * @enum {string}
       */
      readonly channel: 'sms' | 'email';
      /** @description The last attempts, at most 20, newest last. */
      readonly attempts: readonly components['schemas']['NotificationAttempt'][];
      /**
       * Format: date-time
       * @description Time of the last change of the status.
       */
      readonly updatedAt: string;
      /**
       * Format: date-time
       * @description While retrying: earliest time of the next attempt.
       */
      readonly nextAttemptAt?: string;
      /** @description Stable code of the reason for retrying, failed or parked. */
      readonly code?: string;
    };
    readonly FoundNotification: {
      /** Format: uuid */
      readonly notificationId: string;
      /** @enum {string} */
      readonly channel: 'sms' | 'email';
      /** @enum {string} */
      readonly status: 'accepted' | 'sending' | 'retrying' | 'sent' | 'failed' | 'parked';
      /** Format: date-time */
      readonly updatedAt: string;
    };
    readonly FoundNotifications: {
      readonly notifications: readonly components['schemas']['FoundNotification'][];
    };
    /** @description The ingress has stored it. */
    readonly AcceptedEvent: {
      /** @constant */
      readonly event: 'accepted';
      /** Format: date-time */
      readonly at: string;
    };
    /** @description A call of a provider. */
    readonly AttemptEvent: {
      /** @constant */
      readonly event: 'attempt';
      /**
       * Format: date-time
       * @description Its end.
       */
      readonly at: string;
      /**
       * Format: int64
       * @description Round of delivery, counted from 1.
       */
      readonly round: number;
      readonly provider: string;
      /** @enum {string} */
      readonly result: 'sent' | 'transient' | 'permanent' | 'misconfigured' | 'unknown';
      readonly code?: string;
    };
    /** @description A round is in progress. */
    readonly SendingEvent: {
      /** @constant */
      readonly event: 'sending';
      /** Format: date-time */
      readonly at: string;
      /**
       * Format: int64
       * @description Round of delivery, counted from 1.
       */
      readonly round: number;
      /** @description Those that may be called in this round. */
      readonly providers: readonly string[];
      /**
       * Format: date-time
       * @description After this time the outcome counts as unknown.
       */
      readonly until?: string;
    };
    /** @description It waits for the next round. */
    readonly RetryEvent: {
      /** @constant */
      readonly event: 'retry';
      /**
       * Format: date-time
       * @description When the next round is due.
       */
      readonly at: string;
      /**
       * Format: int64
       * @description Round of delivery, counted from 1.
       */
      readonly round: number;
    };
    /** @description How it ended. `parked`: the provider may have sent it; an operator decides. */
    readonly EndEvent: {
      /** @enum {string} */
      readonly event: 'sent' | 'failed' | 'parked';
      /** Format: date-time */
      readonly at: string;
      readonly code?: string;
      readonly providerMessageId?: string;
    };
    readonly TimelineEvent:
      | components['schemas']['AcceptedEvent']
      | components['schemas']['AttemptEvent']
      | components['schemas']['SendingEvent']
      | components['schemas']['RetryEvent']
      | components['schemas']['EndEvent'];
    readonly NotificationTimeline: {
      /** Format: uuid */
      readonly notificationId: string;
      /** @enum {string} */
      readonly channel: 'sms' | 'email';
      /** @enum {string} */
      readonly status: 'accepted' | 'sending' | 'retrying' | 'sent' | 'failed' | 'parked';
      /** @description Why it is retrying, failed or parked. */
      readonly code?: string;
      /** Format: date-time */
      readonly updatedAt: string;
      /** @description In the order of their times. */
      readonly events: readonly components['schemas']['TimelineEvent'][];
      /** @description Only the last 20 attempts are kept; there were others. */
      readonly hasEarlierAttempts: boolean;
      /** @description Where a failed or parked notification has its dead letters. */
      readonly deadLetters?: string;
    };
    readonly ListedDeadLetter: {
      /** @description `topic/partition/offset` on the dead-letter topic. */
      readonly id: string;
      /**
       * Format: date-time
       * @description When it became a dead letter.
       */
      readonly at: string;
      /** @description The problem code. */
      readonly code: string;
      /** @description One sentence for an operator. */
      readonly reason: string;
      /** @description The message type, if it is known. */
      readonly type?: string;
      /**
       * @description Of a notification.
       * @enum {string}
       */
      readonly channel?: 'sms' | 'email';
      /** @description `topic/partition/offset` of the original record. */
      readonly from?: string;
      /**
       * Format: int64
       * @description Delivery rounds of a notification, or attempts of the worker.
       */
      readonly attempts: number;
      /**
       * Format: int64
       * @description How often it was redriven before.
       */
      readonly redrives: number;
      /**
       * @description By the audit. `redrive-begun` and `edit-begun`: the result is not recorded, so it may have been sent.
       * @enum {string}
       */
      readonly status:
        | 'open'
        | 'redrive-begun'
        | 'edit-begun'
        | 'redriven'
        | 'edited'
        | 'discarded'
        | 'marked-sent';
      /** @description Of a notification. */
      readonly notificationId?: string;
      /**
       * Format: int64
       * @description Size of the value.
       */
      readonly bytes: number;
    };
    readonly DeadLetterCounts: {
      readonly [key: string]: number;
    };
    readonly DeadLetterPage: {
      /** @description Newest first. */
      readonly letters: readonly components['schemas']['ListedDeadLetter'][];
      /**
       * Format: int64
       * @description Selected dead letters in all.
       */
      readonly count: number;
      /** @description Their number by code, the 100 most frequent; `*`: those of all others. */
      readonly codes: components['schemas']['DeadLetterCounts'];
      /**
       * Format: int64
       * @description Selected ones that are left out because they were handled.
       */
      readonly handled: number;
      /** @description False: only the newest 20000 dead letters, or those read within the time limit, were searched. */
      readonly isComplete: boolean;
      /** @description False: only the newest 200000 records of the audit, or those read within the time limit, were read, so that a dead letter that was handled may appear as open. */
      readonly isAuditComplete: boolean;
      /** @description For the next page; absent on the last one. */
      readonly nextCursor?: string;
    };
    readonly DeadLetterPayload: {
      readonly type?: string;
      /** @description `avro` or `json`. */
      readonly format?: string;
      /** Format: int64 */
      readonly bytes: number;
      /** @description The payload; addresses, numbers, texts and files are masked. */
      readonly content?: unknown;
      /** @description Set where the payload cannot be masked. */
      readonly isHidden?: boolean;
      /** @description Why the payload cannot be decoded, and its invalid fields. */
      readonly notes: readonly string[];
    };
    readonly DeadLetterAudit: {
      /** @enum {string} */
      readonly action: 'redrive' | 'edit' | 'discard' | 'mark-sent';
      /** @enum {string} */
      readonly stage: 'begun' | 'done' | 'failed';
      /** @description The subject of the token, or the user of the command. */
      readonly operator: string;
      /** Format: date-time */
      readonly at: string;
      readonly reason?: string;
      /** @description The topic to which it was sent, or an error code. */
      readonly result?: string;
      /** @description Id of the call or command. */
      readonly run: string;
      /** @description The fields that an edit changed. */
      readonly members?: readonly string[];
      /** @description The guards that were disabled. */
      readonly overrides?: readonly string[];
    };
    readonly DeadLetter: {
      /** @description `topic/partition/offset` on the dead-letter topic. */
      readonly id: string;
      readonly code: string;
      readonly reason: string;
      /** Format: date-time */
      readonly at: string;
      readonly from?: string;
      /**
       * Format: date-time
       * @description Time of the original record.
       */
      readonly fromAt?: string;
      /** @description Consumer group of the worker. */
      readonly group?: string;
      /** Format: int64 */
      readonly attempts: number;
      /** Format: int64 */
      readonly redrives: number;
      readonly notificationId?: string;
      /** @description The message key; masked unless it is a hash. */
      readonly key: string | null;
      /** @description Headers of this system; of others only the length. */
      readonly headers: {
        readonly [key: string]: string;
      };
      /** @description Earlier attempts, each as JSON. */
      readonly history: readonly string[];
      readonly payload: components['schemas']['DeadLetterPayload'];
      /**
       * @description By the audit. `redrive-begun` and `edit-begun`: the result is not recorded, so it may have been sent.
       * @enum {string}
       */
      readonly status:
        | 'open'
        | 'redrive-begun'
        | 'edit-begun'
        | 'redriven'
        | 'edited'
        | 'discarded'
        | 'marked-sent';
      /** @description The newest steps of actions on it, 100 at most, oldest first. */
      readonly audit: readonly components['schemas']['DeadLetterAudit'][];
      /** @description False: older steps are left out, or the audit was not read to its end. */
      readonly isAuditComplete: boolean;
    };
    /** @description Dead letters that match all of these; at least one is required. */
    readonly DeadLetterSelection: {
      /** @description Ids of dead letters, `topic/partition/offset`, or of notifications. */
      readonly ids?: readonly string[];
      /** @description A worker (`notification`, `schedule`), a dead-letter topic, or the topic that they came from, with or without the prefix. */
      readonly topics?: readonly string[];
      /** @description The problem code; a `*` at its end matches any rest, as in `smtp-5*`. */
      readonly codes?: readonly string[];
      /** @description The message type, such as `SendSmsCommand`. */
      readonly types?: readonly string[];
      /**
       * @description Notifications of this channel only.
       * @enum {string}
       */
      readonly channel?: 'sms' | 'email';
      /** @description The message key, as text or in hexadecimal. */
      readonly key?: string;
      /**
       * @description Not before this time.
       * @example 2026-05-01T10:00:00Z
       */
      readonly since?: string;
      /**
       * @description Before this time.
       * @example 2026-05-01T10:00:00Z
       */
      readonly until?: string;
    };
    readonly RedriveDeadLetters: {
      readonly selection: components['schemas']['DeadLetterSelection'];
      /** @description The oldest ones, at most this many; 100 by default. */
      readonly limit?: number;
      /** @description Shows what would be done and writes nothing, not even the audit. */
      readonly dryRun?: boolean;
      /** @description Recorded in the audit with the caller and the time; required unless `dryRun`. */
      readonly reason?: string;
      /** @description Includes dead letters that have already been handled. */
      readonly again?: boolean;
      /** @description Includes dead letters that have come back three times. */
      readonly force?: boolean;
      /** @description Includes notifications with an unknown outcome, which may have been sent already. */
      readonly acceptDuplicates?: boolean;
    };
    readonly EditDeadLetters: {
      readonly selection: components['schemas']['DeadLetterSelection'];
      /** @description The oldest ones, at most this many; 100 by default. */
      readonly limit?: number;
      /** @description Shows what would be done and writes nothing, not even the audit. */
      readonly dryRun?: boolean;
      /** @description Recorded in the audit with the caller and the time; required unless `dryRun`. */
      readonly reason?: string;
      /** @description Includes dead letters that have already been handled. */
      readonly again?: boolean;
      /** @description Includes dead letters that have come back three times. */
      readonly force?: boolean;
      /** @description Includes notifications with an unknown outcome, which may have been sent already. */
      readonly acceptDuplicates?: boolean;
      /** @description A JSON merge patch (RFC 7396) of the payload, of 50 fields at most; null removes a field. */
      readonly patch?: {
        readonly [key: string]: unknown;
      };
      /** @description Headers to set, such as `kafka_replyTopic`: 20 at most, with 1000 characters each; null removes one. */
      readonly headers?: {
        readonly [key: string]: string | null;
      };
    };
    readonly DiscardDeadLetters: {
      readonly selection: components['schemas']['DeadLetterSelection'];
      /** @description The oldest ones, at most this many; 100 by default. */
      readonly limit?: number;
      /** @description Shows what would be done and writes nothing, not even the audit. */
      readonly dryRun?: boolean;
      /** @description Recorded in the audit with the caller and the time; required unless `dryRun`. */
      readonly reason?: string;
      /** @description Includes dead letters that have already been handled. */
      readonly again?: boolean;
    };
    readonly MarkDeadLettersSent: {
      readonly selection: components['schemas']['DeadLetterSelection'];
      /** @description The oldest ones, at most this many; 100 by default. */
      readonly limit?: number;
      /** @description Shows what would be done and writes nothing, not even the audit. */
      readonly dryRun?: boolean;
      /** @description Recorded in the audit with the caller and the time; required unless `dryRun`. */
      readonly reason?: string;
      /** @description Includes dead letters that have already been handled. */
      readonly again?: boolean;
    };
    readonly DeadLetterResult: {
      /** @description `topic/partition/offset` on the dead-letter topic. */
      readonly id: string;
      readonly code: string;
      /** @enum {string} */
      readonly result:
        | 'redriven'
        | 'edited'
        | 'discarded'
        | 'marked-sent'
        | 'would-redrive'
        | 'would-edit'
        | 'would-discard'
        | 'would-mark-sent'
        | 'skipped'
        | 'refused'
        | 'failed';
      /** @description The topic to which it was sent, or would be. */
      readonly to?: string;
      /** @description Why it was skipped, refused or failed. */
      readonly why?: string;
      /**
       * @description The field of the body with which it would not have been skipped or refused.
       * @enum {string}
       */
      readonly override?: 'again' | 'force' | 'acceptDuplicates';
      /** @description Ignored fields of an edited payload, as `code;path`. */
      readonly warnings?: readonly string[];
    };
    readonly DeadLetterResults: {
      /** @description Id of the call, as in the audit. */
      readonly run: string;
      readonly dryRun: boolean;
      /** @description Dead letters by result, with those that are not listed. */
      readonly counts: components['schemas']['DeadLetterCounts'];
      /**
       * Format: int64
       * @description Skipped ones that are not listed: the first 100 are.
       */
      readonly notListed: number;
      readonly letters: readonly components['schemas']['DeadLetterResult'][];
    };
    readonly ListedOutboxMessage: {
      /**
       * Format: uuid
       * @description Id of the notification.
       */
      readonly id: string;
      /** @enum {string} */
      readonly channel: 'sms' | 'email';
      readonly sender: string;
      readonly receiver: string;
      /** @description Empty for an SMS. */
      readonly subject: string;
      /** Format: date-time */
      readonly writtenAt: string;
      /** Format: int64 */
      readonly bytes: number;
    };
    readonly OutboxMessages: {
      readonly messages: readonly components['schemas']['ListedOutboxMessage'][];
    };
    readonly OutboxMessage: {
      /**
       * Format: uuid
       * @description Id of the notification.
       */
      readonly id: string;
      /** @enum {string} */
      readonly channel: 'sms' | 'email';
      readonly sender: string;
      readonly receiver: string;
      /** @description Empty for an SMS. */
      readonly subject: string;
      /** @description The header lines. */
      readonly headers: readonly string[];
      /** @description The first text part; the source of an e-mail that has HTML only. */
      readonly text: string;
      /** @description Address of the HTML part for a frame, without scripts and resources; valid for five minutes, without a token. */
      readonly htmlAddress?: string;
      /** @description Names of the attached files. */
      readonly files: readonly string[];
      /** @description Address of the e-mail as a file. */
      readonly source?: string;
    };
    readonly CatalogueProductVersion: {
      /**
       * Format: int64
       * @description Number of the version.
       */
      readonly version: number;
      /** @description GUID of the version. */
      readonly id: string | null;
      /** @description `Draft`, `VersionDraft`, `Approved` or `Closed`; only Approved versions are used. */
      readonly status: string | null;
      /**
       * Format: date
       * @description First day; null: open.
       */
      readonly validFrom: string | null;
      /**
       * Format: date
       * @description Last day; null: open.
       */
      readonly validTo: string | null;
      /** @description Absent if it cannot be read. */
      readonly name?: string;
    };
    readonly CatalogueProduct: {
      /** @description Code of the product. */
      readonly code: string;
      /** @description Name of the latest Approved version, otherwise of the latest; absent if it cannot be read. */
      readonly name?: string;
      /** @description Product type of the latest Approved version, otherwise of the latest; absent if it cannot be read. */
      readonly type?: string;
      /** @description ISO 4217 code of the latest Approved version, otherwise of the latest; absent if it cannot be read. */
      readonly currency?: string;
      /**
       * Format: int64
       * @description Number of its versions.
       */
      readonly versionCount: number;
      /** @description The latest 200 at most, by ascending number. */
      readonly versions: readonly components['schemas']['CatalogueProductVersion'][];
    };
    readonly CatalogueProductPage: {
      /** @description By code. */
      readonly products: readonly components['schemas']['CatalogueProduct'][];
      /**
       * Format: int64
       * @description Products that match, on all pages.
       */
      readonly count: number;
      /**
       * Format: int64
       * @description Products of the catalogue.
       */
      readonly total: number;
      /** @description False: the topic cannot be read at the moment, or has more records than an instance keeps. */
      readonly isComplete: boolean;
      /** @description For the next page; absent on the last one. */
      readonly nextCursor?: string;
    };
    readonly CatalogueProductReply: {
      /** @description Code of the product. */
      readonly code: string;
      /** @description Name of the latest Approved version, otherwise of the latest; absent if it cannot be read. */
      readonly name?: string;
      /** @description Product type of the latest Approved version, otherwise of the latest; absent if it cannot be read. */
      readonly type?: string;
      /** @description ISO 4217 code of the latest Approved version, otherwise of the latest; absent if it cannot be read. */
      readonly currency?: string;
      /**
       * Format: int64
       * @description Number of its versions.
       */
      readonly versionCount: number;
      /** @description The latest 200 at most, by ascending number. */
      readonly versions: readonly components['schemas']['CatalogueProductVersion'][];
      /** @description False: the topic cannot be read at the moment, or has more records than an instance keeps. */
      readonly isComplete: boolean;
    };
    /** @description All fields of the record, as in a file of the catalogue (docs/catalogue.md), those left out with their defaults. */
    readonly CatalogueRecordFields: {
      readonly [key: string]: unknown;
    };
    readonly CatalogueList: {
      /** @enum {string} */
      readonly kind: 'interest-list' | 'commission-list' | 'insurance-list' | 'discount-list' | 'custom-list';
      /** @description Code of the list. */
      readonly code: string;
      /**
       * Format: int64
       * @description Number of the version in force.
       */
      readonly version?: number;
      readonly record?: components['schemas']['CatalogueRecordFields'];
      /** @description Why there is no record: then workers do not use it either. */
      readonly fault?: string;
    };
    readonly CatalogueVersionReply: {
      /** @description Code of the product. */
      readonly code: string;
      /**
       * Format: int64
       * @description Number of the version.
       */
      readonly version: number;
      /** @description GUID of the version. */
      readonly id: string | null;
      /** @description `Draft`, `VersionDraft`, `Approved` or `Closed`; only Approved versions are used. */
      readonly status: string | null;
      /**
       * Format: date
       * @description First day; null: open.
       */
      readonly validFrom: string | null;
      /**
       * Format: date
       * @description Last day; null: open.
       */
      readonly validTo: string | null;
      readonly product?: components['schemas']['CatalogueRecordFields'];
      /** @description Why there is no record: then workers do not use it either. */
      readonly fault?: string;
      /** @description The lists to which it refers, directly or by filters, in the version in force now. */
      readonly lists: readonly components['schemas']['CatalogueList'][];
      /** @description False: the topic cannot be read at the moment, or has more records than an instance keeps. */
      readonly isComplete: boolean;
    };
    /** @description What the text says, for texts in other languages. */
    readonly SystemFindingParameters: {
      /** @description Name of the process in `processes`. */
      readonly process?: string;
      /** @description Name of the worker. */
      readonly worker?: string;
      /**
       * @description Health of the worker.
       * @enum {string}
       */
      readonly status?: 'ready' | 'starting' | 'degraded' | 'unhealthy';
      /** @description Reason of the worker, in English. */
      readonly reason?: string;
      /**
       * @description Stable code of `fault`. `no-answer`: not within the time limit. `unreachable`: no connection. `unexpected-answer`: not that of a health port of this system. `broker-unavailable`, `broker-refused`: as for calls. `failed`: anything else.
       * @enum {string}
       */
      readonly faultCode?:
        | 'no-answer'
        | 'unreachable'
        | 'unexpected-answer'
        | 'broker-unavailable'
        | 'broker-refused'
        | 'failed';
      /** @description What `fault` says beyond its code, such as `ECONNREFUSED` or a time limit; technical. */
      readonly faultDetail?: string;
      /** @description The topic that the group reads. */
      readonly topic?: string;
      /**
       * Format: int64
       * @description Messages that wait.
       */
      readonly waiting?: number;
      /**
       * Format: int64
       * @description Time since a message was completed.
       */
      readonly seconds?: number;
      /**
       * @description Of a breaker, or of what failed.
       * @enum {string}
       */
      readonly kind?: 'consumer' | 'provider' | 'request' | 'message';
      /**
       * @description State of the breaker.
       * @enum {string}
       */
      readonly state?: 'half-open' | 'open';
      /**
       * Format: int64
       * @description How many failed.
       */
      readonly failed?: number;
      /**
       * Format: int64
       * @description How many ended, or are open.
       */
      readonly count?: number;
      /**
       * Format: date-time
       * @description Time of the oldest dead letter.
       */
      readonly since?: string;
    };
    readonly SystemFinding: {
      /**
       * @description `critical`: work is not done or fails. `warning`: it may soon be, or cannot be judged.
       * @enum {string}
       */
      readonly severity: 'warning' | 'critical';
      /**
       * @description Stable code of the finding.
       * @enum {string}
       */
      readonly code:
        | 'broker-unreadable'
        | 'process-unreadable'
        | 'worker-not-ready'
        | 'group-without-members'
        | 'group-without-progress'
        | 'breaker-open'
        | 'requests-failing'
        | 'catalogue-absent'
        | 'dead-letters-open'
        | 'notifications-parked';
      /** @description What it is about: a process, group, provider or action. */
      readonly subject: string;
      /** @description What was found, for an operator, in English. */
      readonly text: string;
      readonly parameters: components['schemas']['SystemFindingParameters'];
    };
    readonly SystemBroker: {
      /**
       * @description `embedded`: all messages are in this process.
       * @enum {string}
       */
      readonly kind: 'embedded' | 'kafka';
      /** @description Why it cannot be read at the moment; what is shown was read before. */
      readonly fault?: string;
      /**
       * @description Stable code of `fault`. `no-answer`: not within the time limit. `unreachable`: no connection. `unexpected-answer`: not that of a health port of this system. `broker-unavailable`, `broker-refused`: as for calls. `failed`: anything else.
       * @enum {string}
       */
      readonly faultCode?:
        | 'no-answer'
        | 'unreachable'
        | 'unexpected-answer'
        | 'broker-unavailable'
        | 'broker-refused'
        | 'failed';
      /** @description What `fault` says beyond its code, such as `ECONNREFUSED` or a time limit; technical. */
      readonly faultDetail?: string;
      /**
       * Format: date-time
       * @description With `fault`: when it was last read; absent if it was never read.
       */
      readonly lastReadAt?: string;
    };
    readonly SystemWorker: {
      /** @description Name of the worker, or `storage` or `clock`. */
      readonly name: string;
      /**
       * @description Its health.
       * @enum {string}
       */
      readonly status: 'ready' | 'starting' | 'degraded' | 'unhealthy';
      /** @description Reason for an operator, unless it is ready. */
      readonly reason?: string;
    };
    readonly SystemProcess: {
      /** @description `this`: the answering instance. Otherwise host and port of its address. */
      readonly name: string;
      /**
       * Format: date-time
       * @description When it was started.
       */
      readonly startedAt?: string;
      /** @description Its workers. */
      readonly workers: readonly components['schemas']['SystemWorker'][];
      /** @description Why it cannot be read at the moment; what is shown was read before. */
      readonly fault?: string;
      /**
       * @description Stable code of `fault`. `no-answer`: not within the time limit. `unreachable`: no connection. `unexpected-answer`: not that of a health port of this system. `broker-unavailable`, `broker-refused`: as for calls. `failed`: anything else.
       * @enum {string}
       */
      readonly faultCode?:
        | 'no-answer'
        | 'unreachable'
        | 'unexpected-answer'
        | 'broker-unavailable'
        | 'broker-refused'
        | 'failed';
      /** @description What `fault` says beyond its code, such as `ECONNREFUSED` or a time limit; technical. */
      readonly faultDetail?: string;
      /**
       * Format: date-time
       * @description With `fault`: when it was last read; absent if it was never read.
       */
      readonly lastReadAt?: string;
    };
    readonly SystemMember: {
      /** @description Id in the group; a member that joins again may get another. */
      readonly memberId: string;
      /** @description Which consumer it is, the same in all processes. */
      readonly clientId: string;
      /** @description Address from which it is connected to Kafka. */
      readonly host?: string;
      /** @description The partitions that it reads. */
      readonly partitions: readonly number[];
    };
    readonly SystemPartition: {
      /**
       * Format: int64
       * @description Number of the partition.
       */
      readonly partition: number;
      /**
       * Format: int64
       * @description Messages that the group has not completed.
       */
      readonly lag: number;
      /**
       * Format: int64
       * @description The next offset to be written.
       */
      readonly end: number;
      /**
       * Format: int64
       * @description The next offset to be completed; absent: none was.
       */
      readonly committed?: number;
    };
    readonly SystemGroup: {
      /** @description Id of the consumer group. */
      readonly groupId: string;
      /** @description The worker whose instances are its members. */
      readonly worker: string;
      /** @description The topic that it reads. */
      readonly topic: string;
      /**
       * @description `rebalancing`: the partitions are being divided anew. `empty`: it has no member.
       * @enum {string}
       */
      readonly state: 'stable' | 'rebalancing' | 'empty';
      /** @description Whether its messages wait by intent, until they are due: then lag is normal. */
      readonly delayed: boolean;
      /**
       * Format: int64
       * @description Messages of all partitions that it has not completed.
       */
      readonly lag: number;
      /** @description Its members. */
      readonly members: readonly components['schemas']['SystemMember'][];
      /** @description The partitions of the topic; none if it does not exist. */
      readonly partitions: readonly components['schemas']['SystemPartition'][];
    };
    readonly SystemRate: {
      /** @description Name of the process in `processes`. */
      readonly process: string;
      /**
       * @description `request`: HTTP, by action or route. `message`: from its delivery to its acknowledged reply, by worker. `provider`: calls of a provider.
       * @enum {string}
       */
      readonly kind: 'request' | 'message' | 'provider';
      /** @description Action, worker or provider. */
      readonly name: string;
      /**
       * Format: int64
       * @description How many ended in the window.
       */
      readonly count: number;
      /** @description Mean rate in the window. */
      readonly perSecond: number;
      /**
       * Format: int64
       * @description How many of them failed unexpectedly: HTTP status 5xx, or a bug.
       */
      readonly failed: number;
      /** @description Median duration; absent if there was none. */
      readonly p50Ms?: number;
      /** @description 99 of 100 took no longer; interpolated between bounds of the histogram, 10,000 at most. */
      readonly p99Ms?: number;
      /** @description Length of the window, 65 at most, or since the start of the process if it was not watched. */
      readonly windowSeconds: number;
    };
    readonly SystemBreaker: {
      /** @description Name of the process in `processes`. */
      readonly process: string;
      /**
       * @description What it stops while it is open.
       * @enum {string}
       */
      readonly kind: 'consumer' | 'provider';
      /** @description Name of the consumer or provider. */
      readonly name: string;
      /**
       * @description `half-open`: it tries again.
       * @enum {string}
       */
      readonly state: 'closed' | 'half-open' | 'open';
    };
    /** @description The product catalogue; absent until the broker was read. */
    readonly SystemCatalogue: {
      /**
       * Format: int64
       * @description Number of changes that were published so far: it grows with each one.
       */
      readonly version: number;
      /**
       * Format: date-time
       * @description Time of the last change.
       */
      readonly changedAt?: string;
    };
    readonly SystemState: {
      /**
       * Format: date-time
       * @description When this state was observed.
       */
      readonly at: string;
      /**
       * @description The most severe finding, or `ok`.
       * @enum {string}
       */
      readonly status: 'ok' | 'warning' | 'critical';
      /** @description Release of the answering instance. */
      readonly version: string;
      /** @description What needs attention, the most severe first. */
      readonly findings: readonly components['schemas']['SystemFinding'][];
      readonly broker: components['schemas']['SystemBroker'];
      /** @description The answering instance, and those of SYSTEM_PROCESS_URLS. */
      readonly processes: readonly components['schemas']['SystemProcess'][];
      /** @description The consumer groups of all workers. */
      readonly groups: readonly components['schemas']['SystemGroup'][];
      /** @description Rates and durations of the last minute, by process. */
      readonly rates: readonly components['schemas']['SystemRate'][];
      /** @description The circuit breakers of the processes. */
      readonly breakers: readonly components['schemas']['SystemBreaker'][];
      readonly catalogue?: components['schemas']['SystemCatalogue'];
    };
    readonly SystemStateEvent: {
      /**
       * @description Name of the event.
       * @constant
       */
      readonly event: 'system';
      readonly data: components['schemas']['SystemState'];
    };
    readonly StreamEnd: {
      /**
       * @description `renew`: connect again at once. `stopping`: the instance is shutting down.
       * @enum {string}
       */
      readonly reason: 'renew' | 'stopping';
    };
    readonly StreamEndEvent: {
      /**
       * @description Name of the event.
       * @constant
       */
      readonly event: 'end';
      readonly data: components['schemas']['StreamEnd'];
    };
    readonly SystemEvent: components['schemas']['SystemStateEvent'] | components['schemas']['StreamEndEvent'];
    readonly SystemSetting: {
      /** @description Name of the environment variable. */
      readonly name: string;
      /**
       * @description `set`: by the variable itself. `file`: by a file that a variable names.
       * @enum {string}
       */
      readonly source: 'default' | 'set' | 'file';
      /** @description The value in effect; absent if there is none, and for secrets, addresses, users and paths that were set. */
      readonly value?: string;
    };
    readonly SystemSettings: {
      /** @description All settings, in their documented order. */
      readonly settings: readonly components['schemas']['SystemSetting'][];
    };
    readonly PartHealth: {
      /** @enum {string} */
      readonly status: 'ready' | 'starting' | 'degraded' | 'unhealthy';
      /** @description Reason for an operator. */
      readonly reason?: string;
    };
    readonly Health: {
      /** @enum {string} */
      readonly status: 'ready' | 'starting' | 'degraded' | 'unhealthy';
      /** @description Reason for an operator. */
      readonly reason?: string;
      /** @description The parts of the ingress by name; they determine readiness. */
      readonly parts: {
        readonly [key: string]: components['schemas']['PartHealth'];
      };
      /** @description The other workers of the process by name; an unhealthy one fails liveness. */
      readonly workers: {
        readonly [key: string]: components['schemas']['PartHealth'];
      };
    };
  };
  responses: {
    /** @description `malformed-http`: This is not a valid HTTP request. `malformed-json`: The body is not valid JSON. `empty-body`: The body is empty. `invalid-request`: The request has missing or invalid fields. `undecodable-message`: The message cannot be decoded. */
    readonly Problem400: {
      headers: {
        readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description `unauthenticated`: A valid access token is required. */
    readonly Problem401: {
      headers: {
        readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
        readonly 'WWW-Authenticate': components['headers']['WWW-Authenticate'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description `forbidden`: The caller may not do this. */
    readonly Problem403: {
      headers: {
        readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
        readonly 'WWW-Authenticate': components['headers']['WWW-Authenticate'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description `not-found`: There is nothing at this address. `unknown-action`: There is no action of this name. `unknown-product`: There is no such product. `unknown-notification`: There is no such notification. */
    readonly Problem404: {
      headers: {
        readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
        readonly Warnings: components['headers']['Warnings'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description `method-not-allowed`: The address does not support this method. */
    readonly Problem405: {
      headers: {
        readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
        readonly Allow: components['headers']['Allow'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description `request-timeout`: The request did not arrive in time. */
    readonly Problem408: {
      headers: {
        readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description `idempotency-conflict`: The Idempotency-Key was used with another request. */
    readonly Problem409: {
      headers: {
        readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description `result-gone`: The result is no longer kept. */
    readonly Problem410: {
      headers: {
        readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description `body-too-large`: The body is larger than allowed. `attachments-too-large`: The attachments are larger than allowed. */
    readonly Problem413: {
      headers: {
        readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description `unsupported-media-type`: The content type is not supported. */
    readonly Problem415: {
      headers: {
        readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
        readonly 'Accept-Post': components['headers']['Accept-Post'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description `reply-too-large`: The answer is larger than a message may be. `country-not-allowed`: Messages to this country are not allowed. `too-many-records`: More records would have to be read than a call may. `not-computable`: The request cannot be computed. */
    readonly Problem422: {
      headers: {
        readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
        readonly Warnings: components['headers']['Warnings'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description `rate-limited`: Too many requests. `quota-exceeded`: A quota of notifications is used up. */
    readonly Problem429: {
      headers: {
        readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
        readonly 'Retry-After': components['headers']['Retry-After'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description `headers-too-large`: The header fields are larger than allowed. */
    readonly Problem431: {
      headers: {
        readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description `unexpected`: The request failed unexpectedly. */
    readonly Problem500: {
      headers: {
        readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
        readonly Warnings: components['headers']['Warnings'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description `broker-unavailable`: The message broker cannot be reached. `keys-unavailable`: Access tokens cannot be checked. `no-provider`: No provider is configured for this channel. `not-ready`: This instance is not ready for traffic. `overloaded`: Too many requests are waiting for a reply. */
    readonly Problem503: {
      headers: {
        readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
        readonly 'Retry-After': components['headers']['Retry-After'];
        readonly Warnings: components['headers']['Warnings'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/problem+json': components['schemas']['Problem'];
      };
    };
    /** @description `reply-timeout`: No reply came in time. `accept-unknown`: It is not known whether the notification was accepted. `deadline-exceeded`: The deadline of the request had passed. */
    readonly Problem504: {
      headers: {
        readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
        readonly Warnings: components['headers']['Warnings'];
        readonly [name: string]: unknown;
      };
      content: {
        readonly 'application/problem+json': components['schemas']['Problem'];
      };
    };
  };
  parameters: {
    /**
     * @description `wait=<seconds>`: the longest time that the caller waits. `respond-async`: the answer is the 202 of `callAction`, with the address of the result.
     * @example wait=5
     */
    readonly Prefer: string;
    /**
     * @description Id of the request in logs and problem documents; 1 to 128 visible ASCII characters. Absent: `X-Request-Id`, or a new id.
     * @example loan-4711
     */
    readonly 'X-Correlation-Id': string;
    /**
     * @description W3C trace context; passed on with the request.
     * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
     */
    readonly traceparent: string;
    /**
     * @description The `ETag` of an earlier answer: 304 if the answer would be the same.
     * @example W/"5Ka7cYbGvqUaVNpzkKJxBg"
     */
    readonly 'If-None-Match': string;
  };
  requestBodies: never;
  headers: {
    /** @description The id of this request in the logs. */
    readonly 'X-Correlation-Id': string;
    /**
     * @description Fields without effect, or with values from the catalogue: a comma-separated list of `code;path`, ASCII, truncated at 4 KiB with `truncated` at its end. Codes: `unknown-member`, `no-effect`, `unknown-name`, `ambiguous-name`, `from-catalogue`, `unknown-filter`.
     * @example unknown-member;jsonParam.amount, no-effect;jsonParam.ContractPeriod
     */
    readonly Warnings: string;
    /**
     * @description The holiday calendar that the due dates were checked against and the version of its holidays: `name;version=...`, ASCII, at most 1,024 characters. Absent without a calendar.
     * @example RO;version=2026.1
     */
    readonly 'Holiday-Calendar': string;
    /** @description Address of the result. */
    readonly Location: string;
    /** @description The preference that was followed. */
    readonly 'Preference-Applied': string;
    /** @description Whole seconds to wait before the next attempt. */
    readonly 'Retry-After': number;
    /** @description The methods that the path supports. */
    readonly Allow: string;
    /** @description The content type that the path accepts. */
    readonly 'Accept-Post': string;
    /** @description The required kind of token, or the scope that it lacks. */
    readonly 'WWW-Authenticate': string;
    /** @description The sandbox in which a browser shows the page, without scripts and without requests. */
    readonly 'Content-Security-Policy': string;
    /** @description Identifies the content of the answer. */
    readonly ETag: string;
    /** @description `no-referrer`. */
    readonly 'Referrer-Policy': string;
  };
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  readonly calculateRepaymentSchedule: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /**
         * @description `wait=<seconds>`: the longest time that the caller waits. `respond-async`: the answer is the 202 of `callAction`, with the address of the result.
         * @example wait=5
         */
        readonly Prefer?: components['parameters']['Prefer'];
        /**
         * @description Id of the request in logs and problem documents; 1 to 128 visible ASCII characters. Absent: `X-Request-Id`, or a new id.
         * @example loan-4711
         */
        readonly 'X-Correlation-Id'?: components['parameters']['X-Correlation-Id'];
        /**
         * @description W3C trace context; passed on with the request.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        readonly traceparent?: components['parameters']['traceparent'];
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['CalculateRepaymentScheduleRequest'];
      };
    };
    readonly responses: {
      /** @description The answer, without a wrapper. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly Warnings: components['headers']['Warnings'];
          readonly 'Holiday-Calendar': components['headers']['Holiday-Calendar'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['CalculateRepaymentScheduleReply'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 404: components['responses']['Problem404'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 413: components['responses']['Problem413'];
      readonly 415: components['responses']['Problem415'];
      readonly 422: components['responses']['Problem422'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
      readonly 504: components['responses']['Problem504'];
    };
  };
  readonly calculatePmt: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /**
         * @description `wait=<seconds>`: the longest time that the caller waits. `respond-async`: the answer is the 202 of `callAction`, with the address of the result.
         * @example wait=5
         */
        readonly Prefer?: components['parameters']['Prefer'];
        /**
         * @description Id of the request in logs and problem documents; 1 to 128 visible ASCII characters. Absent: `X-Request-Id`, or a new id.
         * @example loan-4711
         */
        readonly 'X-Correlation-Id'?: components['parameters']['X-Correlation-Id'];
        /**
         * @description W3C trace context; passed on with the request.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        readonly traceparent?: components['parameters']['traceparent'];
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['CalculatePMTRequest'];
      };
    };
    readonly responses: {
      /** @description The answer, without a wrapper. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly Warnings: components['headers']['Warnings'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['CalculatePMTReply'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 404: components['responses']['Problem404'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 413: components['responses']['Problem413'];
      readonly 415: components['responses']['Problem415'];
      readonly 422: components['responses']['Problem422'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
      readonly 504: components['responses']['Problem504'];
    };
  };
  readonly calculateRate: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /**
         * @description `wait=<seconds>`: the longest time that the caller waits. `respond-async`: the answer is the 202 of `callAction`, with the address of the result.
         * @example wait=5
         */
        readonly Prefer?: components['parameters']['Prefer'];
        /**
         * @description Id of the request in logs and problem documents; 1 to 128 visible ASCII characters. Absent: `X-Request-Id`, or a new id.
         * @example loan-4711
         */
        readonly 'X-Correlation-Id'?: components['parameters']['X-Correlation-Id'];
        /**
         * @description W3C trace context; passed on with the request.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        readonly traceparent?: components['parameters']['traceparent'];
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['CalculateRateRequest'];
      };
    };
    readonly responses: {
      /** @description The answer, without a wrapper. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly Warnings: components['headers']['Warnings'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['CalculateRateReply'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 404: components['responses']['Problem404'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 413: components['responses']['Problem413'];
      readonly 415: components['responses']['Problem415'];
      readonly 422: components['responses']['Problem422'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
      readonly 504: components['responses']['Problem504'];
    };
  };
  readonly getBankingProductByCode: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /**
         * @description `wait=<seconds>`: the longest time that the caller waits. `respond-async`: the answer is the 202 of `callAction`, with the address of the result.
         * @example wait=5
         */
        readonly Prefer?: components['parameters']['Prefer'];
        /**
         * @description Id of the request in logs and problem documents; 1 to 128 visible ASCII characters. Absent: `X-Request-Id`, or a new id.
         * @example loan-4711
         */
        readonly 'X-Correlation-Id'?: components['parameters']['X-Correlation-Id'];
        /**
         * @description W3C trace context; passed on with the request.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        readonly traceparent?: components['parameters']['traceparent'];
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['GetBankingProductByCodeRequest'];
      };
    };
    readonly responses: {
      /** @description The answer, without a wrapper. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly Warnings: components['headers']['Warnings'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['GetBankingProductByCodeReply'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 404: components['responses']['Problem404'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 413: components['responses']['Problem413'];
      readonly 415: components['responses']['Problem415'];
      readonly 422: components['responses']['Problem422'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
      readonly 504: components['responses']['Problem504'];
    };
  };
  readonly getBankingProductDetails: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /**
         * @description `wait=<seconds>`: the longest time that the caller waits. `respond-async`: the answer is the 202 of `callAction`, with the address of the result.
         * @example wait=5
         */
        readonly Prefer?: components['parameters']['Prefer'];
        /**
         * @description Id of the request in logs and problem documents; 1 to 128 visible ASCII characters. Absent: `X-Request-Id`, or a new id.
         * @example loan-4711
         */
        readonly 'X-Correlation-Id'?: components['parameters']['X-Correlation-Id'];
        /**
         * @description W3C trace context; passed on with the request.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        readonly traceparent?: components['parameters']['traceparent'];
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['GetBankingProductDetailsRequest'];
      };
    };
    readonly responses: {
      /** @description The answer, without a wrapper. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly Warnings: components['headers']['Warnings'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['GetBankingProductDetailsReply'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 404: components['responses']['Problem404'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 413: components['responses']['Problem413'];
      readonly 415: components['responses']['Problem415'];
      readonly 422: components['responses']['Problem422'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
      readonly 504: components['responses']['Problem504'];
    };
  };
  readonly getProductInsuranceList: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /**
         * @description `wait=<seconds>`: the longest time that the caller waits. `respond-async`: the answer is the 202 of `callAction`, with the address of the result.
         * @example wait=5
         */
        readonly Prefer?: components['parameters']['Prefer'];
        /**
         * @description Id of the request in logs and problem documents; 1 to 128 visible ASCII characters. Absent: `X-Request-Id`, or a new id.
         * @example loan-4711
         */
        readonly 'X-Correlation-Id'?: components['parameters']['X-Correlation-Id'];
        /**
         * @description W3C trace context; passed on with the request.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        readonly traceparent?: components['parameters']['traceparent'];
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['GetProductInsuranceListRequest'];
      };
    };
    readonly responses: {
      /** @description The answer, without a wrapper. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly Warnings: components['headers']['Warnings'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['GetProductInsuranceListReply'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 404: components['responses']['Problem404'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 413: components['responses']['Problem413'];
      readonly 415: components['responses']['Problem415'];
      readonly 422: components['responses']['Problem422'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
      readonly 504: components['responses']['Problem504'];
    };
  };
  readonly getProductDocuments: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /**
         * @description `wait=<seconds>`: the longest time that the caller waits. `respond-async`: the answer is the 202 of `callAction`, with the address of the result.
         * @example wait=5
         */
        readonly Prefer?: components['parameters']['Prefer'];
        /**
         * @description Id of the request in logs and problem documents; 1 to 128 visible ASCII characters. Absent: `X-Request-Id`, or a new id.
         * @example loan-4711
         */
        readonly 'X-Correlation-Id'?: components['parameters']['X-Correlation-Id'];
        /**
         * @description W3C trace context; passed on with the request.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        readonly traceparent?: components['parameters']['traceparent'];
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['GetProductDocumentsRequest'];
      };
    };
    readonly responses: {
      /** @description The answer, without a wrapper. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly Warnings: components['headers']['Warnings'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['GetProductDocumentsReply'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 404: components['responses']['Problem404'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 413: components['responses']['Problem413'];
      readonly 415: components['responses']['Problem415'];
      readonly 422: components['responses']['Problem422'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
      readonly 504: components['responses']['Problem504'];
    };
  };
  readonly simulate: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /**
         * @description `wait=<seconds>`: the longest time that the caller waits. `respond-async`: the answer is the 202 of `callAction`, with the address of the result.
         * @example wait=5
         */
        readonly Prefer?: components['parameters']['Prefer'];
        /**
         * @description Id of the request in logs and problem documents; 1 to 128 visible ASCII characters. Absent: `X-Request-Id`, or a new id.
         * @example loan-4711
         */
        readonly 'X-Correlation-Id'?: components['parameters']['X-Correlation-Id'];
        /**
         * @description W3C trace context; passed on with the request.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        readonly traceparent?: components['parameters']['traceparent'];
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['SimulateRequest'];
      };
    };
    readonly responses: {
      /** @description The answer, without a wrapper. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly Warnings: components['headers']['Warnings'];
          readonly 'Holiday-Calendar': components['headers']['Holiday-Calendar'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['SimulateReply'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 404: components['responses']['Problem404'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 413: components['responses']['Problem413'];
      readonly 415: components['responses']['Problem415'];
      readonly 422: components['responses']['Problem422'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
      readonly 504: components['responses']['Problem504'];
    };
  };
  readonly callAction: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /**
         * @description `wait=<seconds>`: the longest time that the caller waits. `respond-async`: the answer is the 202 of `callAction`, with the address of the result.
         * @example wait=5
         */
        readonly Prefer?: components['parameters']['Prefer'];
        /**
         * @description Id of the request in logs and problem documents; 1 to 128 visible ASCII characters. Absent: `X-Request-Id`, or a new id.
         * @example loan-4711
         */
        readonly 'X-Correlation-Id'?: components['parameters']['X-Correlation-Id'];
        /**
         * @description W3C trace context; passed on with the request.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        readonly traceparent?: components['parameters']['traceparent'];
      };
      readonly path: {
        /** @description Name of the action, in any case. */
        readonly action: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['GenericRequest'];
      };
    };
    readonly responses: {
      /** @description The answer of the action, without a wrapper. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly Warnings: components['headers']['Warnings'];
          readonly 'Holiday-Calendar': components['headers']['Holiday-Calendar'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': unknown;
        };
      };
      /** @description With `Prefer: respond-async`: the request is stored, and the result can be fetched later. */
      readonly 202: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly Location: components['headers']['Location'];
          readonly 'Preference-Applied': components['headers']['Preference-Applied'];
          readonly 'Retry-After': components['headers']['Retry-After'];
          readonly Warnings: components['headers']['Warnings'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['PendingResult'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 404: components['responses']['Problem404'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 413: components['responses']['Problem413'];
      readonly 415: components['responses']['Problem415'];
      readonly 422: components['responses']['Problem422'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
      readonly 504: components['responses']['Problem504'];
    };
  };
  readonly getResult: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The resultId of the 202 answer. */
        readonly resultId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The answer of the action. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly Warnings: components['headers']['Warnings'];
          readonly 'Holiday-Calendar': components['headers']['Holiday-Calendar'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': unknown;
        };
      };
      /** @description The request is still being processed. */
      readonly 202: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly Location: components['headers']['Location'];
          readonly 'Preference-Applied': components['headers']['Preference-Applied'];
          readonly 'Retry-After': components['headers']['Retry-After'];
          readonly Warnings: components['headers']['Warnings'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['PendingResult'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 404: components['responses']['Problem404'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 410: components['responses']['Problem410'];
      readonly 422: components['responses']['Problem422'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
      readonly 504: components['responses']['Problem504'];
    };
  };
  readonly sendSms: {
    readonly parameters: {
      readonly query?: never;
      readonly header: {
        /** @description Always `1` at this path. */
        readonly 'X-Communication-Channel': '1';
        /** @description Always `platrealm` at this path. */
        readonly 'X-Sender-Id': 'platrealm';
        /** @description Makes retries safe: for 24 hours, the same key of the same caller gets the first answer, and 409 with another body. Printable ASCII. */
        readonly 'Idempotency-Key'?: string;
        /** @description As in RFC 8030: `high` for one-time passwords and other messages that must not wait behind others; all other values are treated as `normal`. */
        readonly Urgency?: 'very-low' | 'low' | 'normal' | 'high';
        /**
         * @description Id of the request in logs and problem documents; 1 to 128 visible ASCII characters. Absent: `X-Request-Id`, or a new id.
         * @example loan-4711
         */
        readonly 'X-Correlation-Id'?: components['parameters']['X-Correlation-Id'];
        /**
         * @description W3C trace context; passed on with the request.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        readonly traceparent?: components['parameters']['traceparent'];
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['SendSms'];
      };
    };
    readonly responses: {
      /** @description The notification is stored and will be sent to a provider. With Kafka, all in-sync replicas have it; the embedded broker has it on its disk, or with DATA_DIR=memory loses it when its process ends. */
      readonly 202: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly Location: components['headers']['Location'];
          readonly Warnings: components['headers']['Warnings'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['AcceptedNotification'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 409: components['responses']['Problem409'];
      readonly 413: components['responses']['Problem413'];
      readonly 415: components['responses']['Problem415'];
      readonly 422: components['responses']['Problem422'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
      readonly 504: components['responses']['Problem504'];
    };
  };
  readonly sendEmail: {
    readonly parameters: {
      readonly query?: never;
      readonly header: {
        /** @description Always `2` at this path. */
        readonly 'X-Communication-Channel': '2';
        /** @description Always `platrealm` at this path. */
        readonly 'X-Sender-Id': 'platrealm';
        /** @description Makes retries safe: for 24 hours, the same key of the same caller gets the first answer, and 409 with another body. Printable ASCII. */
        readonly 'Idempotency-Key'?: string;
        /** @description As in RFC 8030: `high` for one-time passwords and other messages that must not wait behind others; all other values are treated as `normal`. */
        readonly Urgency?: 'very-low' | 'low' | 'normal' | 'high';
        /**
         * @description Id of the request in logs and problem documents; 1 to 128 visible ASCII characters. Absent: `X-Request-Id`, or a new id.
         * @example loan-4711
         */
        readonly 'X-Correlation-Id'?: components['parameters']['X-Correlation-Id'];
        /**
         * @description W3C trace context; passed on with the request.
         * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
         */
        readonly traceparent?: components['parameters']['traceparent'];
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['SendEmail'];
      };
    };
    readonly responses: {
      /** @description The notification is stored and will be sent to a provider. With Kafka, all in-sync replicas have it; the embedded broker has it on its disk, or with DATA_DIR=memory loses it when its process ends. */
      readonly 202: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly Location: components['headers']['Location'];
          readonly Warnings: components['headers']['Warnings'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['AcceptedNotification'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 409: components['responses']['Problem409'];
      readonly 413: components['responses']['Problem413'];
      readonly 415: components['responses']['Problem415'];
      readonly 422: components['responses']['Problem422'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
      readonly 504: components['responses']['Problem504'];
    };
  };
  readonly getNotification: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The notificationId of the 202 answer. */
        readonly notificationId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Its status and attempts. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Notification'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 404: components['responses']['Problem404'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 503: components['responses']['Problem503'];
    };
  };
  readonly findNotifications: {
    readonly parameters: {
      readonly query: {
        /** @description The Idempotency-Key with which the notification was sent. */
        readonly reference: string;
        /** @description The subject that sent it; by default that of the token. Others require the scope `operations:read`. */
        readonly caller?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Finds notifications by Idempotency-Key. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['FoundNotifications'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 503: components['responses']['Problem503'];
    };
  };
  readonly getNotificationTimeline: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Id of the notification. */
        readonly notificationId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Returns the timeline of a notification. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['NotificationTimeline'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 404: components['responses']['Problem404'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 503: components['responses']['Problem503'];
    };
  };
  readonly listDeadLetters: {
    readonly parameters: {
      readonly query?: {
        /** @description A worker (`notification`, `schedule`), a dead-letter topic, or the topic that they came from, with or without the prefix. */
        readonly topic?: readonly string[];
        /** @description The problem code; a `*` at its end matches any rest, as in `smtp-5*`. */
        readonly code?: readonly string[];
        /** @description The message type, such as `SendSmsCommand`. */
        readonly type?: readonly string[];
        /** @description Notifications of this channel only. */
        readonly channel?: 'sms' | 'email';
        /** @description The message key, as text or in hexadecimal. */
        readonly key?: string;
        /** @description Not before this time. */
        readonly since?: string;
        /** @description Before this time. */
        readonly until?: string;
        /** @description The id of a dead letter, `topic/partition/offset`, or of a notification. */
        readonly id?: readonly string[];
        /** @description `true`: also those that were redriven, edited, discarded or marked as sent. */
        readonly all?: 'true' | 'false';
        /** @description Dead letters on the page; 50 by default. */
        readonly limit?: number;
        /** @description The `nextCursor` of the previous page. */
        readonly cursor?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Lists dead letters. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['DeadLetterPage'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
    };
  };
  readonly getDeadLetter: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The dead-letter topic. */
        readonly topic: string;
        /** @description Its partition. */
        readonly partition: number;
        /** @description Its offset. */
        readonly offset: number;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Returns a dead letter. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['DeadLetter'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 404: components['responses']['Problem404'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
    };
  };
  readonly redriveDeadLetters: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['RedriveDeadLetters'];
      };
    };
    readonly responses: {
      /** @description What was done with each dead letter, or would be. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['DeadLetterResults'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 413: components['responses']['Problem413'];
      readonly 415: components['responses']['Problem415'];
      readonly 422: components['responses']['Problem422'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
    };
  };
  readonly editDeadLetters: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['EditDeadLetters'];
      };
    };
    readonly responses: {
      /** @description What was done with each dead letter, or would be. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['DeadLetterResults'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 413: components['responses']['Problem413'];
      readonly 415: components['responses']['Problem415'];
      readonly 422: components['responses']['Problem422'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
    };
  };
  readonly discardDeadLetters: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['DiscardDeadLetters'];
      };
    };
    readonly responses: {
      /** @description What was done with each dead letter, or would be. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['DeadLetterResults'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 413: components['responses']['Problem413'];
      readonly 415: components['responses']['Problem415'];
      readonly 422: components['responses']['Problem422'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
    };
  };
  readonly markDeadLettersSent: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['MarkDeadLettersSent'];
      };
    };
    readonly responses: {
      /** @description What was done with each dead letter, or would be. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['DeadLetterResults'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 413: components['responses']['Problem413'];
      readonly 415: components['responses']['Problem415'];
      readonly 422: components['responses']['Problem422'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
    };
  };
  readonly listOutbox: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Lists the newest messages of the local outbox. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['OutboxMessages'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 404: components['responses']['Problem404'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
    };
  };
  readonly getOutboxMessage: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Id of the notification. */
        readonly messageId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Returns a message of the local outbox. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['OutboxMessage'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 404: components['responses']['Problem404'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
    };
  };
  readonly getOutboxHtml: {
    readonly parameters: {
      readonly query: {
        /** @description Valid for five minutes, instead of a token. */
        readonly ticket: string;
      };
      readonly header?: never;
      readonly path: {
        /** @description Id of the notification. */
        readonly messageId: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The HTML. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly 'Content-Security-Policy': components['headers']['Content-Security-Policy'];
          readonly 'Referrer-Policy': components['headers']['Referrer-Policy'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'text/html': string;
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 403: components['responses']['Problem403'];
      readonly 404: components['responses']['Problem404'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
    };
  };
  readonly listProducts: {
    readonly parameters: {
      readonly query?: {
        /** @description Words that occur in code, name or type; case and diacritics do not matter. */
        readonly search?: string;
        /** @description Products with an Approved version that is valid on this day, as 2026-05-01. */
        readonly validOn?: string;
        /** @description Products on the page; 50 by default. */
        readonly limit?: number;
        /** @description The `nextCursor` of the previous page. */
        readonly cursor?: string;
      };
      readonly header?: {
        /**
         * @description The `ETag` of an earlier answer: 304 if the answer would be the same.
         * @example W/"5Ka7cYbGvqUaVNpzkKJxBg"
         */
        readonly 'If-None-Match'?: components['parameters']['If-None-Match'];
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Lists the products of the catalogue. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly ETag: components['headers']['ETag'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['CatalogueProductPage'];
        };
      };
      /** @description The answer is that of `If-None-Match`. */
      readonly 304: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly ETag: components['headers']['ETag'];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
    };
  };
  readonly getCatalogueProduct: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /**
         * @description The `ETag` of an earlier answer: 304 if the answer would be the same.
         * @example W/"5Ka7cYbGvqUaVNpzkKJxBg"
         */
        readonly 'If-None-Match'?: components['parameters']['If-None-Match'];
      };
      readonly path: {
        /** @description Code of the product; case does not matter. */
        readonly code: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Returns the versions of a product. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly ETag: components['headers']['ETag'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['CatalogueProductReply'];
        };
      };
      /** @description The answer is that of `If-None-Match`. */
      readonly 304: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly ETag: components['headers']['ETag'];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 404: components['responses']['Problem404'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
    };
  };
  readonly getProductVersion: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /**
         * @description The `ETag` of an earlier answer: 304 if the answer would be the same.
         * @example W/"5Ka7cYbGvqUaVNpzkKJxBg"
         */
        readonly 'If-None-Match'?: components['parameters']['If-None-Match'];
      };
      readonly path: {
        /** @description Code of the product; case does not matter. */
        readonly code: string;
        /** @description Number of the version. */
        readonly version: number;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Returns a version of a product. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly ETag: components['headers']['ETag'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['CatalogueVersionReply'];
        };
      };
      /** @description The answer is that of `If-None-Match`. */
      readonly 304: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly ETag: components['headers']['ETag'];
          readonly [name: string]: unknown;
        };
        content?: never;
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 404: components['responses']['Problem404'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 500: components['responses']['Problem500'];
      readonly 503: components['responses']['Problem503'];
    };
  };
  readonly getSystem: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The state. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['SystemState'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 503: components['responses']['Problem503'];
    };
  };
  readonly followSystem: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The stream. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'text/event-stream': components['schemas']['SystemEvent'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 503: components['responses']['Problem503'];
    };
  };
  readonly getSystemSettings: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The settings. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['SystemSettings'];
        };
      };
      readonly 400: components['responses']['Problem400'];
      readonly 401: components['responses']['Problem401'];
      readonly 403: components['responses']['Problem403'];
      readonly 405: components['responses']['Problem405'];
      readonly 408: components['responses']['Problem408'];
      readonly 429: components['responses']['Problem429'];
      readonly 431: components['responses']['Problem431'];
      readonly 503: components['responses']['Problem503'];
    };
  };
  readonly getLiveness: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The process is alive. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Health'];
        };
      };
      readonly 403: components['responses']['Problem403'];
      /** @description The process needs a restart. */
      readonly 503: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Health'];
        };
      };
    };
  };
  readonly getReadiness: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description It accepts traffic. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Health'];
        };
      };
      readonly 403: components['responses']['Problem403'];
      /** @description It does not accept traffic; see reason. */
      readonly 503: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Health'];
        };
      };
    };
  };
  readonly getMetrics: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The metrics. */
      readonly 200: {
        headers: {
          readonly 'X-Correlation-Id': components['headers']['X-Correlation-Id'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'text/plain': string;
        };
      };
      readonly 403: components['responses']['Problem403'];
    };
  };
}
