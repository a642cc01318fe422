/** Worked examples of the other look-ups with the example catalogue of 2026-01-15, which tests run. */

import type { Examples } from '../json/action-definition.ts';

const PERSONAL_LOAN = {
  Name: 'Personal loan',
  ProductImage: '[{"Name":"personal-loan.png","RealName":"personal-loan-large.png"}]',
  Benefits: 'Money on the same day. No guarantee needed.',
  DisplayConditions: 'Regular income for at least six months.',
  NoOfDebtor: 2,
};

export const PRODUCT_DETAILS_EXAMPLES: Examples = [
  {
    key: 'byCode',
    summary: 'The texts and images of a personal loan',
    request: { productCode: 'TL-PERSONAL' },
    reply: PERSONAL_LOAN,
  },
  {
    key: 'byId',
    summary: 'The same by the id of its version',
    request: { productId: '9136b630-6317-5acd-85f7-807dd5296800' },
    reply: PERSONAL_LOAN,
  },
];

export const INSURANCE_LIST_EXAMPLES: Examples = [
  {
    key: 'passing',
    summary: 'The insurances of a home loan of 150,000',
    request: { productCode: 'MG-HOME', filterList: [{ name: 'Amount', value: 150000 }] },
    reply: {
      Insurances: [
        {
          ItemName: 'Home cover',
          ItemCode: 'HOME-COVER',
          InsuranceListId: '44670056-d40b-5f68-85dd-b8c42d25a1fa',
          InsuranceListName: 'Home and life',
        },
      ],
    },
  },
  {
    key: 'notPassing',
    summary: 'The insurances of a credit card with a limit of 500',
    request: { productCode: 'CC-CLASSIC', filterList: [{ name: 'Amount', value: 500 }] },
    reply: { Insurances: [] },
  },
  {
    key: 'unfiltered',
    summary: 'All insurances of a credit card',
    request: { productCode: 'CC-CLASSIC', filterList: [] },
    reply: {
      Insurances: [
        {
          ItemName: 'Card cover',
          ItemCode: 'CARD-COVER',
          InsuranceListId: '33ae04f1-39e1-57bc-954f-9be052afb653',
          InsuranceListName: 'Life and income',
        },
      ],
    },
  },
];

export const PRODUCT_DOCUMENTS_EXAMPLES: Examples = [
  {
    key: 'byCode',
    summary: 'The documents of a personal loan',
    request: { productCode: 'TL-PERSONAL' },
    reply: [
      {
        Doc: { ReportId: '9ab810af-45bd-5d13-a9b1-115fa47d8082', IsMandatory: true, IsAccord: false },
        Report: { DisplayName: 'Pre-contractual information' },
      },
      {
        Doc: { ReportId: '47c2d812-5e67-566a-8e7b-89e8642ef319', IsMandatory: true, IsAccord: false },
        Report: { DisplayName: 'Loan agreement' },
      },
      {
        Doc: { ReportId: '05c5d58a-971b-5fe0-9387-d83cf56f6644', IsMandatory: true, IsAccord: true },
        Report: { DisplayName: 'Consent to credit bureau inquiry' },
      },
    ],
  },
];
