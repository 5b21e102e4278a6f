// Limits what reading an XML document may cost, whatever its content.
import { maxAnswerBytes } from '../answer-bodies.ts';
import { XmlError } from './element.ts';

/**
 * What a document may cost: bytes; characters outside long texts, such as a label in base64, which cost little;
 * elements and how deep they are nested; references (`&lt;`); carriage returns.
 */
export interface XmlLimits {
  readonly size: number;
  readonly markup: number;
  readonly elements: number;
  readonly depth: number;
  readonly references: number;
  readonly returns: number;
}

export const defaultXmlLimits: XmlLimits = {
  size: maxAnswerBytes,
  markup: 512 * 1024,
  elements: 20_000,
  depth: 64,
  references: 200_000,
  returns: 300_000,
};

/** Maximum number of attributes of one element. */
const maxAttributes = 1000;

/** Whether a character occurs more often than `max` times; the search stops there. */
export function isMoreOf(character: string, text: string, max: number): boolean {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1 && count <= max; at = text.indexOf(character, at + 1)) count += 1;
  return count > max;
}

/**
 * Refuses declarations (DTD), unterminated comments and CDATA, and too many elements, before anything else reads the
 * text.
 */
export function checkMarkup(markup: string, { markup: max, elements }: XmlLimits): void {
  if (markup.length > max) throw new XmlError(`The XML has more than ${max} characters beside long texts.`);
  let count = 0;
  for (const [mark] of markup.matchAll(/<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<!|<(?![/?])/g)) {
    if (mark === '<!')
      throw new XmlError('The XML holds a document type or an unfinished comment, which is not read here.');
    if (mark === '<') count += 1;
  }
  // The parser compares the attributes of an element with each other.
  if (markup.split('<').some((tag) => isMoreOf('=', tag, maxAttributes)))
    throw new XmlError(`The XML has an element with more than ${maxAttributes} attributes.`);
  if (count > elements) throw new XmlError(`The XML has more than ${elements} elements.`);
}

/** Restores the long texts in a text of the markup. */
export type Restored = (text: string) => string;

/**
 * Stands for a long text, with its number: a private-use character. In a document that contains it, nothing is
 * replaced.
 */
const placeholder = '\ue000';
/** Shorter texts are not worth it. */
const longText = 1000;

/**
 * Takes out long texts: the parser looks at each character separately, a hundred times as slowly as anything else here.
 */
export function withoutLongTexts(text: string): { readonly markup: string; readonly restored: Restored } {
  if (text.includes(placeholder)) return { markup: text, restored: (part) => part };
  const texts: string[] = [];
  const parts: string[] = [];
  const cdataEnd = searchOnwards(text, ']]>');
  const tagEnd = searchOnwards(text, '>');
  let kept = 0;
  for (let open = text.indexOf('<'); open !== -1; ) {
    const isCdata = text.startsWith(cdataStart, open);
    const start = isCdata ? open + cdataStart.length : tagEnd(open) + 1;
    const next = text.indexOf('<', open + 1);
    const end = isCdata ? cdataEnd(start) : next;
    // Without angle brackets and quotes it can only be a text, or a part of an attribute's value, a comment or an
    // instruction.
    if (start > 0 && end - start >= longText && !/[<>\]"']/.test(text.slice(start, end))) {
      parts.push(text.slice(kept, start), placeholder, String(texts.push(text.slice(start, end)) - 1), placeholder);
      kept = end;
    }
    open = next;
  }
  const numbered = new RegExp(`${placeholder}(\\d+)${placeholder}`, 'g');
  const restored: Restored = (part) =>
    part.includes(placeholder) ? part.replaceAll(numbered, (_, index: string) => texts[Number(index)] ?? '') : part;
  return { markup: parts.join('') + text.slice(kept), restored };
}

const cdataStart = '<![CDATA[';

/**
 * Where a mark stands next, for places further and further on: no part of the text is searched twice, or every opening
 * without its end would have the rest of it searched.
 */
function searchOnwards(text: string, mark: string): (from: number) => number {
  let found = text.indexOf(mark);
  return (from) => {
    if (found !== -1 && found < from) found = text.indexOf(mark, from);
    return found;
  };
}
