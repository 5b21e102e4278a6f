// Whether a JPEG is whole: walks its segments and scans to the marker that ends the image.
import type { DocumentContent } from './storage.ts';

/** More segments than any JPEG has; keeps a made-up one from costing much. */
const mostSegments = 10_000;

/**
 * Walks a JPEG (ITU-T T.81, annex B) to the end of its image. The end marks of a preview in its header are not its own,
 * and what follows the image, such as a second one, is passed over.
 * @returns what is missing, or null
 */
export async function cutJpeg(content: DocumentContent): Promise<string | null> {
  let position = 2;
  let [hasFrame, hasScan] = [false, false];
  for (let count = 0; count < mostSegments; count += 1) {
    const segment = await content.read(position, 4);
    if (segment.length < 2) return hasScan ? 'the marker of its end is missing' : 'it ends before its image';
    const marker = segment.readUInt16BE(0);
    if (marker < 0xff01) return `there is no marker at byte ${position}`;
    if (marker === 0xffff) position += 1;
    else if (marker === 0xff01 || (marker >= 0xffd0 && marker <= 0xffd8)) position += 2;
    else if (marker === 0xffd9) return hasScan ? null : 'it has no image';
    else if (segment.length < 4) return 'its last segment is not whole';
    else {
      position += 2 + segment.readUInt16BE(2);
      hasFrame ||= isFrame(marker);
      if (marker !== 0xffda) continue;
      if (!hasFrame) return 'it has no frame before its image';
      const next = await afterScan(content, position);
      if (next === null) return 'the marker of its end is missing';
      if (next === position) return 'it has no image data';
      hasScan = true;
      position = next;
    }
  }
  return 'it has more segments than an image can have';
}

/** SOF0 to SOF15; C4, C8 and CC among them mean something else. */
function isFrame(marker: number): boolean {
  return marker >= 0xffc0 && marker <= 0xffcf && marker !== 0xffc4 && marker !== 0xffc8 && marker !== 0xffcc;
}

/** Scans may be short, and there may be many. */
const shortBlock = 4096;
const longBlock = 65_536;

/** Where the marker is that ends a scan, or null. Stuffed and fill bytes and the restart markers are the scan's own. */
async function afterScan(content: DocumentContent, from: number): Promise<number | null> {
  let position = from;
  for (let length = shortBlock; position + 1 < content.size; length = longBlock) {
    const block = await content.read(position, length);
    for (let at = block.indexOf(0xff); at !== -1; at = block.indexOf(0xff, at + 1)) {
      const code = block[at + 1] ?? 0;
      if (code >= 0xc0 && code !== 0xff && (code < 0xd0 || code > 0xd7)) return position + at;
    }
    // The last byte again: it may begin a marker.
    position += block.length - 1;
  }
  return null;
}
