// Converts the UCI "Online Retail" export (Chen, D., 2015, CC BY 4.0) to articles and orders in the shape that `import`
// takes:
//   node test/feeds/online-retail.ts ../shared/data/online-retail-sample.csv FOLDER
// writes FOLDER/articles.ndjson and FOLDER/orders.ndjson, and prints which rows were left out, and why.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';

/** One record as a plain object. */
export type Converted = Readonly<Record<string, unknown>>;

interface OnlineRetail {
  readonly articles: readonly Converted[];
  readonly orders: readonly Converted[];
  /** Rows of the export (2 is the first after the header) that became neither, each with the reason. */
  readonly left: readonly { readonly row: number; readonly reason: string }[];
}

type Row = Readonly<
  Record<
    'InvoiceNo' | 'StockCode' | 'Description' | 'Quantity' | 'InvoiceDate' | 'UnitPrice' | 'CustomerID' | 'Country',
    string
  >
>;
/** `goods`: something that lies on a shelf. */
interface Line {
  readonly row: number;
  readonly invoice: string;
  readonly code: string;
  readonly description: string;
  readonly quantity: number;
  readonly price: number;
  readonly from: Row;
  readonly goods: boolean;
}

/**
 * The countries of the data set whose names stand in the sample; one that is not here is left out rather than guessed.
 */
const COUNTRIES: Readonly<Record<string, string>> = {
  'United Kingdom': 'GB',
  France: 'FR',
  Australia: 'AU',
  Netherlands: 'NL',
  Germany: 'DE',
  Norway: 'NO',
  EIRE: 'IE',
};

/** Carriage, by post or by van, is what the interface calls shippingCost. */
const CARRIAGE = new Set(['POST', 'C2']);

/**
 * Converts the export. What is dirty in it is handled so:
 * - codes differ in case only (`85123a`): the same article, written in capitals;
 * - blanks at the ends and in the middle of descriptions are typing accidents: they are removed;
 * - an article with several descriptions keeps the one that most rows have, the first of equals; an empty one counts
 *   only where there is no other,
 *   and then the article is left out, because the interface requires a description;
 * - an invoice `C…` cancels goods that were ordered before: it is no order to prepare, so its rows are left out;
 * - a quantity of zero or less on another invoice corrects stock: it is left out too;
 * - `POST` and `C2` are carriage: they become the shipping cost of their order, not a line; `D` is a discount: it
 *   becomes the discount;
 *   `M` is booked by hand, and nobody knows for what: left out;
 * - a row without customer is an order all the same: the customer number stays unknown;
 * - a price of zero is a gift: kept;
 * - the same article may stand twice in an order: two lines, told apart by their number;
 * - the time is the wall clock of the United Kingdom: converted to UTC, summer time included;
 * - names and addresses are not in the export: they stay unknown.
 */
export function convertOnlineRetail(csv: string): OnlineRetail {
  const rows: readonly Row[] = parse(csv, { columns: true, bom: true });
  const left: { row: number; reason: string }[] = [];
  const lines = rows.map((from, index): Line => {
    const code = from.StockCode.trim().toUpperCase();
    return {
      row: index + 2,
      invoice: from.InvoiceNo.trim(),
      code,
      description: from.Description.trim().replaceAll(/\s+/g, ' '),
      quantity: Number(from.Quantity),
      price: Number(from.UnitPrice),
      from,
      goods: /^\d{5}/.test(code),
    };
  });
  const kept = lines.filter((line) => {
    const reason = whyLeft(line);
    if (reason !== null) left.push({ row: line.row, reason });
    return reason === null;
  });
  const descriptions = Map.groupBy(
    lines.filter(({ goods, description }) => goods && description !== ''),
    ({ code }) => code,
  );
  const articles = [...new Set(kept.filter(({ goods }) => goods).map(({ code }) => code))].flatMap((code) => {
    const long = mostFrequent((descriptions.get(code) ?? []).map(({ description }) => description));
    if (long === null) {
      for (const { row } of kept.filter((line) => line.code === code))
        left.push({ row, reason: 'the article has no description anywhere' });
      return [];
    }
    return [
      {
        articleReference: code,
        longArticleDescription: [...long].slice(0, 60).join(''),
        shortArticleDescription: [...long].slice(0, 30).join('').trim(),
        articleType: 0,
      },
    ];
  });
  const known = new Set(articles.map(({ articleReference }) => articleReference));
  const orders = [
    ...Map.groupBy(
      kept.filter(({ goods, code }) => !goods || known.has(code)),
      ({ invoice }) => invoice,
    ),
  ].flatMap(([invoice, entries]) => {
    const goods = entries.filter((line) => line.goods);
    const [first] = goods;
    if (first === undefined) {
      for (const { row } of entries) left.push({ row, reason: 'the invoice has charges alone, nothing to prepare' });
      return [];
    }
    return [
      orderOf(
        invoice,
        first.from,
        goods,
        entries.filter((line) => !line.goods),
      ),
    ];
  });
  return { articles, orders, left: left.sort((one, other) => one.row - other.row) };
}

/** Why a row becomes nothing; null when it becomes something. */
function whyLeft({ invoice, code, goods, quantity, from }: Line): string | null {
  if (invoice.startsWith('C')) return 'it cancels an earlier invoice: there is nothing to prepare';
  if (COUNTRIES[from.Country.trim()] === undefined) return `the country "${from.Country}" is not known`;
  if (goods && quantity <= 0) return 'its quantity is not above zero: it corrects stock';
  if (goods || CARRIAGE.has(code) || code === 'D') return null;
  return `"${code}" is no article, no carriage and no discount`;
}

function orderOf(invoice: string, head: Row, goods: readonly Line[], charges: readonly Line[]): Converted {
  const amount = (lines: readonly Line[]): number =>
    Math.round(lines.reduce((sum, { quantity, price }) => sum + quantity * price, 0) * 100) / 100;
  const carriage = charges.filter(({ code }) => CARRIAGE.has(code));
  const discount = charges.filter(({ code }) => code === 'D');
  const customer = head.CustomerID.trim();
  return {
    orderUniqueID: invoice,
    customerOrderPlacementDate: londonToUtc(head.InvoiceDate),
    deliveryAddressCountry: COUNTRIES[head.Country.trim()],
    ...(customer === '' ? {} : { doManagedCustomerNumber: customer }),
    paymentCurrency: 'GBP',
    discountAmount: Math.abs(amount(discount)),
    totalInvoiceHT: amount([...goods, ...charges]),
    shippingCost: amount(carriage),
    orderEntries: goods.map(({ code, quantity, price }, index) => ({
      orderLineID: String(index + 1),
      articleReference: code,
      quantityToPrepare: quantity,
      unitPriceHT: price,
    })),
  };
}

function mostFrequent(texts: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].reduce<readonly [string | null, number]>(
    (best, next) => (next[1] > best[1] ? next : best),
    [null, 0],
  )[0];
}

/** `12/1/10 8:26` (month first, British wall clock) as an instant. */
function londonToUtc(text: string): string {
  const found = /^(\d{1,2})\/(\d{1,2})\/(\d{2}) (\d{1,2}):(\d{2})$/.exec(text.trim());
  if (found === null) throw new Error(`"${text}" is no date of this export.`);
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0] = found.slice(1).map(Number);
  const asUtc = Date.UTC(2000 + year, month - 1, day, hour, minute);
  const shown = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/London',
    hour: '2-digit',
    hourCycle: 'h23',
  }).format(asUtc);
  const ahead = (Number(shown) - hour + 24) % 24;
  return new Date(asUtc - ahead * 3_600_000).toISOString();
}

if (import.meta.main) {
  const [source = '', folder = '.'] = process.argv.slice(2);
  const { articles, orders, left } = convertOnlineRetail(await readFile(source, 'utf8'));
  const text = (records: readonly Converted[]): string =>
    records.map((record) => `${JSON.stringify(record)}\n`).join('');
  await writeFile(join(folder, 'articles.ndjson'), text(articles));
  await writeFile(join(folder, 'orders.ndjson'), text(orders));
  for (const { row, reason } of left) console.error(`row ${row} is left out: ${reason}`);
  console.log(`${articles.length} articles, ${orders.length} orders, ${left.length} rows left out`);
}
