// The pages of the authorization server: functions from facts to HTML text, without scripts and without external hosts.
export {
  type AccountNotice,
  accountPage,
  isAccountNotice,
  type PasswordPageFault,
  passwordPage,
  secondFactorPage,
} from './account.ts';
export { consentPage } from './consent.ts';
export { pageHeaders } from './document.ts';
export { errorPage } from './error.ts';
export { invitationOverPage, invitationPage } from './invitation.ts';
export { type Language, languageOf } from './language.ts';
export { faultBox } from './fault-box.ts';
export { returnedPage } from './returned.ts';
export {
  type CodeFault,
  codePage,
  recoveryCodesPage,
  setUpPage,
} from './second-factor.ts';
export { type SignInFacts, signInPage } from './sign-in.ts';
export { signedOutPage, signOutPage } from './sign-out.ts';
