// Benchmark (f): labels of the sandbox per second, for each output, compared with the libraries that draw only the same
// symbols.
import bwip from 'bwip-js/node';
import PDFDocument from 'pdfkit';
import type { LabelTask } from '../src/carriers/carrier.ts';
import { sandbox } from '../src/carriers/sandbox/index.ts';
import { labelRequestFields } from '../src/model/shipping.ts';
import { type Contender, cpuMicroseconds, type Effort, type Measured, takeTurns } from './measure.ts';
import { compared, type Figure } from './report.ts';

/** Labels per second on one core that each output should reach. */
const aims: Readonly<Record<string, number | null>> = { PdfUrl: 100, ZplCode: 1000, PngImage: null };

/**
 * Measures labels of one parcel from the request to the bytes: rules, layout, symbols, file.
 * @returns a figure for each output, by processor time if the machine reports it
 */
export async function measureLabels(effort: Effort): Promise<readonly Figure[]> {
  const peers: Readonly<Record<string, Contender>> = {
    PdfUrl: contender('pdfkit, bars alone', effort, barsAsPdf),
    ZplCode: contender('bwip-js, bars as numbers', effort, async () => bwip.raw({ bcid: 'gs1-128', text: barText })),
    PngImage: contender('bwip-js, bars alone', effort, () =>
      bwip.toBuffer({ bcid: 'gs1-128', text: barText, scale: 4, height: 32, includetext: true }),
    ),
  };
  const figures: Figure[] = [];
  for (const [output, peer] of Object.entries(peers)) {
    const own = contender(output, effort, (sequence) => label(output, sequence));
    const [runs = [], others = []] = await takeTurns([own, peer], effort);
    const figure = compared(
      {
        part: 'f',
        engine: '',
        what: `labels as ${output}`,
        unit: 'labels/s',
        limitName: `with ${peer.name}`,
        aim: null,
      },
      runs,
      others,
    );
    const microseconds = cpuMicroseconds(runs);
    const onOneCore = microseconds === null ? figure.reached : 1e6 / microseconds;
    const aim = aims[output] ?? null;
    figures.push({
      ...figure,
      aim: aim === null ? '' : `≥ ${aim} on one core`,
      met: aim === null ? null : onOneCore >= aim,
      note: `${Math.round(onOneCore)} a second of processor time; ${figure.note}`,
    });
  }
  return figures;
}

const barText = '(00)095200000000017019';

function contender(name: string, { seconds }: Effort, work: (sequence: number) => Promise<unknown>): Contender {
  let sequence = 0;
  return {
    name,
    run: async (): Promise<Measured> => {
      const [started, before] = [performance.now(), process.cpuUsage()];
      let done = 0;
      for (; performance.now() - started < seconds * 1000; done += 1) {
        sequence += 1;
        await work(sequence);
      }
      const { user, system } = process.cpuUsage(before);
      return { done, seconds: (performance.now() - started) / 1000, cpuSeconds: (user + system) / 1e6 };
    },
  };
}

const request: LabelTask['request'] = {
  ...blankRequest(),
  modeCol: 'CCC',
  modeLiv: '24R',
  expAddr1: 'Boulangerie Éclair & Fils SARL',
  expAddr2: '12 rue de l’Église',
  expZip: '59000',
  expCity: 'Lille',
  expCountry: 'FR',
  destAddr1: 'Zoë Müller-Lefèvre',
  destAddr2: '128 bis avenue du Général de Gaulle',
  destZip: '33000',
  destCity: 'Bordeaux',
  destCountry: 'FR',
  destTel1: '+33 6 12 34 56 78',
  weight: '1250',
  nbPackage: '1',
  shippingPickupPoint: '066974',
  shippingPickupPointCountry: 'FR',
  nClient: 'C-000421',
  nDossier: 'WEB-2026-00042',
  instruction: 'Sonner deux fois.',
};

function blankRequest(): LabelTask['request'] {
  const blank: Partial<Record<keyof LabelTask['request'], string>> = {};
  const isWhole = (fields: typeof blank): fields is LabelTask['request'] =>
    Object.keys(labelRequestFields).every((name) => name in fields);
  for (const name of Object.keys(labelRequestFields)) Object.assign(blank, { [name]: '' });
  if (!isWhole(blank)) throw new Error('a field of the label request is missing');
  return blank;
}

async function label(outputType: string, sequence: number): Promise<void> {
  const task = {
    account: { settings: { companyPrefix: '9520000', speed: '1' } },
    request: { ...request, outputType },
    sequence,
    now: Date.UTC(2026, 10, 21),
  };
  if (sandbox.check(task.request, task.account).length > 0) throw new Error('the request of the benchmark is wrong');
  const step = await sandbox.createLabel?.(task).next();
  if (step?.done !== true) throw new Error('the sandbox asked somebody');
}

function barsAsPdf(): Promise<Buffer> {
  const document = new PDFDocument({ size: [283.464, 425.196], margin: 0, font: '' });
  const chunks: Buffer[] = [];
  const whole = new Promise<Buffer>((resolve) =>
    document.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks))),
  );
  const [symbol] = bwip.raw({ bcid: 'gs1-128', text: barText });
  let x = 31;
  for (const [index, width] of (symbol !== undefined && 'sbs' in symbol ? Array.from(symbol.sbs) : []).entries()) {
    if (index % 2 === 0) document.rect(x, 300, width * 1.417, 90);
    x += width * 1.417;
  }
  document.fill();
  document.end();
  return whole;
}
