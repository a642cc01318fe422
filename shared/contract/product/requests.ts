/**
 * The requests of the product look-ups on the wire: interface sections 4.2, 4.3, 4.5 and 4.6, and the extension `Date`.
 * Their members stand at the top of the body. Decides shape (400); which product is meant is the look-up's question.
 */

import { z } from 'zod';
import { date, flag, guid, optional, text, wanted } from '../json/field-kinds.ts';
import { emptyTextOr, namedFigures } from '../json/named-figures-shape.ts';

const A_REQUEST = { error: wanted('an object with the members of the request') };

const productCode = () =>
  optional(text()).describe('Code of the product, in any case. Mandatory unless its id is sent.');
const productId = () =>
  optional(guid()).describe(
    'Id of an approved version of the product. Mandatory unless productCode is sent; beside it, it must name the same product.',
  );
const day = () =>
  optional(date()).describe(
    'Extension. The day as of which products and their values are valid. Absent: the UTC day of the request.',
  );
const section = (name: string) => optional(flag()).describe(`True: answers ${name}.`);

/** The request of `plat_bp_getbankingproductbycode`. */
export const productByCodeMembers = z.object(
  {
    BankingProductCode: text().describe('Code of the product, in any case. Its approved version answers.'),
    displayBPAvailability: section('Availability, with filters and covenants'),
    displayBPDetails: section('Details.GeneralData'),
    displayBPDimensions: section('Dimensions, empty unless one of its sections is asked for as well'),
    displayInterestsAndCommissions: section('Dimensions.InterestsAndCommissions'),
    displayInsurance: section('Dimensions.Insurance'),
    displayDiscounts: section('Dimensions.Discounts'),
    displayQuestions: section('Dimensions.Questions'),
    displayCountryCalendars: section('Details.CountryCalendars'),
    displayPaymentScheduleTypes: section('Details.AssociatedPaymentScheduleTypes'),
    displayProductGuarantees: section('Details.ProductGuarantees'),
    displayProductDestinationTypes: section('Details.ProductDestinationTypes'),
    displayDisbursementMatrix: section('Details.DisbursementMatrix'),
    displayAssociatedProducts: section('Details.AssociatedProducts'),
    displayMandatoryRoles: section('Availability.MandatoryRoles'),
    Date: day(),
  },
  A_REQUEST,
);

/** The request of `plat_bp_getbankingproductdetails`. */
export const productDetailsMembers = z.object(
  { productCode: productCode(), productId: productId(), Date: day() },
  A_REQUEST,
);

/** The request of `PLAT_BP_GetProductInsuranceList`. */
export const insuranceListMembers = z.object(
  {
    productCode: productCode(),
    productId: productId(),
    filterList: emptyTextOr(namedFigures()).describe(
      'Figures by the names that filters of the product use, in any case. Absent, "" or empty: none.',
    ),
    Date: day(),
  },
  A_REQUEST,
);

/** The request of `plat_bp_getproductdocuments`. */
export const productDocumentsMembers = z.object(
  { productCode: productCode(), bankingProductId: productId(), Date: day() },
  A_REQUEST,
);
