// The correction of a refused line that is kept in the tab, with the state of the line that it began from.

/** What a correction needs to know of a line. */
interface EditedLine {
  readonly edited: unknown;
  readonly content: unknown;
  readonly changedAt: string;
}

export interface LineDraft {
  readonly text: string;
  /** `changedAt` of the line that the correction began from. */
  readonly changedAt: string;
}

/** The text to read and correct: the corrected version, if any, else the original. */
export function lineText({ edited, content }: Omit<EditedLine, 'changedAt'>): string {
  const value: unknown = edited ?? content;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

export function newLineDraft(line: EditedLine): LineDraft {
  return { text: lineText(line), changedAt: line.changedAt };
}

/** @param kept text of the tab; null: there is none */
export function lineDraftIn(kept: string | null, line: EditedLine): LineDraft {
  if (kept === null) return newLineDraft(line);
  try {
    const draft: unknown = JSON.parse(kept);
    if (typeof draft === 'object' && draft !== null && 'text' in draft && 'changedAt' in draft) {
      const { text, changedAt } = draft;
      if (typeof text === 'string' && typeof changedAt === 'string') return { text, changedAt };
    }
  } catch {
    // Nothing that this page has kept.
  }
  return newLineDraft(line);
}

/** Whether somebody else made something else of the line since the correction began. */
export function isOvertaken({ text, changedAt }: LineDraft, line: EditedLine): boolean {
  return changedAt !== line.changedAt && text !== lineText(line);
}
