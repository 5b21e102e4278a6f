// The label as dots: the picture that a printer of 203 dpi would make.
import type { Bitmap } from './bitmap.ts';
import { blankBitmap, fillBox } from './bitmap.ts';
import { labelSize } from './blocks.ts';
import type { TextDrawer } from './glyph-image.ts';
import { dots, type Mark } from './layout.ts';
import { codeModules, containerModules, darkRuns } from './symbols.ts';

/** Draws the marks of a label. */
export function rasterOf(marks: readonly Mark[], drawText: TextDrawer): Bitmap {
  const bitmap = blankBitmap(dots(labelSize.width), dots(labelSize.height));
  for (const mark of marks) {
    switch (mark.kind) {
      case 'box':
        fillBox(bitmap, mark.x, mark.y, mark.width, mark.height);
        break;
      case 'text':
        drawText(bitmap, mark);
        break;
      case 'bars': {
        let x = mark.x;
        for (const [index, width] of containerModules(mark.sscc).entries()) {
          if (index % 2 === 0) fillBox(bitmap, x, mark.y, width * mark.module, mark.height);
          x += width * mark.module;
        }
        break;
      }
      case 'code':
        for (const [row, modules] of codeModules(mark.digits).entries()) {
          for (const { start, length } of darkRuns(modules))
            fillBox(
              bitmap,
              mark.x + start * mark.module,
              mark.y + row * mark.module,
              length * mark.module,
              mark.module,
            );
        }
    }
  }
  return bitmap;
}
