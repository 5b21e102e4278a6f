// Whole files of each kind, small: the images were written by ImageMagick and libtiff, the rest is put together here.

/** File by what is special about it. */
export const images = {
  png: image(
    'image/png',
    [
      'iVBORw0KGgoAAAANSUhEUgAAAAwAAAAJEAIAAADZSoZAAAAAK0lEQVQoz2P8/5+BKoDlAQMDg8LwNOghIxVdJE+FAB98YcTIwMDAQI20BADd' +
        'uwwbuKDE7QAAAABJRU5ErkJggg==',
    ].join(''),
  ),
  'baseline JPEG': image(
    'image/jpeg',
    [
      '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5a' +
        'YVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT0',
      '9PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAJAAwDASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAA' +
        'AAAAAAAAUG/8QAFhABAQEAAAAAAAAAAAAAAAAAABRh',
      '/8QAFQEBAQAAAAAAAAAAAAAAAAAABAb/xAAXEQADAQAAAAAAAAAAAAAAAAAABBVR/9oADAMBAAIRAxEAPwDJV6V6nitgq4Mts6f/2Q==',
    ].join(''),
  ),
  'progressive JPEG': image(
    'image/jpeg',
    [
      '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5a' +
        'YVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT0',
      '9PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wgARCAAJAAwDASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAA' +
        'AAAAAAAAQF/8QAFQEBAQAAAAAAAAAAAAAAAAAAAwX/',
      '2gAMAwEAAhADEAAAAchOrN//xAAWEAEBAQAAAAAAAAAAAAAAAAASABD/2gAIAQEAAQUCUt//xAAWEQADAAAAAAAAAAAAAAAAAAAAAxT/2gAI' +
        'AQMBAT8BtYf/xAAWEQADAAAAAAAAAAAAAAAAAAAAAx',
      'T/2gAIAQIBAT8BgUf/xAAUEAEAAAAAAAAAAAAAAAAAAAAg/9oACAEBAAY/Ah//xAAUEAEAAAAAAAAAAAAAAAAAAAAg/9oACAEBAAE/IR//2g' +
        'AMAwEAAgADAAAAEPv/xAAVEQEBAAAAAAAAAAAAAAAA',
      'AAAAYf/aAAgBAwEBPxC7/8QAFREBAQAAAAAAAAAAAAAAAAAAAGH/2gAIAQIBAT8Qg//EABYQAQEBAAAAAAAAAAAAAAAAAHEAEP/aAAgBAQAB' +
        'PxBz3//Z',
    ].join(''),
  ),
  'TIFF, little-endian, LZW': image(
    'image/tiff',
    [
      'SUkqAFYAAACAP9/gCCQWDQeEQmFQuGQ2DP9vwUQQ6KRWLQ5/r+CkCLx2PRZ/p+CmCPyWTQlAQWUyeWSaSACQy2ZR6OTCNTOcRSJzCIzmfRiB' +
        'z+hQaAgQAAABAwABAAAADAAAAAEBAwABAAAACQAAAA',
      'IBAwADAAAAHAEAAAMBAwABAAAABQAAAAYBAwABAAAAAgAAAAoBAwABAAAAAQAAABEBBAABAAAACAAAABIBAwABAAAAAQAAABUBAwABAAAAAw' +
        'AAABYBAwABAAAACQAAABcBBAABAAAATgAAABwBAwAB',
      'AAAAAQAAACkBAwACAAAAAAABAD0BAwABAAAAAgAAAD4BBQACAAAAUgEAAD8BBQAGAAAAIgEAAAAAAAAQABAAEACF61EAAACAAMP1qAAAAAAC' +
        'zcxMAAAAAAHNzEwAAACAAM3MTAAAAAACj8L1AAAAAB',
      'A3GqAAAAAAAiuHCgAAACAA',
    ].join(''),
  ),
  'TIFF, big-endian': image(
    'image/tiff',
    [
      'SUkqAFAAAAD//wAAAAD//wAAAAD//wAAAAD//wAAAAAAgAAAAIAAgAAAAIAAgAAAAIAAgAAAAIAAAAAA//8AAAAA//8AAAAA//8AAAAA//8P' +
        'AAABAwABAAAABAAAAAEBAwABAAAAAwAAAAIBAwADAA',
      'AACgEAAAMBAwABAAAAAQAAAAYBAwABAAAAAgAAAAoBAwABAAAAAQAAABEBBAABAAAACAAAABIBAwABAAAAAQAAABUBAwABAAAAAwAAABYBAw' +
        'ABAAAAAwAAABcBBAABAAAASAAAABwBAwABAAAAAQAA',
      'ACkBAwACAAAAAAABAD4BBQACAAAAQAEAAD8BBQAGAAAAEAEAAAAAAAAQABAAEACF61EAAACAAMP1qAAAAAACzcxMAAAAAAHNzEwAAACAAM3M' +
        'TAAAAAACj8L1AAAAABA3GqAAAAAAAiuHCgAAACAA',
    ].join(''),
  ),
  'TIFF, three fax pages': image(
    'image/tiff',
    [
      'SUkqAA4AAABf//ABABAQAP4ABAABAAAAAgAAAAABAwABAAAAEAAAAAEBAwABAAAACQAAAAIBAwABAAAAAQAAAAMBAwABAAAABAAAAAYBAwAB' +
        'AAAAAAAAAAoBAwABAAAAAQAAABEBBAABAAAACAAAAB',
      'IBAwABAAAAAQAAABUBAwABAAAAAQAAABYBAwABAAAACQAAABcBBAABAAAABgAAABwBAwABAAAAAQAAACkBAwACAAAAAAADAD4BBQACAAAABA' +
        'EAAD8BBQAGAAAA1AAAABoBAACF61EAAACAAMP1qAAA',
      'AAACzcxMAAAAAAHNzEwAAACAAM3MTAAAAAACj8L1AAAAABA3GqAAAAAAAiuHCgAAACAAX//wAQAQEAD+AAQAAQAAAAIAAAAAAQMAAQAAABAA' +
        'AAABAQMAAQAAAAkAAAACAQMAAQAAAAEAAAADAQMAAQ',
      'AAAAQAAAAGAQMAAQAAAAAAAAAKAQMAAQAAAAEAAAARAQQAAQAAABQBAAASAQMAAQAAAAEAAAAVAQMAAQAAAAEAAAAWAQMAAQAAAAkAAAAXAQ' +
        'QAAQAAAAYAAAAcAQMAAQAAAAEAAAApAQMAAgAAAAEA',
      'AwA+AQUAAgAAABACAAA/AQUABgAAAOABAAAmAgAAhetRAAAAgADD9agAAAAAAs3MTAAAAAABzcxMAAAAgADNzEwAAAAAAo/C9QAAAAAQNxqg' +
        'AAAAAAIrhwoAAAAgAF//8AEAEBAA/gAEAAEAAAACAA',
      'AAAAEDAAEAAAAQAAAAAQEDAAEAAAAJAAAAAgEDAAEAAAABAAAAAwEDAAEAAAAEAAAABgEDAAEAAAAAAAAACgEDAAEAAAABAAAAEQEEAAEAAA' +
        'AgAgAAEgEDAAEAAAABAAAAFQEDAAEAAAABAAAAFgED',
      'AAEAAAAJAAAAFwEEAAEAAAAGAAAAHAEDAAEAAAABAAAAKQEDAAIAAAACAAMAPgEFAAIAAAAcAwAAPwEFAAYAAADsAgAAAAAAAIXrUQAAAIAA' +
        'w/WoAAAAAALNzEwAAAAAAc3MTAAAAIAAzcxMAAAAAA',
      'KPwvUAAAAAEDcaoAAAAAACK4cKAAAAIAA=',
    ].join(''),
  ),
} as const;

interface Sample {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** A PDF of one empty page, with a cross-reference table that fits. `extra` goes into the file as a stream. */
export function pdf(extra = ''): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 284 425] >>',
    `<< /Length ${extra.length} >>\nstream\n${extra}\nendstream`,
  ];
  let text = '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n';
  const positions = objects.map((object, index) => {
    const position = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return position;
  });
  const table = [
    '0000000000 65535 f ',
    ...positions.map((position) => `${String(position).padStart(10, '0')} 00000 n `),
  ];
  return Buffer.from(
    `${text}xref\n0 ${table.length}\n${table.join('\n')}\ntrailer\n<< /Size ${table.length} /Root 1 0 R >>` +
      `\nstartxref\n${text.length}\n%%EOF\n`,
    'latin1',
  );
}

/** A PDF that was changed once: what changed was added behind its end. `whole` is the length of what it was before. */
export function updatedPdf(): { readonly bytes: Buffer; readonly whole: number } {
  const before = pdf();
  const object = '5 0 obj\n<< /Type /Metadata >>\nendobj\n';
  const place = String(before.length).padStart(10, '0');
  const table = `xref\n5 1\n${place} 00000 n \ntrailer\n<< /Size 6 /Root 1 0 R /Prev 0 >>\n`;
  return {
    bytes: Buffer.concat([
      before,
      Buffer.from(`${object}${table}startxref\n${before.length + object.length}\n%%EOF\n`),
    ]),
    whole: before.length,
  };
}

/** A JPEG that holds another one as a preview in its header. */
export function jpegWithPreview(): Buffer {
  const [outer, preview] = [images['baseline JPEG'].bytes, images['progressive JPEG'].bytes];
  const header = Buffer.from([0xff, 0xe1, 0, 0]);
  header.writeUInt16BE(preview.length + 2, 2);
  return Buffer.concat([outer.subarray(0, 2), header, preview, outer.subarray(2)]);
}

export const zpl =
  '^XA\n^CI28\n^FO50,50^A0N,40^FDDelivery, d\u00e9p\u00f4t 7^FS\n^FO50,120^BCN,100,Y^FD3760001^FS\n^XZ\n';

/** All samples that every slug takes. */
export const samples: Readonly<Record<string, Sample>> = {
  PDF: { mediaType: 'application/pdf', bytes: pdf() },
  ...images,
  'JPEG with a preview': { mediaType: 'image/jpeg', bytes: jpegWithPreview() },
};

function image(mediaType: string, base64: string): Sample {
  return { mediaType, bytes: Buffer.from(base64, 'base64') };
}
