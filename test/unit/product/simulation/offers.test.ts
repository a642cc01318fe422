import { describe, expect, it } from 'vitest';
import { INTEREST_OPTION_IDS } from '../../../../shared/product/catalogue/list-records.ts';
import { decimal } from '../../../support/builders/lending-loan.ts';
import { outcomeOf, scenesOf } from '../../../support/builders/simulation-scenes.ts';
import { guid, interest, rate, recordsOf, refusalOf } from '../../../support/worlds/simulated-product.ts';

const { Fixed, Variable, Collection } = INTEREST_OPTION_IDS;
const several = {
  interests: [
    interest({ Id: guid(101), Name: 'A' }),
    interest({ Id: guid(102), Name: 'B', ...rate(9), IsDefault: true }),
    interest({ Id: guid(103), Name: 'C', Type: 'Variable', ...rate(8) }),
  ],
};
const one = { Id: guid(10), Name: 'One', InterestList: 'INT', CommissionList: 'COM', Filters: [] };
const age = { Name: 'Age', From: 18, To: 30 };
const Filters = [age, { Name: 'Branch', List: 'ODD' }];
const two = { ...one, Id: guid(20), Name: 'Two', CommissionList: null, Filters };
const inverse = { Name: 'F', Expression: '1 / Base', Inputs: ['Base'] };
const OFFERINGS = {
  several,
  items: { product: { InterestsAndCommissions: [one, two] } },
  filtered: { product: { InterestsAndCommissions: [two] } },
  none: { interests: [] },
  inverse: { interests: [interest({ Type: 'BankingFormula', Values: [], Formula: inverse })] },
  noDefault: { interests: several.interests.map((found) => ({ ...found, IsDefault: false })) },
};

const SCENES = scenesOf(`
the interests are all interests of the type, by its id, its name, or both (Q3)
  several; request {interestType: "Fixed"} => records.length = 2; records[0].interestId = "#101";
    records[1].interestId = "#102"
  several; request {interestTypeName: " fixed"} => records.length = 2; records[0].interestId = "#101";
    records[1].interestId = "#102"
  several; request {interestType: "${Variable.toUpperCase()}", interestTypeName: "Variable"} => records.length
    = 1; interestId = "#103"
they are the default interest, or else the first one, if there is no type (Q3)
  several => records.length = 1; interestId = "#102"
  noDefault => records.length = 1; interestId = "#101"
they are rejected if id and name differ (400), are unknown or match no interest (422) (Q3)
  several; request {interestType: "Fixed", interestTypeName: "Variable"} => ! interestTypeName exclusive 400
  several; request {interestType: "#5"} => ! interestType unknown-value: must be one of ${Fixed} (Fixed),
    ${Variable} (Variable), …
  several; request {interestType: "Collection"} => ! interestType not-allowed
  several; request {interestTypeName: "Collection"} => ! interestTypeName not-allowed: must be an interest
    type that the product offers on the day of the request: Fixed, Variable
  none => ! productCode not-allowed
they are offered for each item whose filters pass, with counts of interests and items (Q3, Q4, L3)
  several; items; request {interestTypeName: "Fixed"} => records.length = 4;
    records[0].interestCommissionItemId = "#10"; records[1].interestCommissionItemId = "#10";
    records[2].interestCommissionItemId = "#20"; records[3].interestCommissionItemId = "#20";
    records[0].interestId = "#101"; records[1].interestId = "#102"; records[2].interestId = "#101";
    records[3].interestId = "#102"; records[0].cntInterestId = 2; records[1].cntInterestId = 2;
    records[2].cntInterestId = 2; records[3].cntInterestId = 2; records[0].cntInterestCommissionItemId = 2;
    records[1].cntInterestCommissionItemId = 2; records[2].cntInterestCommissionItemId = 2;
    records[3].cntInterestCommissionItemId = 2; records[3].commissionListId = null
  several; items; request {jsonFilterCommission: [{name: "age", value: 30}]} => records.length = 2
  several; items; request {jsonFilterCommission: [{name: "Age", value: 31}]} => records.length = 1
  several; items; request {jsonFilterCommission: [{name: "Branch", value: 2}]} => records.length = 1
  several; items; request {jsonFilterCommission: [{name: "Branch", value: 3}]} => records.length = 2
an unknown filter name gets a warning, and different figures with the same name are rejected (L3)
  items; request {jsonFilterCommission: [{name: "Branch", value: 3}, {name: "Shoe", value: 43}, {name: "Age",
    value: 20}]} => warnings = ["unknown-filter jsonFilterCommission[1].name"]
  items; request {jsonFilterCommission: [{name: "Age", value: 20}, {name: "Shoe", value: 43}, {name: "AGE",
    value: 21}]} => ! jsonFilterCommission[2].value exclusive 400
  filtered; request {jsonFilterCommission: [{name: "Age", value: 99}]} => ! jsonFilterCommission not-allowed
at most 100 offers with 36,000 rows in total (E6)
  100 interest {}; request {interestTypeName: "Fixed", loanPeriod: 361} => ! loanPeriod too-many-rows: must be
    at most 360 periods with 100 offers; use jsonFilterCommission to get fewer offers
  101 interest {}; request {interestTypeName: "Fixed"} => ! jsonFilterCommission out-of-range
a Collection interest has the rates of its ranges, and displays the rate of row 1 (Q3, R1)
  interest {steps: [["Early", 1, 2], ["LATE", 3, null]]}; interest {Name: "Early"}; interest {Name: "Late",
    rate: 24} => records.length = 1; interestPercent = "12.0000%"; rows[0].pmt = 0; rows[1].pmt = 25628;
    rows[2].pmt = 25628; rows[3].pmt = 26009; rows[4].pmt = 26009
  interest {steps: [["Early", 1, 2], ["LATE", 3, null]]}; interest {Name: "Early"}; interest {Name: "Late",
    rate: 24}; request {jsonMultipleInterestRates: []} => interestPercent = "12.0000%"
  interest {steps: [["E", 1, 3], ["E", 4, 4]]}; interest {Name: "E"} => rows.length = 5
it uses the rates of the request instead, as the only type (Q7)
  interest {steps: [["E", 1, null]]}; interest {Name: "E"}; request {interestType: "Collection",
    jsonMultipleInterestRates: [{InterestRate: 24, ToInstNo: 2}, {InterestRate: 12}]} => interestPercent =
    "24.0000%"; rows[1].interest = 2000; rows[3].interest = 510
  interest {}; request {interestType: "Fixed", jsonMultipleInterestRates: [{InterestRate: 24}]} => !
    jsonMultipleInterestRates not-allowed
it is not offered if one of its ranges has no rate on the day (L2)
  interest {steps: [["Early", 1, 2], ["LATE", 3, null]]}; interest {Name: "Early"}; request {interestTypeName:
    "Collection"} => ! interestTypeName not-allowed
the rate of each band applies to its part of the balance, after discounts (R2, Q5)
  interest {bands: [[800, null, 8], [0, 799.99, 12], [0, null, 1, {CollectionValidTo: "2024-12-31"}], [0,
    null, 2, {IsForOverdraft: true}]]} => interestPercent = "8.0000%"; rows[1].interest = 933
  interest {bands: [[800, null, 8], [0, 799.99, 12]]}; request {amount: 800} => interestPercent = "8.0000%"
  interest {bands: [[800, null, 8], [0, 799.99, 12]]}; request {amount: 700} => interestPercent = "12.0000%"
  interest {bands: [[800, null, 8], [0, 799.99, 12]]}; discount {percent: 50, AppliedToDimension: "Interest"}
    => interestPercent = "4.0000%"; rows[1].interest = 467
a formula calculates the rate from the arguments, with case-insensitive names (Q7)
  interest {Type: "BankingFormula", formula: ["Base + max(1, 6 - Score / 200)", "Base", "Score"]}; request
    {interestType: "BankingFormula", jsonInputFormula: {interestInput: {base: 2.25, Score: 700}}} =>
    interestPercent = "4.7500%"; terms.InterestPercent = "4.75"
it is exact to the 20 decimals of requests (M4)
  interest {Type: "BankingFormula", formula: ["Base / 3", "Base"]}; request {interestType: "BankingFormula",
    jsonInputFormula: {interestInput: {Base: 20}}} => interestPercent = "6.6667%"; terms.InterestPercent =
    "6.66666666666666666667"
all missing arguments are reported, and unused ones get a warning (Q7)
  interest {Type: "BankingFormula", formula: ["Base + Score", "Base", "Score"]}; request {interestType:
    "BankingFormula"} => ! jsonInputFormula.interestInput.Base missing & jsonInputFormula.interestInput.Score
    missing
  interest {Type: "BankingFormula", formula: ["Base + Score", "Base", "Score"]}; request {interestType:
    "BankingFormula", jsonInputFormula: {interestInput: {base: 2, Rating: 1, Score: 7}, commissionInput:
    {Rating: 1}}} => warnings = ["no-effect jsonInputFormula.interestInput.Rating", "no-effect
    jsonInputFormula.commissionInput.Rating"]
a formula is rejected if it has no value, or if an argument is repeated (Q7)
  inverse; request {interestType: "BankingFormula", jsonInputFormula: {interestInput: {Base: 0}}} => !
    jsonInputFormula.interestInput formula-failed: must give the formula F a value: it …
  inverse; request {interestType: "BankingFormula", jsonInputFormula: {interestInput: {Base: 1e-9}}} => !
    jsonInputFormula.interestInput out-of-range: must give a rate: it must be from -100000 to 100000 percent a
    year
  inverse; request {interestType: "BankingFormula", jsonInputFormula: {interestInput: {base: 2, BASE: 0}}} =>
    ! jsonInputFormula.interestInput.BASE exclusive 400
commissions, insurances and discounts are priced, each with its own arguments (Q7)
  commission {formula: ["Cost * 2", "Cost"]}; insurance {ValueIsPercentage: true, formula: ["Age / 100",
    "Age"]}; discount {IsPercentage: false, DiscountValue: null, formula: ["Years", "Years"]}; request
    {interestType: "Fixed", jsonInputFormula: {commissionInput: {Cost: 3.333}, insuranceInput: {Age: 40},
    discountInput: {Years: 0.5}}} => firstFee = 617; firstInsurance = 400
  commission {formula: ["Cost * 2", "Cost"]}; insurance {ValueIsPercentage: true, formula: ["Age / 100",
    "Age"]}; discount {IsPercentage: false, formula: ["Years", "Years"]}; request {interestType: "Fixed"} => !
    jsonInputFormula.commissionInput.Cost missing & jsonInputFormula.insuranceInput.Age missing &
    jsonInputFormula.discountInput.Years missing
  commission {}; discount {IsPercentage: false, formula: ["Years", "Years"]}; request {interestType: "Fixed",
    jsonInputFormula: {discountInput: {Years: -1}}} => ! jsonInputFormula.discountInput out-of-range
`);

describe('the offers of a simulation', () => {
  it.each(SCENES)('$title: $sent', (scene) => {
    expect(outcomeOf(scene, OFFERINGS)).toBe(scene.outcome);
  });

  it('are each displayed with the rates of their ranges, at most some thousands in all (E6)', () => {
    const range = { InterestName: 'x', InterestStartPeriod: 1, InterestEndPeriod: null };
    const CollectionInterests = [{ ...range, InterestStartDate: null, InterestEndDate: null }];
    const interests = [1, 2, 3].map((place) => {
      return interest({ Id: guid(1000 + place), Type: 'Collection', Values: [], CollectionInterests });
    });
    const jsonMultipleInterestRates = Array.from({ length: 1200 }, (_, at) => {
      return { FromInstNo: at + 1, ToInstNo: at + 1, InterestRate: decimal(5) };
    });
    const request = { interestType: Collection, loanPeriod: 1200, jsonMultipleInterestRates };
    expect(refusalOf({ interests }, request)).toEqual(['jsonMultipleInterestRates too-many-rows 422']);
    expect(recordsOf({ interests: interests.slice(0, 1) }, request)).toHaveLength(1);
  });
});
