// The English texts of adding and changing carrier accounts.

export const accountsEnglish = {
  addAccount: 'Add an account',
  chooseCarrier: 'Carrier',
  accountActivity: 'Activity',
  contextMeaning: 'Its name in the addresses of labels: lower-case letters, digits, dots, dashes and underscores.',
  accountSettings: 'Settings',
  rareSettings: 'Settings that few accounts have',
  senderPart: 'Sender',
  senderMeaning: 'What a label request may leave out.',
  limitMeaning: 'From midnight to midnight in UTC. Empty: any number. 0: no labels, while tracking goes on.',
  isKept: 'kept as it is unless you type another',
  removeSecret: 'Remove the stored {name}',
  otherwiseIs: 'if empty: {value}',
  saveAccount: 'Save',
  accountSaved: 'The account {name} is saved and is used from the next label on. Test it now.',
  accountAdded: 'The account {name} is added.',
  openAccount: 'Show it',
  notSaved: 'The account was not saved. What is wrong stands at its fields.',
  lastLabel: 'Last label',
  neverUsed: 'never',
  removeAccount: 'Remove',
  removeAccountQuestion: 'The account {name} is removed with its secrets.',
  removeUsedQuestion:
    'The account {name} is in use: its last label was made on {instant}. Without it nobody can track or void those ' +
    'parcels, print their labels again or put them on a handover list, until there is an account of the same ' +
    'context, carrier and activity again.',
  unknownCarrier: 'This version of the service has no carrier of this name: the account can only be removed.',
} as const;
