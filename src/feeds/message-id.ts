// The ids that a source may give to messages.

/** Length of the longest id that a source may give to a message, in characters. */
export const maxMessageIdLength = 255;
/** Only visible characters, because an id appears in logs and lists. */
export const messageIdPattern = new RegExp(`^[^\\p{C}\\p{Zl}\\p{Zp}]{1,${maxMessageIdLength}}$`, 'u');
