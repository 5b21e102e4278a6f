// Which stock images a message contains: a limited number, and the declared one.
import type { Resource } from '../model/resource.ts';
import { MessageFault } from './message-fault.ts';

/** If one message has more images than this, its records must have dates of their own by mistake. */
const maxImages = 1000;

/**
 * Notes the image of a row.
 * @param options the instant (RFC 3339) of the one image that the message may contain, if declared
 * @throws MessageFault when the row belongs to another one, or there are too many
 */
export function noteImageOfRow(
  { resource, extractionDate }: { readonly resource: Resource; readonly extractionDate?: string },
  images: Set<string>,
  at: string,
): void {
  if (extractionDate !== undefined && at !== extractionDate) {
    throw new MessageFault(
      'other-image',
      `The file holds a row whose ${resource.imageField} is ${at}, not ${extractionDate}.`,
      'Give the extraction date that the rows have, or leave it out.',
    );
  }
  noteImage(resource, images, at);
}

/** @throws MessageFault when there are too many */
export function noteImage({ imageField }: Resource, images: Set<string>, at: string): void {
  images.add(at);
  if (images.size > maxImages) {
    throw new MessageFault(
      'too-many-images',
      `The file holds more than ${maxImages} different values of ${imageField}.`,
      `All rows of one image must have the same ${imageField}.`,
    );
  }
}
