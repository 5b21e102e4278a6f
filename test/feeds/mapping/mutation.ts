// Damages files at random: bytes flipped, cut, doubled, other encodings, other delimiters; the same for the same seed.

/** Gives whole numbers from 0 to below a bound. */
export type Random = (below: number) => number;

/** Marsaglia's xorshift: the same numbers for the same seed. */
export function randomOf(seed: number): Random {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

const lines = [
  ['1001', '01/07/2026 12:00', 'Lille', 'A-1', '2'],
  ['1001', '01/07/2026 12:00', 'Lille', 'POST', '1'],
  ['1001', '01/07/2026 12:00', 'Lille', 'B-2', '1,5'],
  ['1002', '25/10/2026 02:30', 'Besançon', 'A-1', '10'],
  ['1003', '29/03/2026 02:30', 'Saint "X"', 'C-3', '1'],
  ['1003', '29/03/2026 02:30', 'Nîmes\nGard', 'D-4', '7'],
] as const;
const names = ['no', 'at', 'city', 'sku', 'qty'];
const quoted = (cell: string): string => (/[",;\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const csv = (delimiter: string): string =>
  [names, ...lines].map((cells) => `${cells.map(quoted).join(delimiter)}\r\n`).join('');
const fixed = lines.map((cells) => `${cells.map((cell) => cell.replaceAll('\n', ' ').padEnd(20)).join('')}\n`).join('');
const objects = lines.map((cells) => Object.fromEntries(cells.map((cell, index) => [names[index], cell])));

/** Whole files of several layouts. */
export const seeds: readonly Buffer[] = [
  Buffer.from(`${csv(';')}END;6\r\n`),
  Buffer.from(csv(','), 'latin1'),
  Buffer.from(`${fixed}END;6\n`),
  Buffer.from(JSON.stringify(objects, null, 1)),
  Buffer.from(objects.map((each) => `${JSON.stringify(each)}\n`).join('')),
];

/** A file with some damage. */
export function mutated(file: Buffer, random: Random): Buffer {
  let bytes: Buffer = Buffer.from(file);
  for (let times = 1 + random(4); times > 0; times -= 1)
    bytes = damages[random(damages.length)]?.(bytes, random) ?? bytes;
  return bytes;
}

type Damage = (bytes: Buffer, random: Random) => Buffer;

const strange = [0x00, 0x0a, 0x0d, 0x22, 0x27, 0x3b, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d, 0x80, 0x81, 0xc3, 0xe9, 0xff, 0xef];
const place = (bytes: Buffer, random: Random): number => random(bytes.length + 1);

const damages: readonly Damage[] = [
  (bytes, random) => {
    const at = place(bytes, random);
    if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    return bytes;
  },
  (bytes, random) => {
    const at = place(bytes, random);
    return Buffer.concat([bytes.subarray(0, at), Buffer.of(strange[random(strange.length)] ?? 0), bytes.subarray(at)]);
  },
  (bytes, random) => bytes.subarray(0, place(bytes, random)),
  (bytes, random) => bytes.subarray(random(10)),
  (bytes, random) => {
    const [one, other] = [place(bytes, random), place(bytes, random)].toSorted((left, right) => left - right);
    return Buffer.concat([bytes.subarray(0, other), bytes.subarray(one)]);
  },
  (bytes, random) => {
    const [one, other] = [place(bytes, random), place(bytes, random)].toSorted((left, right) => left - right);
    return Buffer.concat([bytes.subarray(0, one), bytes.subarray(other)]);
  },
  (bytes) => Buffer.from(bytes.toString('utf8'), 'latin1'),
  (bytes) => Buffer.from(bytes.toString('latin1'), 'utf8'),
  (bytes, random) => (random(4) === 0 ? Buffer.from(bytes.toString('utf8'), 'utf16le') : bytes),
  (bytes) => Buffer.concat([Buffer.of(0xef, 0xbb, 0xbf), bytes]),
  (bytes, random) => {
    const [from, to] = [strange[random(strange.length)], strange[random(strange.length)]];
    return Buffer.from(bytes.map((byte) => (byte === from ? (to ?? 0) : byte)));
  },
  (bytes) => Buffer.from(bytes.toString('latin1').replaceAll(';', ','), 'latin1'),
  (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r'), 'latin1'),
];
