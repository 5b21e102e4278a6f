// Negotiation without the memory of earlier answers, so that each header is read.
import { codingChoice } from '../../src/http/compress.ts';
import { problemTypes, typeChoice } from '../../src/http/negotiate.ts';

const [type, coding] = [typeChoice(problemTypes), codingChoice()];
export const readAccept = (text: string): unknown => type(text);
export const readAcceptEncoding = (text: string): unknown => coding(text);
