// The customs declaration of a shipment, as one type that every carrier maps to its own.

/** Why goods are sent: the box of the same name on form CN23 (UPU Convention Regulations, article 17-107). */
export const goodsCategories = ['sale', 'gift', 'sample', 'documents', 'return', 'other'] as const;

export type GoodsCategory = (typeof goodsCategories)[number];

/** The three-letter codes of Incoterms 2020 (International Chamber of Commerce). */
export const incoterms = ['EXW', 'FCA', 'CPT', 'CIP', 'DAP', 'DPU', 'DDP', 'FAS', 'FOB', 'CFR', 'CIF'] as const;

/** The content of a shipment, for customs. Amounts are whole hundredths of the currency. */
export interface CustomsDeclaration {
  readonly category: GoodsCategory;
  /** ISO 4217. */
  readonly currency: string;
  /** One of `incoterms`; '' when none is agreed. */
  readonly incoterm: string;
  /** Number and date (YYYY-MM-DD) of the commercial invoice. */
  readonly invoiceNumber: string;
  readonly invoiceDate: string;
  /** The cost of transport; null when unknown. */
  readonly shippingCents: number | null;
  /** The sender's numbers at customs and tax offices; '' when there is none. */
  readonly eori: string;
  readonly ioss: string;
  readonly vatNumber: string;
  /** Whether the order is sent to a company. */
  readonly toCompany: boolean;
  /** Never empty. */
  readonly lines: readonly CustomsLine[];
}

/** Pieces of one kind of goods. */
export interface CustomsLine {
  /** JSON pointer of the order line, starting with the name of the parameter: `/orderId/orderEntries/0`. */
  readonly pointer: string;
  /** Article reference; '' when there is none. */
  readonly reference: string;
  readonly description: string;
  /** Pieces, at least 1. */
  readonly quantity: number;
  /** Value of one piece without tax, at least 1. */
  readonly unitCents: number;
  /** Net weight of one piece, at least 1. */
  readonly unitGrams: number;
  /** Gross weight of one piece, in its own packaging; never less than the net weight. */
  readonly unitGrossGrams: number;
  /** 6 to 10 digits: the Harmonized System and its extensions. */
  readonly hsCode: string;
  /** ISO 3166-1 alpha-2. */
  readonly originCountry: string;
  /** For all pieces of the line together; 0: not insured. */
  readonly insuredCents: number;
}

/** Value of all pieces without tax. */
export function goodsCents({ lines }: Pick<CustomsDeclaration, 'lines'>): number {
  return lines.reduce((sum, { quantity, unitCents }) => sum + quantity * unitCents, 0);
}

/** Net weight of all pieces. */
export function goodsGrams({ lines }: Pick<CustomsDeclaration, 'lines'>): number {
  return lines.reduce((sum, { quantity, unitGrams }) => sum + quantity * unitGrams, 0);
}

/** Gross weight of all pieces, without the packaging of the parcel. */
export function goodsGrossGrams({ lines }: Pick<CustomsDeclaration, 'lines'>): number {
  return lines.reduce((sum, { quantity, unitGrossGrams }) => sum + quantity * unitGrossGrams, 0);
}

/** The insured value of all pieces. */
export function insuredCents({ lines }: Pick<CustomsDeclaration, 'lines'>): number {
  return lines.reduce((sum, line) => sum + line.insuredCents, 0);
}

/** An amount with two decimals, as in `1234.50`. */
export function amountText(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}
