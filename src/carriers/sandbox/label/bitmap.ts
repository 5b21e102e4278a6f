// Black and white dots as a printer sets them: boxes, and smaller pictures drawn onto larger ones.

/** Rows of dots, eight to a byte, the leftmost in the highest bit; 1 is black. */
export interface Bitmap {
  readonly width: number;
  readonly height: number;
  readonly stride: number;
  readonly bytes: Buffer;
}

export function blankBitmap(width: number, height: number): Bitmap {
  const stride = Math.ceil(width / 8);
  return { width, height, stride, bytes: Buffer.alloc(stride * height) };
}

/** Blackens a box, clipped to the bitmap. */
export function fillBox(bitmap: Bitmap, x: number, y: number, width: number, height: number): void {
  const [left, right] = [Math.max(0, x), Math.min(bitmap.width, x + width)];
  if (left >= right) return;
  const [first, last] = [left >> 3, (right - 1) >> 3];
  const [firstMask, lastMask] = [0xff >> (left & 7), (0xff << (7 - ((right - 1) & 7))) & 0xff];
  for (let row = Math.max(0, y); row < Math.min(bitmap.height, y + height); row += 1) {
    const start = row * bitmap.stride;
    if (first === last) orByte(bitmap, start + first, firstMask & lastMask);
    else {
      orByte(bitmap, start + first, firstMask);
      bitmap.bytes.fill(0xff, start + first + 1, start + last);
      orByte(bitmap, start + last, lastMask);
    }
  }
}

/**
 * Draws the black dots of a picture onto a bitmap, in black or white, with its upper left corner at a position, clipped
 * to the bitmap.
 */
export function drawImage(bitmap: Bitmap, image: Bitmap, x: number, y: number, black: boolean): void {
  const shift = x & 7;
  for (let row = Math.max(0, -y); row < Math.min(image.height, bitmap.height - y); row += 1) {
    const start = (y + row) * bitmap.stride;
    for (let index = 0; index < image.stride; index += 1) {
      const eight = image.bytes[row * image.stride + index] ?? 0;
      if (eight === 0) continue;
      const column = (x >> 3) + index;
      setByte(bitmap, start, column, eight >> shift, black);
      if (shift > 0) setByte(bitmap, start, column + 1, (eight << (8 - shift)) & 0xff, black);
    }
  }
}

function setByte(bitmap: Bitmap, start: number, column: number, mask: number, black: boolean): void {
  if (column < 0 || column >= bitmap.stride || mask === 0) return;
  if (black) orByte(bitmap, start + column, mask);
  else bitmap.bytes[start + column] = (bitmap.bytes[start + column] ?? 0) & ~mask;
}

function orByte(bitmap: Bitmap, at: number, mask: number): void {
  bitmap.bytes[at] = (bitmap.bytes[at] ?? 0) | mask;
}
