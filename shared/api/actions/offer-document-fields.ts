/** The document of an offer (T1): one model, which the answer shows as JSON, and which HTML and PDF render. */

import { z } from 'zod';
import { strictIn } from '../json/field-kinds.ts';
import TEXTS from './offer-document-texts.json' with { type: 'json' };

const strict = strictIn(TEXTS);

export const DOCUMENT_FORMS = ['ConsumerCredit', 'ESIS'] as const;
export const DOCUMENT_LANGUAGES = ['en', 'ro'] as const;
export const DOCUMENT_FORMATS = ['json', 'html', 'pdf'] as const;
export type DocumentForm = (typeof DOCUMENT_FORMS)[number];
export type DocumentLanguage = (typeof DOCUMENT_LANGUAGES)[number];
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];

/** The media type of each format over HTTP. */
export const MEDIA_TYPES: Readonly<Record<Exclude<DocumentFormat, 'json'>, string>> = {
  html: 'text/html',
  pdf: 'application/pdf',
};

const figure = z.number().nullable();
const rate = z.string().nullable();

const figures = strict('OfferDocumentFigures', {
  TotalAmountOfCredit: z.number(),
  TotalUpfront: z.number(),
  TotalCostOfCredit: z.number(),
  TotalAmountPayable: z.number(),
  APRC: rate,
  InstallmentAmount: figure,
  InitialPeriodRows: figure,
  InitialPeriodAPRC: rate,
  InitialPeriodRepaid: figure,
  HighestRate: rate,
  HighestRateFrom: figure,
  HighestRateAPRC: rate,
  HighestInstallmentAmount: figure,
});

const point = strict('OfferDocumentPoint', {
  Id: z.string(),
  Label: z.string(),
  Note: z.string().nullable(),
  Text: z.string().nullable(),
  IsMissing: z.boolean(),
  IsWarning: z.boolean(),
});

const line = strict('OfferDocumentLine', {
  Kind: z.enum(['instalment', 'subtotal', 'year', 'total']),
  IsHypothetical: z.boolean(),
  Cells: z.array(z.string()),
});

const table = strict('OfferDocumentTable', {
  Caption: z.string(),
  Columns: z.array(z.string()),
  Lines: z.array(line),
});

const section = strict('OfferDocumentSection', {
  Id: z.string(),
  Heading: z.string(),
  Source: z.string(),
  Points: z.array(point),
  Table: table.nullable(),
});

export const offerDocument = strict('OfferDocument', {
  Form: z.enum(DOCUMENT_FORMS),
  Language: z.enum(DOCUMENT_LANGUAGES),
  Title: z.string(),
  Source: z.string(),
  Date: z.string(),
  LenderName: z.string().nullable(),
  Logo: z.string().nullable(),
  ProductCode: z.string(),
  ProductVersion: z.number(),
  Currency: z.string(),
  Figures: figures,
  Sections: z.array(section),
  Missing: z.array(z.string()),
});

type Answered = z.output<typeof offerDocument>;

/** The amounts in `Figures` are raw JSON: exact decimals (M1). */
export type OfferDocument = Omit<Answered, 'Figures'> & {
  readonly Figures: Readonly<Record<keyof Answered['Figures'], unknown>>;
};
export type DocumentSection = OfferDocument['Sections'][number];
export type DocumentTable = z.output<typeof table>;
