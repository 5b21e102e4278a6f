// What a source may call a message.

/** Longest id that a source may give a message, characters. */
export const maxMessageIdLength = 255;
/** Visible characters alone: an id stands in logs and lists. */
export const messageIdPattern = new RegExp(`^[^\\p{C}\\p{Zl}\\p{Zp}]{1,${maxMessageIdLength}}$`, 'u');
