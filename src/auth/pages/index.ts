// The pages of the authorization server: functions from facts to HTML text, without script and without any outside
// host.
export { type ConsentFacts, consentPage } from './consent.ts';
export { pageHeaders } from './document.ts';
export { type ErrorFacts, errorPage } from './error.ts';
export { type Language, languageOf } from './language.ts';
export { type ReturnedFacts, returnedPage } from './returned.ts';
export { type SignInFacts, signInPage } from './sign-in.ts';
export { signedOutPage, type SignOutFacts, signOutPage } from './sign-out.ts';
