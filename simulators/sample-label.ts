// Small labels that simulators return: valid in form, and plainly not a carrier's.

/** One page of 10 by 15 cm with some lines of text. */
export function samplePdf(lines: readonly string[]): Buffer {
  const shown = lines
    .map(
      (line, index) =>
        `BT /F1 12 Tf 20 ${390 - 20 * index} Td (${line.replace(/[^\x20-\x7e]/g, '?').replace(/[\\()]/g, '\\$&')}) ` +
        'Tj ET',
    )
    .join('\n');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 283.46 425.2] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> ' +
      '>> >>',
    `<< /Length ${shown.length} >>\nstream\n${shown}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let text = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const place = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  return Buffer.from(
    `${text}xref\n0 6\n0000000000 65535 f \n${table}trailer\n<< /Size 6 /Root 1 0 R >>` +
      `\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  );
}

/** The same as label printer code. */
export function sampleZpl(lines: readonly string[]): Buffer {
  const fields = lines.map((line, index) => `^FO40,${60 + 60 * index}^A0N,40,40^FD${line.replace(/[\^~]/g, ' ')}^FS`);
  return Buffer.from(`^XA^CI28^PW800^LL1200${fields.join('')}^XZ`);
}

/** A white picture of one pixel. */
export function samplePng(): Buffer {
  return Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP6DwABBQECz6AuzQAAAABJRU5ErkJggg==',
    'base64',
  );
}

/** A white picture of one pixel. */
export function sampleGif(): Buffer {
  return Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64');
}
