/** The actions of the engine by the names of their methods, with the types of request and reply. */
import type { paths } from './document-types.ts';
import type { DocumentedReply } from './typed-call.ts';

/** Method of the client, and name of the action in the interface. */
export const ACTION_NAMES = {
  /** Calculates the instalments of a repayment schedule. */
  calculateRepaymentSchedule: 'PLAT_BP_CalculateRepaymentSchedule',
  /** Calculates the level payment of a loan or of a savings plan. */
  calculatePmt: 'PLAT_BP_CalculatePMT',
  /** Calculates the rate of cash flows, with its proof. */
  calculateRate: 'PLAT_BP_CalculateRate',
  /** Returns a banking product with the requested sections. */
  getBankingProductByCode: 'plat_bp_getbankingproductbycode',
  /** Returns the texts and images for displaying a banking product. */
  getBankingProductDetails: 'plat_bp_getbankingproductdetails',
  /** Returns the insurance items of a banking product that pass their filters. */
  getProductInsuranceList: 'PLAT_BP_GetProductInsuranceList',
  /** Returns the documents of a banking product. */
  getProductDocuments: 'plat_bp_getproductdocuments',
  /** Simulates a banking product: schedule, commissions, insurances and discounts of each offer. */
  simulate: 'PLAT_BP_Simulate',
} as const;

export type ActionName = keyof typeof ACTION_NAMES;

type ActionOperation<Name extends ActionName> =
  paths[`/platapi/automation-processors/actions/${(typeof ACTION_NAMES)[Name]}`]['post'];

/** The body of an action. The generic form is not needed: the client sends the token as a header. */
export type RequestOf<Name extends ActionName> =
  ActionOperation<Name>['requestBody']['content']['application/json'];

/** The answer of an action. */
export type ReplyOf<Name extends ActionName> = DocumentedReply<ActionOperation<Name>, 200>;
