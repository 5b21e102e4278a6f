// Faults of a JSON file whose records are inside an object: it is refused as a whole.
import { pointer } from '../model/reasons.ts';
import { quoted } from '../model/text.ts';
import { MessageFault } from './message-fault.ts';

/** The fault of a truncated file. */
export function cutOff(): MessageFault {
  return new MessageFault(
    'truncated',
    'The file ends before its JSON does: it was cut off. Nothing was taken.',
    'Send the whole file.',
  );
}

/** @param what is on the line */
export function notJson(line: number, what: string): MessageFault {
  return new MessageFault('not-json', `The file is not JSON: line ${line} ${what}.`, 'Send it as it was written.');
}

export function notUtf8(what: 'name' | 'text', line: number): MessageFault {
  return new MessageFault('bad-encoding', `The ${what} on line ${line} is not UTF-8.`, 'Save the file as UTF-8.');
}

export function trailingText(line: number): MessageFault {
  return new MessageFault(
    'trailing-text',
    `Text follows the end of the JSON, on line ${line}; nothing was taken.`,
    'Send one JSON value in a file.',
  );
}

export function nestedTooDeep(line: number, maxDepth: number): MessageFault {
  return new MessageFault(
    'nested-too-deep',
    `Line ${line} is nested more than ${maxDepth} deep; nothing was taken.`,
    'Leave out what is nested so deep.',
  );
}

export function outsideTooLong(maxBytes: number): MessageFault {
  return new MessageFault(
    'outside-too-long',
    `What stands outside of the array of records is longer than ${maxBytes} bytes; nothing was taken.`,
    'Leave it out, or send it as a file of its own.',
  );
}

/** @param path names of the members that lead to the value */
export function toldTooLong(path: readonly string[], maxBytes: number): MessageFault {
  return new MessageFault(
    'value-too-long',
    `The text at ${quoted(pointer(path))} is longer than ${maxBytes} bytes; nothing was taken.`,
    'Check that the mapping names the right place.',
  );
}

/** @param path names of the members that lead to the repeated value */
export function standsTwice(path: readonly string[]): MessageFault {
  return new MessageFault(
    'records-twice',
    `${quoted(pointer(path))} stands twice in the file: nobody can tell which one is meant. Nothing was taken.`,
    'Send the file with one of the two.',
  );
}
