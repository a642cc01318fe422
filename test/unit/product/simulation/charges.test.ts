import { describe, expect, it } from 'vitest';
import { currencyId } from '../../../../shared/product/simulation/charge-prices.ts';
import { outcomeOf, scenesOf } from '../../../support/builders/simulation-scenes.ts';
import {
  commission,
  interest,
  discount,
  insurance,
  insuranceItem,
  guid,
} from '../../../support/worlds/simulated-product.ts';

const item = insuranceItem('COVER', { Filters: [{ Name: 'Age', From: null, To: 60 }] });
const smokers = [insurance({ Filters: [{ Name: 'Smoker', Values: [0] }] })];
const other = commission({ Id: guid(201), Name: 'Two', Type: 'Y' });
const named = [discount({ Id: guid(401), Name: 'Staff', DiscountValue: 50, IsOptionalDiscount: true })];
const variable = interest({ Type: 'Variable', IsDefault: true });
const second = interest({ Id: guid(101), Name: 'Second' });
const ofFixed = { IsOptionalDiscount: true, AppliedToDimension: 'Interest', InterestType: 'Fixed' } as const;
const OFFERINGS = {
  twoFees: { commissions: [commission({ Name: 'One', Type: 'X' }), other] },
  twoTypes: { interests: [variable, second], discounts: [discount(ofFixed)] },
  twoItems: { insurances: smokers, product: { Insurances: [item, { ...item, Id: guid(31), Filters: [] }] } },
  oneItem: { insurances: smokers, product: { Insurances: [item] } },
  endedItem: { insurances: smokers, product: { Insurances: [{ ...item, EndDate: '2024-12-31' }] } },
  staff: { commissions: [commission()], discounts: named },
};

const CHARGES = scenesOf(`
an offer without charges has no fields of charges
  commissions []; insurances [] => terms.Commission = undefined; terms.Insurance = undefined;
    terms.UpFrontValue = undefined
commissions are Active, in the schedule, automatic or mandatory, and not for unused amounts (Q6)
  commission {} => commissions.length = 1
  commission {AutomaticLoadOnContract: false, MandatoryForApplicant: true} => commissions.length = 1
  commission {AutomaticLoadOnContract: false, MandatoryForApplicant: false} => commissions = []
  commission {Status: "Draft"} => commissions = []
  commission {IncludedInRepaymentSchedule: false} => commissions = []
  commission {IsForUnusage: true, fee: 1} => commissions = []
commissions have the value of the day, and are omitted if there is none (L2)
  commission {Values: [{CommissionValue: 7, CommissionPercent: null, Status: "Active", ValidFrom:
    "2020-01-01", ValidTo: "2024-12-31"}, {CommissionValue: 9, CommissionPercent: null, Status: "Active",
    ValidFrom: "2025-01-01", ValidTo: null}]} => firstFee = 900
  commission {Values: [{CommissionValue: 7, CommissionPercent: null, Status: "Active", ValidFrom:
    "2020-01-01", ValidTo: "2024-12-31"}, {CommissionValue: 9, CommissionPercent: null, Status: "Active",
    ValidFrom: "2025-01-02", ValidTo: null}]} => commissions = []
  commission {Values: [{CommissionValue: 9, CommissionPercent: null, Status: "Closed", ValidFrom: null,
    ValidTo: null}]} => firstFee = 0
charges with the periodicity Once are paid at the start, and add up to UpFrontValue (Q6)
  commission {PeriodicityType: "Once", price: 100}; commission {PeriodicityType: "Once", fee: 1.5}; commission
    {Name: "Monthly"}; insurance {PeriodicityType: "Once"} => terms.UpFrontValue = "118";
    terms.Commission.length = 1; terms.Commission[0].FeeName = "Monthly"; terms.Insurance = undefined;
    commissions[0].periodicityType = "Once"; commissions[1].periodicityType = "Once";
    commissions[2].periodicityType = "Monthly"; insurances.length = 1
  commission {PeriodicityType: "Once", price: 100} => firstFee = 0; totalFee = 0; irr = "12.0026%"
charges with which a loan cannot be charged are rejected by name, once for all offers (E1, E3)
  commission {Currency: "RON"} => ! productCode not-allowed: must be a product whose commission Administration
    is in EUR
  commission {PeriodicityType: "Once", PercentAppliedTo: "Interest", fee: 1} => ! productCode not-allowed:
    must be a product whose commission Administration is a percentage of the financed amount, because it is
    paid at the start
  3 interest {}; insurance {Currency: "RON"}; request {interestTypeName: "Fixed"} => ! productCode
    not-allowed: must be a product whose insurance Life is in EUR
insurances are Active, in the instalments, and mandatory for applicant or debtor
  insurance {} => firstInsurance = 300
  insurance {IsMandatoryForApplicant: false, IsMandatoryForDebtor: true} => firstInsurance = 300
  insurance {IsMandatoryForApplicant: false} => insurances = []
  insurance {Status: "Closed"} => insurances = []
  insurance {IncludedIntoRepaymentScheduleInstallment: false} => insurances = []
insurances can be percentages of the financed amount or of another base (F2)
  insurance {premiumPercent: 0.5} => firstInsurance = 500
  insurance {premiumPercent: 0.5, PercentAppliedTo: "RemainingValue"} => rows[4].insurance = 127
insurances belong to items that are valid on the day and pass all filters, each once (L2, L3)
  twoItems; request {jsonInsuranceFilter: [{name: "age", value: 20}]} => firstInsurance = 300
  twoItems; request {jsonInsuranceFilter: [{name: "Age", value: 61}]} => firstInsurance = 300
  oneItem; request {jsonInsuranceFilter: [{name: "Age", value: 61}]} => firstInsurance = 0
  twoItems; request {jsonInsuranceFilter: [{name: "Smoker", value: 1}]} => firstInsurance = 0
  endedItem; request {jsonInsuranceFilter: [{name: "Smoker", value: 0}]} => firstInsurance = 0
  twoItems; request {jsonInsuranceFilter: [{name: "Height", value: 1}]} => warnings = ["unknown-filter
    jsonInsuranceFilter[0].name", "assumed jsonInsuranceFilter.Smoker"]
`);

const DISCOUNTS = scenesOf(`
a list that the product names twice applies once (Q5)
  commission {price: 100}; discount {percent: 10}; product {Discounts: ["DIS", "DIS"]} => firstFee = 9000
  commission {price: 100}; discount {percent: 10}; product {Discounts: ["DIS", "dis"]} => firstFee = 9000
  commission {price: 100}; discount {percent: 10}; product {Discounts: ["DIS", " DIS "]} => firstFee = 9000
percentages apply first, then values (Q5)
  commission {price: 100}; discount {value: 5}; discount {percent: 10} => firstFee = 8500;
    commissions[0].value = "85"; commissions[0].percent = null; commissions[0].baseValue = "100";
    commissions[0].basePercent = null; commissions[0].discountValue = "5"; commissions[0].discountPercent =
    "10"
percentage points are deducted from a rate (Q5)
  interest {rate: 8.5}; discount {value: 0.55, AppliedToDimension: "Interest"} => interestPercent = "7.9500%";
    terms.InterestPercent = "7.95"; interest.basePercent = "8.5"; interest.discountValue = "0.55";
    interest.discountPercent = "0"
a percentage of the credit value includes the down payment (Q2, F2)
  commission {fee: 0.5, PercentAppliedTo: "CreditValue"}; request {downPayment: 100} => firstFee = 500;
    terms.AdvanceAmount = "100"
  commission {fee: 0.5}; request {downPayment: 100} => firstFee = 450; terms.AdvanceAmount = undefined
a price or a rate is never reduced below zero (Q5)
  interest {rate: 0.5}; commission {price: 4}; discount {value: 5}; discount {value: 0.55, AppliedToDimension:
    "Interest"} => interestPercent = "0.0000%"; interest.discountValue = "0.5"; totalFee = 0;
    commissions[0].value = "0"; commissions[0].discountValue = "4"
a discounted price is rounded to the currency once, at the end (M2)
  commission {price: 99.99}; discount {percent: 33}; discount {percent: 10} => firstFee = 6029
a percentage is reduced, and becomes an amount if a discount is in money (Q5, F2)
  commission {fee: 2}; discount {percent: 25} => terms.Commission[0].SourcePercent = "1.5";
    commissions[0].percent = "1.5"; commissions[0].basePercent = "2"; commissions[0].value = null;
    commissions[0].baseValue = null; commissions[0].discountValue = null
  commission {fee: 2}; discount {percent: 25}; discount {value: 5} => firstFee = 1000; commissions[0].percent
    = "1.5"; commissions[0].basePercent = "2"; commissions[0].value = "10"; commissions[0].baseValue = "20";
    commissions[0].discountPercent = "25"; commissions[0].discountValue = "5"
money is deducted from the part of an annual percentage that a period is charged (F2)
  commission {fee: 12, PerAnnum: true}; discount {value: 1} => firstFee = 900
  commission {fee: 12, PerAnnum: true} => firstFee = 1000
  commission {fee: 12, PerAnnum: true, PeriodicityType: "Weekly"}; discount {value: 1} =>
    commissions[0].baseValue = "2.301369863"; commissions[0].value = "1.3"
money is rejected for a percentage that is not of the financed amount (Q5)
  commission {fee: 1, PercentAppliedTo: "RemainingValue"}; discount {percent: 50} => firstFee = 500
  commission {fee: 1, PercentAppliedTo: "RemainingValue"}; discount {value: 1} => ! productCode not-allowed:
    must be a product whose commission Administration has no discount in money, because it is a percentage of
    another figure
a discount applies to the type, name or class that it names, or to its whole dimension (2.2)
  twoFees; insurance {}; discount {percent: 50} => firstFee = 1000; firstInsurance = 300
  twoFees; discount {percent: 50, Commission: "ONE"} => firstFee = 1500
  twoFees; discount {percent: 50, CommissionType: "Y"} => firstFee = 1500
  twoFees; discount {percent: 50, CommissionType: "Y", Commission: "One"} => firstFee = 2000
  insurance {}; discount {percent: 50, AppliedToDimension: "Insurance"} => firstInsurance = 150
  insurance {}; discount {percent: 50, AppliedToDimension: "Insurance", InsuranceClass: "persons", Insurance:
    "Life"} => firstInsurance = 150
  insurance {}; discount {percent: 50, AppliedToDimension: "Insurance", InsuranceClass: "Goods"} =>
    firstInsurance = 300
  interest {Type: "Variable"}; discount {percent: 50, AppliedToDimension: "Interest", InterestType: "Fixed"}
    => interestPercent = "12.0000%"
  interest {Type: "Variable"}; discount {percent: 50, AppliedToDimension: "Interest", InterestType:
    "Variable"} => interestPercent = "6.0000%"
optional discounts apply if the request names them, by name or id, in discount or optional (Q5)
  staff => firstFee = 1000
  staff; request {discount: [{Name: "staff", ProductCode: "pl"}]} => firstFee = 500
  staff; request {discount: [{ProductDiscountId: "#401"}]} => firstFee = 500
  staff; request {optional: [{Name: "Staff", ProductDiscountId: "#401"}]} => firstFee = 500
optional discounts are rejected if they are unknown, of another product, or not valid (Q5)
  staff; request {discount: [{Name: "Friends"}]} => ! discount[0].Name unknown-value: must be one of Staff
  staff; request {optional: [{ProductDiscountId: "#9"}]} => ! optional[0].ProductDiscountId unknown-value:
    must be the id of one of Staff
  staff; request {discount: [{Name: "Staff", ProductCode: "XX"}]} => ! discount[0].ProductCode unknown-value:
    must be PL, the product's code
  staff; request {discount: [{Name: "Friends", ProductDiscountId: "#9", ProductCode: "XX"}]} => !
    discount[0].ProductCode unknown-value & discount[0].Name unknown-value & discount[0].ProductDiscountId
    unknown-value
  discount {IsOptionalDiscount: true, EndDate: "2024-12-31"}; request {discount: [{Name: "Campaign"}]} => !
    discount[0].Name unknown-value: must be left out: the product has no discount for this request
optional discounts need a name or an id, and both must match (E1)
  staff; request {discount: [{ProductCode: "PL"}]} => ! discount[0].Name missing 400
  discount {Name: "Staff", IsOptionalDiscount: true}; discount {IsOptionalDiscount: true}; request {optional:
    [{Name: "Staff", ProductDiscountId: "#401"}]} => ! optional[0].ProductDiscountId exclusive 400
a named discount without a matching price or rate gets a warning (E5)
  staff; request {discount: [{Name: "Staff"}]} => warnings = []
  discount {IsOptionalDiscount: true}; request {discount: [{Name: "Campaign"}]} => warnings = ["no-effect
    discount[0]"]
  commission {}; discount {IsOptionalDiscount: true, AppliedToDimension: "Insurance"}; request {discount:
    [{Name: "Campaign"}]} => warnings = ["no-effect discount[0]"]
  commission {}; discount {IsOptionalDiscount: true, Commission: "Another"}; request {discount: [{Name:
    "Campaign"}]} => warnings = ["no-effect discount[0]"]
  discount {IsOptionalDiscount: true, AppliedToDimension: "Interest", InterestType: "Variable"}; request
    {discount: [{Name: "Campaign"}]} => warnings = ["no-effect discount[0]"]
  discount {IsOptionalDiscount: true, AppliedToDimension: "Interest", InterestType: "Fixed"}; request
    {discount: [{Name: "Campaign"}]} => warnings = []
a named discount gets a warning if the price or the discount is zero (Q5)
  commission {}; discount {IsOptionalDiscount: true, percent: 0}; request {discount: [{Name: "Campaign"}]} =>
    warnings = ["no-effect discount[0]"]
  commission {price: 0}; discount {IsOptionalDiscount: true}; request {discount: [{Name: "Campaign"}]} =>
    warnings = ["no-effect discount[0]"]
  interest {rate: -1}; discount {IsOptionalDiscount: true, AppliedToDimension: "Interest"}; request {discount:
    [{Name: "Campaign"}]} => warnings = ["no-effect discount[0]"]
  commission {}; discount {percent: 100}; discount {IsOptionalDiscount: true, Name: "Last", percent: 50};
    request {optional: [{Name: "Last"}]} => warnings = ["no-effect optional[0]"]
  commission {}; discount {percent: 100}; discount {IsOptionalDiscount: true, Name: "Last", value: 50};
    request {optional: [{Name: "Last"}]} => warnings = ["no-effect optional[0]"]
a named discount gets no warning if it applies to one of several offers, or to a Once charge
  twoTypes; request {interestTypeName: "Fixed", discount: [{Name: "Campaign"}]} => warnings = []
  twoTypes; request {discount: [{Name: "Campaign"}]} => warnings = ["no-effect discount[0]"]
  commission {PeriodicityType: "Once"}; discount {IsOptionalDiscount: true}; request {discount: [{Name:
    "Campaign"}]} => warnings = []
displayed figures are those of the catalogue or rounded to ten decimals, and terms keep their digits (M4, Q5)
  interest {rate: 7.1234567890123}; discount {percent: 33.3333333333, AppliedToDimension: "Interest"};
    discount {percent: 33.3333333333, AppliedToDimension: "Interest"} => interest.basePercent =
    "7.1234567890123"; interest.discountPercent = "55.5555555555"; terms.InterestPercent.length = 22
  interest {Type: "BankingFormula", formula: ["X / 3", "X"]}; request {interestType: "BankingFormula",
    jsonInputFormula: {interestInput: {X: 20}}} => interest.basePercent = "6.6666666667";
    terms.InterestPercent = "6.66666666666666666667"
  commission {ValueIsPercent: true, formula: ["X / 3", "X"]}; request {interestType: "Fixed",
    jsonInputFormula: {commissionInput: {X: 2}}} => commissions[0].percent = "0.6666666667";
    commissions[0].basePercent = "0.6666666667"; terms.Commission[0].SourcePercent = "0.66666666666666666667"
  commission {ValueIsPercent: true, formula: ["X / 3", "X"]}; discount {percent: 50}; request {interestType:
    "Fixed", jsonInputFormula: {commissionInput: {X: 2}}} => commissions[0].percent = "0.3333333333";
    commissions[0].discountPercent = "50"; terms.Commission[0].SourcePercent = "0.33333333333333333333"
  commission {ValueIsPercent: true, formula: ["X / 3", "X"]}; discount {value: 1}; request {interestType:
    "Fixed", jsonInputFormula: {commissionInput: {X: 2}}} => commissions[0].baseValue = "6.6666666667";
    commissions[0].value = "5.67"; commissions[0].discountValue = "1"
`);

describe.each([
  ['charges', CHARGES],
  ['discounts', DISCOUNTS],
] as const)('%s of a simulation', (_, scenes) => {
  it.each(scenes)('$title: $sent', (scene) => {
    expect(outcomeOf(scene, OFFERINGS)).toBe(scene.outcome);
  });
});

it('the id of a currency ends with the letters of its code, case-insensitively', () => {
  expect(currencyId('ron')).toBe('2e9b7d10-4c86-4f35-a1d0-000000524f4e');
  expect(currencyId('RON')).toBe(currencyId(' ron '));
  expect(currencyId('EUR')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});
